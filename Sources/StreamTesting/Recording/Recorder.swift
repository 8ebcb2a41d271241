internal import StreamSchedulers
public import Streams

/// Writes down everything that a stream does, and when.
///
/// A test scheduler makes one with `record`, and then has the times in it; a publisher makes one with
/// ``Streams/Publisher/record(demand:fileID:filePath:line:column:)`` where time does not matter, and all times are zero.
///
/// ```swift
/// let recorder = scheduler.record(letters.debounce(for: .milliseconds(20), scheduler: scheduler))
/// scheduler.run()
/// #expect(recorder.events == [.next(at: .milliseconds(30), "a"), .completed(at: .milliseconds(50))])
/// ```
///
/// **Demand.** It asks for everything, unless a ``DemandScript`` says something else; ``requests`` has what was asked for.
///
/// **Cancellation.** The recording is cancelled by ``cancel()`` or by letting go of the recorder.
///
/// **Mistakes** of the publisher are reported where the recorder was made: a value that was not asked for, signals that
/// overlap, a signal after the end or before the subscription. They are written down all the same.
public final class Recorder<
  Output, Failure: Error, Time: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable
>: Cancellable {
  let state: RecorderState<Output, Failure, Time>

  /// The scheduler's frame, and when the recording began, both for marble diagrams.
  let frame: Time
  let beginning: Time
  let place: SourcePlace
  private let looseEnds: LooseEnds?
  private let hasSoundDemand: Bool

  init(
    demand: DemandScript<Time>, frame: Time, beginning: Time, now: @escaping () -> Time, looseEnds: LooseEnds?,
    place: SourcePlace
  ) {
    state = RecorderState(initial: demand.initial, perValue: demand.perValue, now: now, place: place)
    self.frame = frame
    self.place = place
    self.looseEnds = looseEnds
    self.beginning = beginning
    hasSoundDemand = demand.isSound
    looseEnds?.add(self)
  }

  /// Whether what was recorded can be what a test expects: no diagram that it comes of was bad.
  var isComparable: Bool { hasSoundDemand && looseEnds?.hasBadSource != true }

  deinit {
    looseEnds?.leave(remains)
    state.cancel()
  }

  /// The values and the end, with their times.
  public var events: [Recorded<Output, Failure, Time>] { state.read().filter { $0.event.isSignal } }

  /// Everything that happened, with its time: also the subscription and the cancellation.
  public var history: [Recorded<Output, Failure, Time>] { state.read() }

  /// The values.
  public var values: [Output] {
    state.read().compactMap { if case .next(let value) = $0.event { value } else { nil } }
  }

  /// How the stream ended, if it has.
  public var completion: Subscribers.Completion<Failure>? {
    for recorded in state.read() {
      if case .completion(let completion) = recorded.event { return completion }
    }
    return nil
  }

  /// What was asked for, and when.
  public var requests: [RecordedRequest<Time>] { state.requests }

  /// How many values may still come for what was asked for.
  public var outstandingDemand: Subscribers.Demand { state.outstandingDemand }

  /// Whether the stream is there and has neither ended nor been cancelled.
  public var isLive: Bool { state.isLive }

  /// Asks for more values; a demand of none does nothing.
  public func request(_ demand: Subscribers.Demand) { state.request(demand) }

  /// Cancels the stream; nothing is written down after that but the cancellation.
  public func cancel() { state.cancel() }

  /// The subscriber that records, to be attached where `record` is not what is wanted.
  var subscriber: some Subscriber<Output, Failure> { state }
}

extension Recorder: LooseEnd {
  var remains: [String] {
    let name = "the stream recorded at \(place.description)"
    var remains: [String] = []
    if state.isLive { remains.append("\(name) has neither ended nor been cancelled") }
    let unread = state.unread
    if let first = unread.first {
      let rest = unread.count > 1 ? " and \(unread.count - 1) more" : ""
      remains.append("nobody has looked at what \(name) did last: \(first)\(rest)")
    }
    return remains
  }
}

/// The recorder that a test scheduler makes for a publisher.
///
/// ```swift
/// final class SearchTests: XCTestCase {
///   var results: RecorderOf<Published<[String]>.Publisher, DispatchQueue>!
/// }
/// ```
public typealias RecorderOf<P: Publisher, S: Scheduler> = Recorder<P.Output, P.Failure, S.SchedulerTimeType.Stride>

// Unchecked: all that changes is in `state`, behind its lock.
extension Recorder: @unchecked Sendable where Output: Sendable, Time: Sendable {}

