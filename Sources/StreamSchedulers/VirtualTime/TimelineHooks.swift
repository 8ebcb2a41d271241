internal import Streams
package import Synchronization

// Operations on a timeline for modules above this one, such as `StreamTesting`. This module doesn't depend on them.

/// Objects that modules above this one keep with an object of this module, one per type.
package final class Attachments: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` doesn't declare it. The lock protects the list.
  private let objects = Locked<[ObjectIdentifier: AnyObject]>([:])

  package init() {}

  /// Returns the object of a type, or `nil` if there's none.
  package func existing<Object: AnyObject>(_ type: Object.Type) -> Object? {
    objects.withLock { $0[ObjectIdentifier(type)] }.map { unsafeDowncast($0, to: type) }
  }

  /// Returns the object of a type, creating it on first use.
  package func object<Object: AnyObject>(_ type: Object.Type, make: () -> Object) -> Object {
    if let existing = existing(type) { return existing }
    // The object is created outside the lock. If two threads create one at the same time, one of them is dropped.
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

/// A virtual world: a scope in which everything that a thread's tasks do runs on one timeline.
///
/// A module above decides when a world is entered and left, and what runs in it.
package final class TimelineWorld: @unchecked Sendable {
  // `Sendable` is unchecked because of the variables, which a lock of the module above protects.

  // The timeline retains its world, and the code that enters the world retains the timeline. The reference is used only inside
  // the world.
  package unowned let timeline: Timeline

  // Exclusive: each access is a load or a store, during which no outside code runs.
  /// The number of times that the world has been entered and not left yet.
  @exclusivity(unchecked) package var entryCount = 0

  /// The identifiers of the tasks that were started in the world and aren't known to have ended, keyed by the addresses of the
  /// task objects. Addresses are reused, so the table never exceeds the largest number of tasks that existed at the same time,
  /// even if the end of some tasks goes unnoticed.
  @exclusivity(unchecked) package var tasks: [UInt: UInt64] = [:]

  /// The identifier of the process's newest task when the world was entered. Identifiers increase, so a task whose identifier
  /// isn't greater wasn't started in the world.
  @exclusivity(unchecked) package var newestOlderTask: UInt64 = 0

  /// Indicates whether a thread is in the world. It's read under the lock of the module above or on the worlds' thread, the
  /// only one that changes it.
  package var isEntered: Bool { entryCount > 0 }

  let host: WorldHost

  package init(_ timeline: Timeline, _ host: WorldHost) {
    self.timeline = timeline
    self.host = host
  }

  /// Indicates whether any world is entered. Usually none is, so threads don't have to look further.
  package static let isAnyEntered = Atomic<Bool>(false)
}

/// The closures that inform a world about its tasks.
///
/// Like ``MainJobHost``, it's an object with closures rather than a protocol.
package final class WorldHost: Sendable {
  /// An object of an unknown class, used only for reference counting.
  package final class Object {}

  /// Returns a job's task, or `nil` if the job doesn't belong to one or the task is part of its parent's memory.
  let task: @Sendable (UnownedJob) -> Unmanaged<Object>?

  /// Indicates whether a job resumes a task that has yielded. Such a job isn't the task's own.
  let isYield: @Sendable (UnownedJob) -> Bool

  /// Called when a task has ended.
  let forget: @Sendable (Unmanaged<Object>, TimelineWorld) -> Void

  package init(
    task: @escaping @Sendable (UnownedJob) -> Unmanaged<Object>?,
    isYield: @escaping @Sendable (UnownedJob) -> Bool,
    forget: @escaping @Sendable (Unmanaged<Object>, TimelineWorld) -> Void
  ) {
    self.task = task
    self.isYield = isYield
    self.forget = forget
  }
}

/// An object that runs the main actor's jobs in a timeline's world.
///
/// It's an object with closures rather than a protocol, because an enum with an existential costs each job hundreds of
/// instructions.
package final class MainJobHost: Sendable {
  package typealias Run = @Sendable (UnownedJob) -> Void

  let run: Run

  /// Takes over a job whose world or timeline is gone.
  let adopt: Run

  package init(run: @escaping Run, adopt: @escaping Run) {
    self.run = run
    self.adopt = adopt
  }
}

extension Timeline {
  /// Enqueues a main-actor job of this timeline's world for the current date.
  package func enqueue(_ job: UnownedJob, onMainActorOf host: Unmanaged<MainJobHost>, isForeign: Bool) {
    enqueue(job, .main(host), lane: .mainActor, isForeign: isForeign)
  }

  /// Enqueues a task's job in this timeline's world for the current date.
  package func enqueueTask(_ job: UnownedJob, isForeign: Bool) {
    enqueue(job, .world(taskExecutor.asUnownedTaskExecutor()), lane: .world, isForeign: isForeign)
  }

  /// Hands the jobs of this timeline's world over to the executors that would have run them without a world.
  ///
  /// It's called when the world has ended. After that, nothing else runs the world's tasks, and code that awaits them would
  /// wait forever.
  package func handOverJobsOfWorld() {
    // A job that's released enqueues itself where it belongs.
    for job in removeActions(in: [.mainActor, .world]) { withExtendedLifetime(job) {} }
  }

  /// Removes the pending actions of some lanes, and returns them in order.
  private func removeActions(in lanes: Set<ActionTable.Lane>) -> [ActionTable.Action] {
    withLock { agenda, table in
      guard table.liveCount > 0 else { return [] }
      let entries = agenda.pendingEntries(table)
        .filter { lanes.contains(table.cells[$0.name.cell].lane) }
        .sorted { $0.precedes($1) }
      return entries.compactMap { table.cancel($0.name) }
    }
  }

  /// Arms a task's wake-up after a duration. The caller handles cancellation itself.
  package func insertSleep(for nanoseconds: Int, _ wake: @escaping () -> Void) {
    _ = insert(after: now.addingSaturating(nanoseconds), lane: .none, wake)
  }

  /// The nanoseconds until the pending action that was armed last is due, or `nil` if nothing is pending.
  ///
  /// - Complexity: O(*n*), where *n* is the number of pending actions.
  package var newestDelay: Int? {
    withLock { agenda, table in
      let newest = agenda.pendingEntries(table).max { $0.name.sequence < $1.name.sequence }
      return newest.map { $0.date - agenda.now }
    }
  }

  /// Silences the warnings that debug builds write when a test doesn't schedule anything or doesn't advance time.
  package func noteUse() {
    #if DEBUG
      withLock { agenda, _ in (agenda.wasArmed, agenda.wasDriven) = (true, true) }
    #endif
  }

  /// Indicates whether actions are pending and no call is advancing time.
  package var isStuck: Bool { withLock { agenda, table in agenda.depth == 0 && table.liveCount > 0 } }

  /// Moves time to a date without running anything. No action may be due before that date.
  package func move(to date: Int) { withLock { agenda, _ in agenda.move(to: date) } }
}

/// Informs observers about the timelines on which actions are armed, and timelines about the source lines that arm them.
///
/// A timeline doesn't know about streams, only that an action is armed on the thread of an observer. It first checks whether
/// there's any observer in the process, which costs one load, and only then whether there's one on this thread.
package enum ArmingObservation {
  static let count = Atomic<Int>(0)

  @TaskLocal static var observer: (@Sendable (Timeline) -> Void)?
  @TaskLocal static var location: CodeLocation?

  /// Runs a closure, and calls an observer with each timeline on which the closure arms an action.
  package static func observing<Result>(
    _ observer: @escaping @Sendable (Timeline) -> Void, _ body: () -> Result
  ) -> Result {
    count.wrappingAdd(1, ordering: .relaxed)
    defer { count.wrappingSubtract(1, ordering: .relaxed) }
    return $observer.withValue(observer, operation: body)
  }
}

extension ArmingObservation {
  /// Runs a closure that arms actions on behalf of a source line, which messages about pending actions then name.
  static func naming<Result>(_ location: CodeLocation, _ body: () -> Result) -> Result {
    count.wrappingAdd(1, ordering: .relaxed)
    defer { count.wrappingSubtract(1, ordering: .relaxed) }
    return $location.withValue(location, operation: body)
  }
}

extension Timeline {
  /// Notifies the observer, and notes the location, after an action has been armed.
  @inline(never)
  func noteArming(of name: ActionTable.Name) {
    tellArmingObserver()
    if let location = ArmingObservation.location { note(location, of: name) }
  }

  /// Notes the location that armed an action, for messages about pending actions.
  func note(_ location: CodeLocation, of name: ActionTable.Name) {
    withLock { agenda, table in
      agenda.armedLocations[name.sequence] = location
      // Locations of actions that are gone are dropped when they outnumber the others.
      guard agenda.armedLocations.count > 32, agenda.armedLocations.count > 2 * table.liveCount else { return }
      let live = Set(agenda.pendingEntries(table).map(\.name.sequence))
      agenda.armedLocations = agenda.armedLocations.filter { live.contains($0.key) }
    }
  }

  /// Informs the observer of this thread, if any, that the observed stream depends on this timeline.
  @inline(never)
  package func tellArmingObserver() { ArmingObservation.observer?(self) }
}
