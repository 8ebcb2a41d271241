/// The outlet of an engine whose elements carry their context: keeps the contexts beside the elements, which wait in an
/// outlet of their own.
///
/// The contexts are in the order of the waiting elements, one for each. The state is protected by the engine's lock.
final class ContextOutlet: AnyOutlet {
  /// The outlet with the elements.
  let elements: AnyOutlet

  /// The context in which downstream subscribed, for what no value has caused.
  let subscription: ContextSnapshot?

  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  @exclusivity(unchecked) private var waiting = Ring<ContextSnapshot?>()

  /// The context of the newest element that is kept for a later output.
  @exclusivity(unchecked) private var aside: ContextSnapshot?

  /// The context in which the source ended whose completion is delivered.
  @exclusivity(unchecked) private var completion: ContextSnapshot?

  init(_ elements: AnyOutlet) {
    self.elements = elements
    subscription = .captured()
    super.init { outlet, engine, delivery, holder in
      unsafeDowncast(outlet, to: ContextOutlet.self).elements.deliver(delivery, for: engine, holder)
    }
  }

  /// The context of the newest element that waits.
  var newest: ContextSnapshot? { waiting.isEmpty ? nil : waiting[waiting.count &- 1] }

  /// Records the context of an element that has been stored.
  func append(_ context: ContextSnapshot?) { waiting.append(context) }

  /// Records the context of elements that have been stored, all others of which have theirs.
  func append(_ context: ContextSnapshot?, upTo count: Int) {
    while waiting.count < count { waiting.append(context) }
  }

  /// Records the context of an element that is kept for a later output, in place of that of the one before, which it
  /// returns.
  func setAside(_ context: ContextSnapshot?) -> ContextSnapshot? {
    defer { aside = context }
    return aside
  }

  /// Records the context of an output that a timer or the end of the source makes of elements that were set aside.
  func appendAside(upTo count: Int) { append(aside ?? subscription, upTo: count) }

  /// Removes the context of an element that another one replaces, and records that of the other.
  func replace(fromEnd distance: Int, with context: ContextSnapshot?) -> ContextSnapshot? {
    defer { waiting.append(context) }
    return waiting.remove(at: waiting.count &- distance)
  }

  /// Records the context in which a source ended, in place of that of the one before, which it returns, and that of the
  /// output that the end makes of elements that were set aside.
  func end(_ context: ContextSnapshot?, count: Int) -> ContextSnapshot? {
    appendAside(upTo: count)
    defer { completion = context }
    return completion
  }

  /// Removes and returns the context of a delivery.
  func take(for delivery: OldMachine.Delivery) -> ContextSnapshot? {
    switch delivery {
    case .element: waiting.popFirst() ?? nil
    case .completion, .substitute: completion ?? subscription
    case .discard, .release: nil
    }
  }
}