/// The part of a recorder that is attached to the publisher; it does not keep the recorder, which can be let go of.
final class RecorderState<
  Output, Failure: Error, Time: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable
>: Subscriber, @unchecked Sendable {
  typealias Event = Recorded<Output, Failure, Time>.Event

  // `Sendable` is unchecked because `Locked` says nothing of it: the lock protects all that changes. Values cross threads
  // only if the recorder does, which is `Sendable` where they are.
  private let content = Locked(RecorderContent<Output, Failure, Time>())
  private let initial: Subscribers.Demand
  private let perValue: Subscribers.Demand
  private let now: () -> Time
  private let place: SourcePlace

  init(initial: Subscribers.Demand, perValue: Subscribers.Demand, now: @escaping () -> Time, place: SourcePlace) {
    self.initial = initial
    self.perValue = perValue
    self.now = now
    self.place = place
  }

  // MARK: What is looked at

  /// Everything so far; it counts as looked at.
  func read() -> [Recorded<Output, Failure, Time>] {
    content.withLock { content in
      content.readCount = content.history.count
      return content.history
    }
  }

  /// Everything so far, without counting as looked at.
  var history: [Recorded<Output, Failure, Time>] { content.withLock { $0.history } }

  var unread: [Recorded<Output, Failure, Time>] {
    content.withLock { $0.history[$0.readCount...] }.filter { $0.event.isSignal }
  }

  var requests: [RecordedRequest<Time>] { content.withLock { $0.requests } }
  var outstandingDemand: Subscribers.Demand { content.withLock { $0.outstanding } }
  var isLive: Bool { content.withLock { $0.isAttached && !$0.isOver } }

  /// What the next call of `next()` gets.
  enum Next {
    case value(Output)
    case ended(Event)
    case nothingYet
  }

  /// Takes the first value that was not taken yet; it and what came before count as looked at.
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

  /// Calls a closure once something has been written down after so many entries.
  func wait(past count: Int, _ waiter: Waiter) {
    let isPast = content.withLock { content in
      if content.history.count > count { return true }
      content.waiters.append(waiter)
      return false
    }
    if isPast { waiter.resume() }
  }

  // MARK: What is asked for

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
      // Before the subscription has come there is nothing to write down; it is cancelled when it comes.
      guard content.isAttached else { return (nil, []) }
      return (content.subscription.take(), content.append(.cancellation, at: time))
    }
    subscription?.cancel()
    for waiter in waiters { waiter.resume() }
  }

  // MARK: What is received

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
    if isSecond { place.report("A subscriber received a second subscription, which it has cancelled.") }
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
      // What is on its way while the subscriber cancels may still come, and is not written down.
      if content.history.last?.event.isCancellation == true { return (nil, []) }
      let mistake = content.mistake(in: event)
      content.isReceiving = true
      if case .next = event, content.outstanding > .none { content.outstanding -= 1 }
      if case .completion = event { content.isOver = true }
      return (mistake, content.append(event, at: time))
    }
    if let mistake { place.report("\(mistake): \(event), at \(DurationText.described(time.nanoseconds)).") }
    for waiter in waiters { waiter.resume() }
  }
}

/// What a recorder has written down, and what it waits for.
private struct RecorderContent<Output, Failure: Error, Time> {
  var history: [Recorded<Output, Failure, Time>] = []
  var requests: [RecordedRequest<Time>] = []
  var outstanding = Subscribers.Demand.none
  var subscription: (any Subscription)?
  var isAttached = false
  var isOver = false
  var isReceiving = false

  /// How much of the history somebody has looked at.
  var readCount = 0

  /// How many values were taken one by one.
  var takenCount = 0
  var waiters: [Waiter] = []

  mutating func note(_ demand: Subscribers.Demand, at time: Time) {
    requests.append(RecordedRequest(time: time, demand: demand))
    outstanding += demand
  }

  /// Writes down an event, and returns who waited for it.
  mutating func append(_ event: Recorded<Output, Failure, Time>.Event, at time: Time) -> [Waiter] {
    history.append(Recorded(time: time, event: event))
    defer { waiters = [] }
    return waiters
  }

  /// What the publisher does wrong by sending something now.
  func mistake(in event: Recorded<Output, Failure, Time>.Event) -> String? {
    if !isAttached { return "A signal came before the subscription" }
    if isOver { return "A signal came after the end" }
    if isReceiving { return "A signal came while another was being delivered" }
    if case .next = event, outstanding == .none { return "A value came that nobody had asked for" }
    return nil
  }
}

extension Recorded.Event {
  fileprivate var isCancellation: Bool { if case .cancellation = self { true } else { false } }
}
