/// A workload that is measured. Each implementation does the same work under the same name and returns the same number.
package enum Workload: String, CaseIterable, Codable, CodingKeyRepresentable, Sendable {
  case sequence
  case subject
  case subject10 = "subject-10"
  case currentValue = "current-value"
  case erasedMaps = "erased-maps"
  case flatMap = "flat-map"
  case flatMapJust = "flat-map-just"
  case flatMapOne = "flat-map-one"
  case merge8 = "merge-8"
  case zip
  case combineLatest = "combine-latest"
  case share10 = "share-10"
  case removeDuplicates = "remove-duplicates"
  case scan
  case prefix
  case subscribeCancel = "subscribe-cancel"
  case mergeSubscribeCancel = "merge-subscribe-cancel"
  case mergeJoins = "merge-joins"
  case shareJoins = "share-joins"
  case receiveOnQueue = "receive-on-queue"
  case receiveOnImmediate = "receive-on-immediate"
  case testScheduler = "test-scheduler"
  case testSchedulerTimers = "test-scheduler-timers"
  case scheduleCancel = "schedule-cancel"
  case debounce
  case collectByTime = "collect-by-time"
  case delay
  case delayDates = "delay-dates"
  case wakeTask = "wake-task"
  case wakeTaskWorld = "wake-task-world"
  case values
  case valuesKept = "values-kept"
  case valuesBounded = "values-bounded"
  case asyncPublisher = "async-publisher"
  case sink
  case isolatedSink = "isolated-sink"
  case isolatedSinkActor = "isolated-sink-actor"
  case isolatedSinkHop = "isolated-sink-hop"
  case withLatest = "with-latest"
  case sample
  case race
  case zipMany = "zip-many"
  case pausableBuffer = "pausable-buffer"
  case rateLimit = "rate-limit"
  case bufferBy = "buffer-by"
  case groupBy = "group-by"
  case carriedNone = "carried-none"
  case carriedEach = "carried-each"
  case carriedRun = "carried-run"
  case pairwise
  case distinct
  case replaySubject = "replay-subject"
  case opaqueSequence = "opaque-sequence"
  case opaqueSubject = "opaque-subject"
  case opaqueSubject10 = "opaque-subject-10"
  case opaqueCurrentValue = "opaque-current-value"
  case opaqueErasedMaps = "opaque-erased-maps"
  case opaqueSubscribeCancel = "opaque-subscribe-cancel"
  case chain6 = "chain-6"
  case chain8 = "chain-8"
  case chain12 = "chain-12"
  case engines2 = "engines-2"
  case engines4 = "engines-4"

  /// A description of the work and of one element of it.
  package var explanation: String {
    switch self {
    case .sequence: "a sequence through map, filter and map to a sink (per value in the sequence)"
    case .subject: "a subject through map, filter and map to a sink (per value sent)"
    case .subject10: "a subject with ten subscribers, each through map, filter and map (per value sent)"
    case .currentValue: "a subject that stores its value (per value sent)"
    case .erasedMaps: "a subject through five type-erased maps (per value sent)"
    case .flatMap: "a sequence of sequences with 1,000 values each, flattened (per value)"
    case .flatMapJust: "a sequence of publishers with one known value each, flattened (per value)"
    case .flatMapOne: "a sequence of one-element sequences, flattened (per value)"
    case .merge8: "eight merged subjects that take turns sending (per value)"
    case .zip: "two zipped subjects that take turns sending (per pair)"
    case .combineLatest: "the latest values of two subjects, only one of which sends (per value)"
    case .share10: "a mapped subject shared by ten subscribers (per value sent)"
    case .removeDuplicates: "a sequence without duplicates, whose values are compared (per value)"
    case .scan: "running sums of a sequence (per value)"
    case .prefix: "the first values of a sequence (per value)"
    case .subscribeCancel: "subscribing to a subject through map, filter and map, and cancelling (per subscription)"
    case .mergeSubscribeCancel: "subscribing to two merged subjects, and cancelling (per subscription)"
    case .mergeJoins:
      "two merged subjects with eight subscribers, the oldest of which leaves as another joins (per value sent)"
    case .shareJoins: "the same for a mapped subject that is shared (per value sent)"
    case .receiveOnQueue:
      "a subject whose values are delivered on a serial queue, which runs on another thread (per value)"
    case .receiveOnImmediate: "a sequence received on a scheduler that runs work immediately (per value)"
    case .testScheduler: "actions at scattered dates in virtual time, scheduled and run (per action)"
    case .testSchedulerTimers: "1,000 timers in virtual time (per tick)"
    case .scheduleCancel: "scheduling an action in virtual time and cancelling it (per action)"
    case .debounce: "a debounced value that the next one replaces (per value)"
    case .collectByTime: "a value that is added to an interval's array (per value)"
    case .delay:
      "values sent ten at a time by a timer on the scheduler and delivered ten milliseconds later (per value)"
    case .delayDates: "like delay, with a separate date for each value (per value, including its tick)"
    case .wakeTask: "100 tasks that sleep in virtual time (per advance, which wakes one task that goes back to sleep)"
    case .wakeTaskWorld: "like wake-task, with plain tasks on the main actor in a virtual world (per advance)"
    case .values: "a task that awaits each value before it is sent (per value)"
    case .valuesKept: "a task with 100 values buffered for it at a time (per value)"
    case .valuesBounded: "a task that consumes a sequence, with up to 64 values buffered (per value)"
    case .asyncPublisher: "an AsyncStream with 100 buffered values at a time, as a publisher with a sink (per value)"
    case .sink: "a subject with a sink that belongs to no actor, for comparison with the next three (per value sent)"
    case .isolatedSink: "the same with a sink on the main actor, sending on the main actor (per value)"
    case .isolatedSinkActor: "the same with a sink on another actor, sending on that actor (per value)"
    case .isolatedSinkHop:
      "the same with a sink on an actor, sending 100 values from elsewhere between the actor's turns (per value)"
    case .withLatest: "a subject, each value paired with the latest value from another (per value)"
    case .sample: "a subject whose values are sampled by another (per value, including its sample)"
    case .race: "two subjects, one of which has won (per value)"
    case .zipMany: "two subjects zipped as a collection, which take turns sending (per pair)"
    case .pausableBuffer: "a subject followed by an open gate (per value)"
    case .rateLimit: "a subject followed by a rate limit that is never reached (per value)"
    case .bufferBy: "a subject whose values are collected into arrays of ten (per value)"
    case .groupBy: "a subject whose values are split into eight groups, then merged again (per value)"
    case .carriedNone:
      "a subject received on a scheduler, 100 values at a time with one task-local that isn't carried (per value)"
    case .carriedEach: "the same, with a carried task-local whose value differs each time (per value)"
    case .carriedRun: "the same, with 100 values sent while one task-local value is in effect and carried (per value)"
    case .pairwise: "a sequence, each value paired with the previous one (per value)"
    case .distinct: "a sequence without duplicates, each value compared with the last 16 (per value)"
    case .replaySubject: "a subject that replays its last 16 values (per value sent)"
    case .opaqueSequence: "like sequence, with opaque closures (per value)"
    case .opaqueSubject: "like subject, with opaque closures (per value sent)"
    case .opaqueSubject10: "like subject-10, with opaque closures (per value sent)"
    case .opaqueCurrentValue: "like current-value, with an opaque closure (per value sent)"
    case .opaqueErasedMaps: "like erased-maps, with opaque closures (per value sent)"
    case .opaqueSubscribeCancel: "like subscribe-cancel, with existing opaque closures (per subscription)"
    case .chain6: "a subject through six operators: map, filter, scan, removeDuplicates, map, filter (per value sent)"
    case .chain8: "the same, plus another scan and removeDuplicates (per value sent)"
    case .chain12: "the same, plus another map, filter, scan and removeDuplicates (per value sent)"
    case .engines2:
      "a subject through map, flatMap of Just, filter, merge with another, scan and removeDuplicates (per value)"
    case .engines4: "the same, then through map and switchToLatest of Just, tryMap and catch (per value)"
    }
  }
}

