/// An actor as the place where an engine delivers.
package final class ActorPlace: Place {
  /// Not retained: the actor's state may hold this object, and the stream ends with the actor.
  private weak let actor: (any Actor)?

  /// Indicates whether it is the main actor, for which ``ExecutionEnvironment`` can determine at a lower cost whether
  /// the caller is on it.
  private let isMain: Bool

  init(_ actor: any Actor) {
    self.actor = actor
    isMain = actor === MainActor.shared
    super.init { unsafeDowncast($0, to: ActorPlace.self).schedule($1) }
  }

  private func schedule(_ engine: Engine) {
    if isMain, ExecutionEnvironment.current?.isOnMainActor() == true { return engine.run(.delivery) }
    guard let actor else { return engine.cancel() }
    // Unchecked: an engine may be used from any thread, because its lock protects its state.
    nonisolated(unsafe) let engine = engine
    ActorHop.run(on: actor, for: "receive(on:)") { engine.run(.delivery) }
  }

  override var inspected: Any? { actor }
}
