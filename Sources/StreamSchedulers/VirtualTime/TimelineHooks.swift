internal import Streams
package import Synchronization

// What modules above this one, such as that for tests, may do with a timeline; this one knows nothing of what they do.

/// Objects that modules above this one keep with one of this one, one of each type.
package final class Attachments: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` says nothing of it: the lock protects the list.
  private let objects = Locked<[ObjectIdentifier: AnyObject]>([:])

  package init() {}

  /// The object of a type, if there is one.
  package func existing<Object: AnyObject>(_ type: Object.Type) -> Object? {
    objects.withLock { $0[ObjectIdentifier(type)] }.map { unsafeDowncast($0, to: type) }
  }

  /// The object of a type, which is made when it is first asked for.
  package func object<Object: AnyObject>(_ type: Object.Type, make: () -> Object) -> Object {
    if let existing = existing(type) { return existing }
    // Made outside the lock; of two that are made at a time, one is dropped.
    let new = make()
    let kept = objects.withLock { objects in
      if let other = objects[ObjectIdentifier(type)] { return other }
      objects[ObjectIdentifier(type)] = new
      return new
    }
    return unsafeDowncast(kept, to: type)
  }
}

extension Timeline {
  /// Objects that modules above keep with this timeline.
  package var attachments: Attachments {
    if let existing = withLock({ agenda, _ in agenda.attachments }) { return existing }
    let new = Attachments()
    return withLock { agenda, _ in
      if agenda.attachments == nil { agenda.attachments = new }
      return agenda.attachments ?? new
    }
  }
}

/// A stretch of time in which a thread takes everything that its tasks do onto one timeline.
///
/// A timeline and the threads that move it on keep theirs. Who enters and leaves it, and what goes by it, is up to a module
/// above.
package final class TimelineWorld: @unchecked Sendable {
  // `Sendable` is unchecked because of the count, which a lock of the module above protects.

  // The timeline keeps its world, and is kept by whoever has entered it: it is reached only as long as somebody has.
  package unowned let timeline: Timeline

  // Exclusive: each access is a load or a store, in which nothing unknown runs.
  /// How often it has been entered and not been left.
  @exclusivity(unchecked) package var entryCount = 0

  /// Whether there is somebody in it; asked under that lock, or on the thread of the worlds, which alone changes it.
  package var isEntered: Bool { entryCount > 0 }

  package init(_ timeline: Timeline) { self.timeline = timeline }

  /// Whether somebody is in a world: most of the time nobody is, and threads need not look.
  package static let isAnyEntered = Atomic<Bool>(false)
}

/// Runs jobs of the main actor of a timeline's world.
///
/// An object with closures, and not a protocol: an enum with an existential costs each job hundreds of
/// instructions.
package final class MainJobHost: Sendable {
  package typealias Run = @Sendable (UnownedJob) -> Void

  /// The turn of a job has come.
  let run: Run

  /// The world, or the timeline, has gone before the turn of a job has come.
  let adopt: Run

  package init(run: @escaping Run, adopt: @escaping Run) {
    self.run = run
    self.adopt = adopt
  }
}

extension Timeline {
  /// Keeps a job of the main actor of this timeline's world until its turn comes, which is now.
  package func enqueue(_ job: UnownedJob, onMainActorOf host: Unmanaged<MainJobHost>, isForeign: Bool) {
    enqueue(job, .main(host), lane: .mainActor, isForeign: isForeign)
  }

  /// Keeps a job of a task of this timeline's world until its turn comes, which is now.
  package func enqueueTask(_ job: UnownedJob, isForeign: Bool) {
    enqueue(job, .tasks(taskExecutor.asUnownedTaskExecutor()), lane: .none, isForeign: isForeign)
  }

  /// Keeps what ends a task's sleep for so long, unless it is cancelled in a way of its own.
  package func insertSleep(for nanoseconds: Int, _ wake: @escaping () -> Void) {
    _ = insert(after: now.addingSaturating(nanoseconds), lane: .none, wake)
  }

  /// Whether something waits, and nobody is moving time on.
  package var isStuck: Bool { withLock { agenda, table in agenda.depth == 0 && table.liveCount > 0 } }

  /// Moves time to a date without running anything, because nothing is due until then.
  package func move(to date: Int) { withLock { agenda, _ in agenda.move(to: date) } }
}

/// Tells somebody what timelines something is armed on, and timelines where in a program.
///
/// A timeline sees nothing of streams; it only knows that something is armed on the thread of an observer. So it looks
/// whether there is any observer at all, which costs one load, and only then whether there is one on this thread.
package enum ArmingObservation {
  /// How many observers there are in this process.
  static let count = Atomic<Int>(0)

  @TaskLocal static var observer: (@Sendable (Timeline) -> Void)?
  @TaskLocal static var place: SourcePlace?

  /// Runs something, and tells an observer of each timeline on which the thread or task arms something meanwhile.
  package static func observing<Result>(
    _ observer: @escaping @Sendable (Timeline) -> Void, _ body: () -> Result
  ) -> Result {
    count.wrappingAdd(1, ordering: .relaxed)
    defer { count.wrappingSubtract(1, ordering: .relaxed) }
    return $observer.withValue(observer, operation: body)
  }
}

extension ArmingObservation {
  /// Runs something that arms actions on behalf of a line of a program: messages about what waits name the line.
  static func naming<Result>(_ place: SourcePlace, _ body: () -> Result) -> Result {
    count.wrappingAdd(1, ordering: .relaxed)
    defer { count.wrappingSubtract(1, ordering: .relaxed) }
    return $place.withValue(place, operation: body)
  }
}

extension Timeline {
  /// Does what is to be done when an action has been armed while there is an observer, or a place to be named.
  @inline(never)
  func noteArming(of name: ActionTable.Name) {
    tellArmingObserver()
    if let place = ArmingObservation.place { note(place, of: name) }
  }

  /// Notes where an action was armed, for messages about what waits.
  func note(_ place: SourcePlace, of name: ActionTable.Name) {
    withLock { agenda, table in
      agenda.armedPlaces[name.sequence] = place
      // Those of actions that have gone are forgotten when they are more than half.
      guard agenda.armedPlaces.count > 32, agenda.armedPlaces.count > 2 * table.liveCount else { return }
      let live = Set(agenda.entries.filter { table.contains($0.name) }.map(\.name.sequence))
      agenda.armedPlaces = agenda.armedPlaces.filter { live.contains($0.key) }
    }
  }

  /// Tells the observer of this thread, if there is one, that what it observes depends on this timeline.
  @inline(never)
  package func tellArmingObserver() { ArmingObservation.observer?(self) }
}
