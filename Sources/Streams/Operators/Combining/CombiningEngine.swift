/// An engine that combines elements from a fixed number of sources. It keeps elements that wait for elements from other
/// sources.
///
/// By default, every request from downstream goes to every source.
@usableFromInline
package class CombiningEngine: Engine {
  // Exclusive: accessed only under the lock, which is never held while unknown code runs.
  @exclusivity(unchecked) final var sources: FixedSources

  init(_ receiver: Receiver, _ layout: ElementLayout, _ traits: Traits = .makesElements, count: Int) {
    sources = FixedSources(count)
    super.init(receiver, layout, traits)
  }

  /// Returns whether outputs can follow although the source in the slot has ended.
  func continues(without slot: Int) -> Bool { false }

  func giveUpElements(_ reaction: inout Reaction) {}

  package override func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction
  ) -> Subscribers.Demand? {
    sources.connected(subscription, to: slot, requesting: reaction.demand - reaction.waiting)
  }

  package override func requested(_ more: Subscribers.Demand, _ reaction: inout Reaction) {
    sources.request(more, &reaction)
  }

  package override func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<any Error>, _ reaction: inout Reaction
  ) {
    guard sources.ended(slot, &reaction) else { return }
    if case .finished = completion, continues(without: slot) { return }
    end(with: completion, &reaction)
  }

  /// Ends the stream and cancels the remaining sources.
  final func end(with completion: Subscribers.Completion<any Error>, _ reaction: inout Reaction) {
    reaction.end(with: completion)
    cancelSources(&reaction)
  }

  package override func cancelSources(_ reaction: inout Reaction) { sources.cancel(&reaction) }

  package override func tearDown(_ reaction: inout Reaction) {
    cancelSources(&reaction)
    giveUpElements(&reaction)
  }
}

/// A closure that creates an output from one element of each source. It doesn't capture anything.
@usableFromInline
package typealias Join = (UnsafeBufferPointer<UnsafeMutableRawPointer>, UnsafeMutableRawPointer) -> Void
