import Dispatch
import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams

/// A claim about code, which holds for every timeline if the code is correct.
///
/// Each case is named after what the claim is given besides the scheduler. The closure drives the scheduler itself, and
/// throws if the claim does not hold.
///
/// The claims hold whether an event of a hot source comes before or after the timers of the same instant.
enum Property {
  typealias Scheduler = TestSchedulerOf<DispatchQueue>
  typealias Stride = DispatchQueue.SchedulerTimeType.Stride
  typealias Letters = HotPublisher<String, Never, Stride>
  typealias Numbers = HotPublisher<Int, Never, Stride>

  case letters((Letters, Scheduler) throws -> Void)
  case lettersAndNumbers((Letters, Numbers, Scheduler) throws -> Void)

  /// Letters that may end with a failure.
  case failingLetters((HotPublisher<String, TestError, Stride>, Scheduler) throws -> Void)

  /// Letters, and a closure that returns the time that the next answer takes.
  case lettersAndDelays((Letters, @escaping () -> Stride, Scheduler) throws -> Void)

  /// Letters, and the demand of the subscriber. They are cold, because a hot publisher drops values without demand.
  case lettersAndDemand((ColdPublisher<String, Never, Stride>, DemandScript<Stride>, Scheduler) throws -> Void)

  /// Letters, and the time at which the test cancels the stream or closes the screen, if it does.
  case lettersAndCancellation((Letters, Stride?, Scheduler) throws -> Void)
}

/// A mistake of the kind that users make, with a property that it violates.
struct PlantedFault {
  var name: String

  /// The number of a bug of another library, as in `museum 68`, or `written here`.
  var origin: String

  /// The property of the correct code.
  var holds: Property

  /// The same property of the faulty code.
  var fails: Property

  /// Creates a fault from a closure that returns the property of the correct code, or with `true` of the faulty code.
  init(_ name: String, origin: String = "written here", property: (_ isFaulty: Bool) -> Property) {
    self.name = name
    self.origin = origin
    holds = property(false)
    fails = property(true)
  }

  static var all: [Self] {
    [
      repeatedAtTheEnd, lostAtTheEnd, sharedState, lateEnd, timerNotArmedAgain, timerNotCancelled, failureBecomesEnd,
      valueAfterCancellation, endsWithQueuedValues, demandOfGroups,
      oldAnswer, enabledTooEarly, doubledRetry, lostEdit, stuckLoading, lostBeat, listensTwice, undoneTextReturns,
      burstAtTheBoundary, staleCache,
    ]
  }
}

/// The claim that does not hold, and what happened instead.
struct PropertyViolation: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Throws a violation if a condition is false.
func claim(_ condition: Bool, _ message: @autoclosure () -> String) throws {
  if !condition { throw PropertyViolation(message()) }
}

/// Throws a violation if two streams differ.
func claim<Element: Equatable>(_ actual: [Element], equals expected: [Element], _ message: String) throws {
  try claim(actual == expected, "\(message): \(actual) instead of \(expected)")
}

extension HotPublisher {
  /// The values that a subscriber receives if it subscribes at the beginning, with their times.
  var sent: [(time: Time, value: Output)] {
    happening.compactMap { recorded in
      if case .next(let value) = recorded.event { (recorded.time, value) } else { nil }
    }
  }

  /// The completion and its time, if there is one.
  var end: (time: Time, completion: Subscribers.Completion<Failure>)? {
    guard let last = happening.last, case .completion(let completion) = last.event else { return nil }
    return (last.time, completion)
  }

  /// The events in the order of time, up to the first completion.
  private var happening: [Recorded<Output, Failure, Time>] {
    let ordered = events.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
      .map(\.element)
    let end = ordered.firstIndex { if case .completion = $0.event { true } else { false } }
    return end.map { Array(ordered[...$0]) } ?? ordered
  }
}

extension Recorder {
  /// The values with their times.
  var published: [(time: Time, value: Output)] {
    events.compactMap { if case .next(let value) = $0.event { ($0.time, value) } else { nil } }
  }
}

extension TestSchedulerOf<DispatchQueue> {
  /// Runs all actions while the arguments are retained.
  func run(keeping object: Any, _ others: Any...) { withExtendedLifetime((object, others)) { run() } }

  /// Schedules an action for a time, counted from the beginning, if there is one.
  func schedule(at time: Property.Stride?, _ action: @escaping () -> Void) {
    if let time { schedule(after: now.advanced(by: time - elapsed), action) }
  }
}
