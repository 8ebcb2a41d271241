/// An actor as the place where an engine delivers.
@usableFromInline
final class ActorPlace: DeliveryPlace {
  /// Not retained: what the actor keeps may keep this, and the stream ends with the actor.
  private weak let actor: (any Actor)?

  /// Whether it is the main actor, of which ``Surroundings`` know at a lower price whether the caller is on it.
  private let isMain: Bool

  @usableFromInline
  init(_ actor: any Actor) {
    self.actor = actor
    isMain = actor === MainActor.shared
  }

  @usableFromInline
  func drain(_ engine: Engine) {
    if isMain, Surroundings.current?.isOnMainActor() == true { return engine.drain() }
    guard let actor else { return engine.cancel() }
    // Unchecked: an engine may be used from any thread, its lock protects what it has.
    nonisolated(unsafe) let engine = engine
    ActorHop.run(on: actor) { engine.drain() }
  }
}
