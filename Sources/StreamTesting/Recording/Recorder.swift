internal import StreamInspection
internal import StreamSchedulers
public import Streams

/// A subscriber that records everything that a stream does, and when.
///
/// A test scheduler's `record` creates one that records times. If time doesn't matter,
/// ``Streams/Publisher/record(demand:fileID:filePath:line:column:)`` creates one whose times are all zero.
///
/// ```swift
/// let recorder = scheduler.record(letters.debounce(for: .milliseconds(20), scheduler: scheduler))
/// scheduler.run()
/// #expect(recorder.events == [.next(at: .milliseconds(30), "a"), .completed(at: .milliseconds(50))])
/// ```
///
/// **Demand.** A recorder requests unlimited demand, unless a ``DemandScript`` specifies something else. ``requests``
/// lists the requests.
///
/// **Cancellation.** ``cancel()`` cancels the stream, and so does releasing the recorder.
///
/// **Mistakes** that the publisher makes are reported at the line that created the recorder: a second subscription, a
/// value that wasn't requested, overlapping signals, and a signal before the subscription or after the completion. Such
/// signals are still recorded.
public final class Recorder<
  Output, Failure: Error, Time: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable
>: Cancellable {
  let state: RecorderState<Output, Failure, Time>

  /// The duration of the scheduler's frame, and the time at which the recording began, both for marble diagrams.
  let frame: Time
  let beginning: Time
  let location: CodeLocation
  let reasonsForMissingValues: ReasonsForMissingValues
  private let looseEnds: LooseEnds?
  private let hasSoundDemand: Bool

  init(
    demand: DemandScript<Time>, frame: Time, beginning: Time, now: @escaping () -> Time, looseEnds: LooseEnds?,
    reasonsForMissingValues: ReasonsForMissingValues, location: CodeLocation
  ) {
    state = RecorderState(initial: demand.initial, perValue: demand.perValue, now: now, location: location)
    self.frame = frame
    self.location = location
    self.looseEnds = looseEnds
    self.reasonsForMissingValues = reasonsForMissingValues
    self.beginning = beginning
    hasSoundDemand = demand.isSound
    looseEnds?.add(self)
  }

  /// Indicates whether the recording can be compared: no diagram that it may depend on has a mistake.
  var isComparable: Bool { hasSoundDemand && looseEnds?.hasBadSource != true }

  deinit {
    looseEnds?.leave(remains(withTrees: false))
    state.cancel()
  }

  /// The values and the completion, with their times.
  ///
  /// ```swift
  /// #expect(recorder.events == [.next(at: 10, "a"), .completed(at: 20)])
  /// ```
  public var events: [Recorded<Output, Failure, Time>] { state.read().filter { $0.event.isSignal } }

  /// All events with their times, including the subscription and the cancellation.
  ///
  /// ```swift
  /// #expect(recorder.history.first == .subscription(at: 0))
  /// ```
  public var history: [Recorded<Output, Failure, Time>] { state.read() }

  /// The values, without their times.
  ///
  /// ```swift
  /// #expect(recorder.values == ["a", "b", "c", "d"])
  /// ```
  public var values: [Output] { state.read().compactMap(\.value) }

  /// The stream's completion, if there has been one.
  ///
  /// ```swift
  /// #expect(recorder.completion == .finished)
  /// ```
  public var completion: Subscribers.Completion<Failure>? {
    for recorded in state.read() {
      if case .completion(let completion) = recorded.event { return completion }
    }
    return nil
  }

  /// The recorder's requests, with their times.
  ///
  /// ```swift
  /// #expect(recorder.requests == [.request(at: 0, .unlimited)])
  /// ```
  public var requests: [RecordedRequest<Time>] { state.requests }

  /// The number of values that have been requested and haven't arrived yet.
  ///
  /// ```swift
  /// #expect(recorder.outstandingDemand == .max(2))
  /// ```
  public var outstandingDemand: Subscribers.Demand { state.outstandingDemand }

  /// Indicates whether the subscription has arrived, and the stream has neither ended nor been cancelled.
  ///
  /// ```swift
  /// #expect(recorder.isLive)
  /// ```
  public var isLive: Bool { state.isLive }

  /// Requests more values. Does nothing if the demand is `.none` or the stream isn't live.
  ///
  /// ```swift
  /// let recorder = scheduler.record(numbers, demand: .none)
  /// recorder.request(.max(2))
  /// ```
  ///
  /// - Parameter demand: The number of values to request.
  public func request(_ demand: Subscribers.Demand) { state.request(demand) }

  /// Cancels the stream and records the cancellation. Later signals aren't recorded.
  ///
  /// ```swift
  /// scheduler.schedule(after: start.advanced(by: .seconds(1))) { recorder.cancel() }
  /// ```
  public func cancel() { state.cancel() }

  /// The subscriber that records, for callers that attach it themselves.
  var subscriber: some Subscriber<Output, Failure> { state }
}