extension Workload {
  /// The workloads with closures that are opaque to the compiler, and their counterparts with closures that it sees.
  package static let opaque: [(workload: Workload, seen: Workload)] = [
    (.opaqueSequence, .sequence), (.opaqueSubject, .subject), (.opaqueSubject10, .subject10),
    (.opaqueCurrentValue, .currentValue), (.opaqueErasedMaps, .erasedMaps),
    (.opaqueSubscribeCancel, .subscribeCancel),
  ]

  /// Long chains of operators.
  package static let chains: [Workload] = [.chain6, .chain8, .chain12, .engines2, .engines4]

  /// All other workloads.
  package static let common = allCases.filter { workload in
    !chains.contains(workload) && !opaque.contains { $0.workload == workload }
  }

  /// The workloads for which only Streams has an operator.
  package static let beyondCombine: Set<Workload> = [
    .withLatest, .sample, .race, .zipMany, .pausableBuffer, .rateLimit, .bufferBy, .groupBy, .carriedNone, .carriedEach,
    .carriedRun,
  ]
}

/// Workloads that show how work grows: the same work at sizes from a thousand to a million. Only Streams runs these.
package enum GrowingWorkload: String, CaseIterable, Codable, CodingKeyRepresentable, Sendable {
  case pendingActions = "pending-actions"
  case subscriptions
  case flatMapInners = "flat-map-inners"
  case chainDepth = "chain-depth"
  case sleepingTasks = "sleeping-tasks"
  case sleepingTasksWorld = "sleeping-tasks-world"

  /// A description of the work and of one element of it.
  package var explanation: String {
    switch self {
    case .pendingActions: "pending actions at scattered dates in virtual time, all run (per action)"
    case .subscriptions:
      "subscribers to one subject, which receive a value and cancel in scattered order (per subscriber)"
    case .flatMapInners:
      "inner subjects alive in one flatMap, each of which sends a value and finishes (per inner subject)"
    case .chainDepth: "maps in one chain, each type-erased: build, send one value, release (per map)"
    case .sleepingTasks: "tasks that each sleep once, until scattered dates in virtual time (per task)"
    case .sleepingTasksWorld: "like sleeping-tasks, with plain tasks on the main actor in a virtual world (per task)"
    }
  }
}

