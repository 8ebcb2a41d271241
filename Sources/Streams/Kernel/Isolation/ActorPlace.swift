/// An actor as the place where an engine delivers.
@usableFromInline
package final class ActorPlace: DeliveryPlace {
  /// Not retained: the actor's state may hold this object, and the stream ends with the actor.
  private weak let actor: (any Actor)?

  /// Indicates whether it is the main actor, for which ``ExecutionEnvironment`` can determine at a lower cost whether
  /// the caller is on it.
  private let isMain: Bool

  @usableFromInline
  package init(_ actor: any Actor) {
    self.actor = actor
    isMain = actor === MainActor.shared
  }

  @usableFromInline
  package func schedule(_ gate: Gate) {
    if isMain, ExecutionEnvironment.current?.isOnMainActor() == true { return gate.run(.delivery) }
    guard let actor else { return gate.cancel() }
    // Unchecked: a gate may be used from any thread, because its lock protects its state.
    nonisolated(unsafe) let gate = gate
    ActorHop.run(on: actor, for: "receive(on:)") { gate.run(.delivery) }
  }

  @usableFromInline
  package var inspected: Any? { actor }
}