extension Recorder: LooseEnd {
  func remains(withTrees: Bool) -> [String] {
    let name = "the stream recorded at \(location.description)"
    var remains: [String] = []
    if state.isLive {
      let tree = withTrees ? state.explanation?.tree(6, indentation: "\n    ").joined() : nil
      remains.append("\(name) has neither ended nor been cancelled" + (tree.map { ":\($0)" } ?? ""))
    }
    let unread = state.unread
    if let first = unread.first {
      let rest = unread.count > 1 ? " and \(unread.count - 1) more" : ""
      remains.append("the test has not read the last events of \(name): \(first)\(rest)")
    }
    return remains
  }
}

/// The type of the recorder that a test scheduler creates for a publisher.
///
/// ```swift
/// final class SearchTests: XCTestCase {
///   var results: RecorderOf<Published<[String]>.Publisher, DispatchQueue>!
/// }
/// ```
public typealias RecorderOf<P: Publisher, S: Scheduler> = Recorder<P.Output, P.Failure, S.SchedulerTimeType.Stride>

// Unchecked: all mutable state is in `state`, protected by its lock.
extension Recorder: @unchecked Sendable where Output: Sendable, Time: Sendable {}

/// The part of a recorder that is attached to the publisher. It doesn't retain the recorder, so the recorder can be released.
final class RecorderState<
  Output, Failure: Error, Time: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable
>: Subscriber, ReadableRecording, @unchecked Sendable {
  typealias Event = Recorded<Output, Failure, Time>.Event

  // `Sendable` is unchecked because `Locked` doesn't declare it: the lock protects all mutable state. Values cross
  // threads only if the recorder does, and the recorder is `Sendable` only if they are.
  private let content = Locked(RecorderContent<Output, Failure, Time>())
  private let initial: Subscribers.Demand
  private let perValue: Subscribers.Demand
  private let now: () -> Time
  let location: CodeLocation

  init(initial: Subscribers.Demand, perValue: Subscribers.Demand, now: @escaping () -> Time, location: CodeLocation) {
    self.initial = initial
    self.perValue = perValue
    self.now = now
    self.location = location
  }

  // MARK: Reading the recording

  /// Returns all events so far and marks them as read.
  func read() -> [Recorded<Output, Failure, Time>] {
    content.withLock { content in
      content.readCount = content.history.count
      return content.history
    }
  }

  /// All events so far, without marking them as read.
  var history: [Recorded<Output, Failure, Time>] { content.withLock { $0.history } }

  var unread: [Recorded<Output, Failure, Time>] {
    content.withLock { $0.history[$0.readCount...] }.filter { $0.event.isSignal }
  }

  /// The number of signals that arrived after the cancellation and weren't recorded.
  var lateCount: Int { content.withLock { $0.lateCount } }

  var requests: [RecordedRequest<Time>] { content.withLock { $0.requests } }
  var outstandingDemand: Subscribers.Demand { content.withLock { $0.outstanding } }
  var isLive: Bool { content.withLock { $0.isAttached && !$0.isOver } }

  /// Indicates whether the stream has ended or been cancelled. If not, it may not even have begun.
  var isOver: Bool { content.withLock { $0.isOver } }

  /// An explanation of the stream, if it's alive. Each access reads the stream.
  var explanation: StreamExplanation? {
    let known = content.withLock { content in
      content.isOver ? nil : content.subscription.map { ($0, content.demand, content.valueCount) }
    }
    guard let (subscription, demand, received) = known else { return nil }
    return StreamExplanation(
      inspection: Inspection(
        subscriber: self, name: "recorder", subscription: subscription, demand: demand, received: received))
  }

  /// The result of taking the next value.
  enum Next {
    case value(Output)
    case ended(Event)
    case nothingYet
  }

  /// Takes the first value that hasn't been taken yet, and marks it and everything before it as read.
  func takeNext() -> Next {
    content.withLock { content in
      var skipped = content.takenCount
      for (index, recorded) in content.history.enumerated() {
        switch recorded.event {
        case .next(let value):
          if skipped == 0 {
            content.takenCount += 1
            content.readCount = max(content.readCount, index + 1)
            return .value(value)
          }
          skipped -= 1
        case .completion, .cancellation:
          content.readCount = max(content.readCount, index + 1)
          return .ended(recorded.event)
        case .subscription: break
        }
      }
      return .nothingYet
    }
  }

  /// Resumes a waiter once there are more than `count` events.
  func wait(past count: Int, _ waiter: Waiter) {
    let isPast = content.withLock { content in
      if content.history.count > count { return true }
      content.waiters.append(waiter)
      return false
    }
    if isPast { waiter.resume() }
  }

  // MARK: Demand

  func request(_ demand: Subscribers.Demand) {
    guard demand > .none else { return }
    let time = now()
    let subscription = content.withLock { content -> (any Subscription)? in
      guard let subscription = content.subscription, !content.isOver else { return nil }
      content.note(demand, at: time)
      return subscription
    }
    subscription?.request(demand)
  }

  func cancel() {
    let time = now()
    let (subscription, waiters) = content.withLock { content -> ((any Subscription)?, [Waiter]) in
      guard !content.isOver else { return (nil, []) }
      content.isOver = true
      // Before the subscription has arrived, there's nothing to record. The subscription is cancelled when it arrives.
      guard content.isAttached else { return (nil, []) }
      return (content.subscription.take(), content.append(.cancellation, at: time))
    }
    subscription?.cancel()
    for waiter in waiters { waiter.resume() }
  }

  // MARK: Receiving

  func receive(subscription: any Subscription) {
    let time = now()
    let (isWanted, isSecond, waiters) = content.withLock { content -> (Bool, Bool, [Waiter]) in
      let isSecond = content.isAttached
      content.isAttached = true
      guard !isSecond, !content.isOver else { return (false, isSecond, []) }
      content.subscription = subscription
      if initial > .none { content.note(initial, at: time) }
      return (true, false, content.append(.subscription, at: time))
    }
    if isSecond { location.report("The recorder received a second subscription and cancelled it.") }
    guard isWanted else { return subscription.cancel() }
    for waiter in waiters { waiter.resume() }
    if initial > .none { subscription.request(initial) }
  }

  func receive(_ input: Output) -> Subscribers.Demand {
    receive(.next(input))
    let time = now()
    return content.withLock { content in
      content.isReceiving = false
      guard perValue > .none, !content.isOver else { return .none }
      content.note(perValue, at: time)
      return perValue
    }
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    receive(.completion(completion))
    let subscription = content.withLock { content in
      content.isReceiving = false
      return content.subscription.take()
    }
    withExtendedLifetime(subscription) {}
  }

  private func receive(_ event: Event) {
    let time = now()
    let (mistake, waiters) = content.withLock { content -> (String?, [Waiter]) in
      // A signal that is on its way during the cancellation may still arrive, but isn't recorded.
      if content.history.last?.event.isCancellation == true {
        content.lateCount += 1
        return (nil, [])
      }
      let mistake = content.mistake(in: event)
      content.isReceiving = true
      if case .next = event, content.outstanding > .none { content.outstanding -= 1 }
      if case .completion = event { content.isOver = true }
      return (mistake, content.append(event, at: time))
    }
    if let mistake { location.report("\(mistake): \(event), at \(DurationText.described(time.nanoseconds)).") }
    for waiter in waiters { waiter.resume() }
  }
}