/// The implementations that are compared; the names are those of the command line and of the results.
package enum ImplementationName: String, CaseIterable, Codable, CodingKeyRepresentable, Sendable {
  case streams = "Streams"
  case openCombine = "OpenCombine"
  case async = "AsyncAlgorithms"
  case limit
}

/// One workload of one implementation.
package enum Cell: Sendable {
  /// Does the work the given number of times, and returns a number that depends on all of it.
  case work(@Sendable (Int) -> Int)
  /// Produces the same result by other means, as the note says.
  case substitute(note: String, @Sendable (Int) -> Int)
  /// The implementation does not have it.
  case missing(because: String)

  /// The work, if there is any.
  package var run: (@Sendable (Int) -> Int)? {
    switch self {
    case .work(let run), .substitute(_, let run): run
    case .missing: nil
    }
  }

  /// A note about the cell, if there is one.
  package var note: String? {
    switch self {
    case .work: nil
    case .substitute(let note, _), .missing(let note): note
    }
  }
}

/// An implementation and its workloads.
package struct Implementation: Sendable {
  package let name: ImplementationName
  package let cells: [Workload: Cell]

  /// - Parameter parts: The workloads that it has, from several files.
  package init(_ name: ImplementationName, _ parts: [[Workload: Cell]]) {
    var cells = parts.reduce(into: [:]) { $0.merge($1) { $1 } }
    for workload in Workload.beyondCombine where cells[workload] == nil && name != .streams {
      cells[workload] = .missing(because: "The implementation has no such operator")
    }
    precondition(cells.count == Workload.allCases.count, "\(name.rawValue) must have an entry for each workload")
    self.name = name
    self.cells = cells
  }
}