/// A recorder's entries, and the waiters for more entries.
private struct RecorderContent<Output, Failure: Error, Time> {
  var history: [Recorded<Output, Failure, Time>] = []
  var requests: [RecordedRequest<Time>] = []
  var outstanding = Subscribers.Demand.none
  var subscription: (any Subscription)?
  var isAttached = false
  var isOver = false
  var isReceiving = false

  /// The number of signals that arrived after the cancellation.
  var lateCount = 0

  /// The number of events that a test has read.
  var readCount = 0

  /// The number of values that were taken one by one.
  var takenCount = 0
  var waiters: [Waiter] = []

  /// The demand that hasn't been fulfilled, or `nil` if nothing has been requested.
  var demand: Subscribers.Demand? { requests.isEmpty ? nil : outstanding }

  var valueCount: Int { history.count { if case .next = $0.event { true } else { false } } }

  mutating func note(_ demand: Subscribers.Demand, at time: Time) {
    requests.append(RecordedRequest(time: time, demand: demand))
    outstanding += demand
  }

  /// Adds an event, and returns the waiters to resume.
  mutating func append(_ event: Recorded<Output, Failure, Time>.Event, at time: Time) -> [Waiter] {
    history.append(Recorded(time: time, event: event))
    defer { waiters = [] }
    return waiters
  }

  /// Returns the mistake that the publisher makes by sending an event now, or `nil` if there isn't one.
  func mistake(in event: Recorded<Output, Failure, Time>.Event) -> String? {
    if !isAttached { return "A signal arrived before the subscription" }
    if isOver { return "A signal arrived after the end" }
    if isReceiving { return "A signal arrived while another was being delivered" }
    if case .next = event, outstanding == .none { return "A value arrived that was not requested" }
    return nil
  }
}

extension Recorded.Event {
  fileprivate var isCancellation: Bool { if case .cancellation = self { true } else { false } }
}
