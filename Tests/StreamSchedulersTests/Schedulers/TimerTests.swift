import Dispatch
import StreamSchedulers
import Streams
import Testing

@Suite
struct TimerTests {
  private let scheduler = DispatchQueue.test
  private let log = Log<String>()

  private func milliseconds(_ date: DispatchQueue.SchedulerTimeType) -> UInt64 {
    date.dispatchTime.uptimeNanoseconds / 1_000_000
  }

  private func subscribe(
    _ name: String, to timer: TimerPublisher<TestSchedulerOf<DispatchQueue>>
  ) -> AnyCancellable {
    timer.sink { [log] in log.append("\(name)@\(self.milliseconds($0))") }
  }

  @Test func `delivers ticks one interval apart, the first one interval after connecting`() {
    let timer = scheduler.timerPublisher(every: .milliseconds(10))
    let cancellable = subscribe("a", to: timer)
    scheduler.advance(by: .milliseconds(100))
    #expect(log.all == [])
    let connection = timer.connect()
    scheduler.advance(by: .milliseconds(9))
    #expect(log.all == [])
    scheduler.advance(by: .milliseconds(21))
    #expect(log.all == ["a@110", "a@120", "a@130"])
    connection.cancel()
    scheduler.advance(by: .milliseconds(100))
    #expect(log.all.count == 3)
    cancellable.cancel()
    scheduler.assertIdle()
  }

  @Test func `exposes its interval, tolerance, scheduler and options`() {
    let timer = TimerPublisher(every: .seconds(1), tolerance: .milliseconds(2), scheduler: scheduler, options: nil)
    #expect(timer.interval == .seconds(1))
    #expect(timer.tolerance == .milliseconds(2))
    #expect(timer.scheduler === scheduler)
    #expect(timer.options == nil)
    #expect(scheduler.timerPublisher(every: .seconds(1)).tolerance == nil)
  }

  @Test func `publishes the scheduler's time at each tick`() {
    let timer = scheduler.timerPublisher(every: .seconds(1)).autoconnect()
    var dates: [DispatchQueue.SchedulerTimeType] = []
    var readings: [DispatchQueue.SchedulerTimeType] = []
    let cancellable = timer.sink {
      dates.append($0)
      readings.append(scheduler.now)
    }
    scheduler.advance(by: .seconds(3))
    #expect(dates == readings)
    #expect(dates.count == 3)
    cancellable.cancel()
  }

  @Test func `autoconnect starts with the first subscriber and stops after the last`() {
    let timer = scheduler.timerPublisher(every: .milliseconds(10))
    let auto = timer.autoconnect()
    let first = auto.sink { [log] _ in log.append("first") }
    let second = auto.sink { [log] _ in log.append("second") }
    scheduler.advance(by: .milliseconds(10))
    first.cancel()
    scheduler.advance(by: .milliseconds(10))
    #expect(log.all == ["first", "second", "second"])
    second.cancel()
    scheduler.assertIdle()
    let third = auto.sink { [log] _ in log.append("third") }
    scheduler.advance(by: .milliseconds(10))
    #expect(log.all.last == "third")
    third.cancel()
    scheduler.assertIdle()
  }

  @Test func `cancellation by one subscriber does not affect the others`() {
    let timer = scheduler.timerPublisher(every: .milliseconds(10))
    let a = subscribe("a", to: timer)
    let b = subscribe("b", to: timer)
    let connection = timer.connect()
    scheduler.advance(by: .milliseconds(10))
    a.cancel()
    scheduler.advance(by: .milliseconds(10))
    #expect(log.all == ["a@10", "b@10", "b@20"])
    b.cancel()
    connection.cancel()
  }

  @Test func `each subscriber has its own demand, and ticks without demand are dropped`() {
    let timer = scheduler.timerPublisher(every: .milliseconds(10))
    let one = TickRecorder<DispatchQueue.SchedulerTimeType>()
    let three = TickRecorder<DispatchQueue.SchedulerTimeType>()
    timer.subscribe(one)
    timer.subscribe(three)
    one.subscription?.request(.max(1))
    three.subscription?.request(.max(3))
    let connection = timer.connect()
    scheduler.advance(by: .milliseconds(50))
    #expect(one.dates.map(milliseconds) == [10])
    #expect(three.dates.map(milliseconds) == [10, 20, 30])
    one.subscription?.request(.max(1))
    scheduler.advance(by: .milliseconds(10))
    #expect(one.dates.map(milliseconds) == [10, 60])
    connection.cancel()
    one.subscription?.cancel()
    three.subscription?.cancel()
  }

  @Test func `can be connected again after cancellation`() {
    let timer = scheduler.timerPublisher(every: .milliseconds(10))
    let cancellable = subscribe("a", to: timer)
    timer.connect().cancel()
    scheduler.advance(by: .milliseconds(15))
    let connection = timer.connect()
    scheduler.advance(by: .milliseconds(10))
    #expect(log.all == ["a@25"])
    connection.cancel()
    cancellable.cancel()
  }

  @Test func `several connections share one timer, which stops when all are cancelled`() {
    let timer = scheduler.timerPublisher(every: .milliseconds(10))
    let cancellable = subscribe("a", to: timer)
    let one = timer.connect()
    scheduler.advance(by: .milliseconds(5))
    let other = timer.connect()
    #expect(scheduler.pendingCount == 1)
    one.cancel()
    one.cancel()
    scheduler.advance(by: .milliseconds(15))
    #expect(log.all == ["a@10", "a@20"])
    other.cancel()
    scheduler.assertIdle()
    cancellable.cancel()
  }

  @Test func `releasing the connection does not stop the timer`() {
    let timer = scheduler.timerPublisher(every: .milliseconds(10))
    let cancellable = subscribe("a", to: timer)
    _ = timer.connect()
    scheduler.advance(by: .milliseconds(10))
    #expect(log.all == ["a@10"])
    cancellable.cancel()
    scheduler.assertIdle()
  }

  @Test func `drops ticks without a subscriber, and a new subscriber receives the next tick`() {
    let timer = scheduler.timerPublisher(every: .milliseconds(10))
    let connection = timer.connect()
    scheduler.advance(by: .milliseconds(15))
    let cancellable = subscribe("a", to: timer)
    scheduler.advance(by: .milliseconds(5))
    #expect(log.all == ["a@20"])
    connection.cancel()
    cancellable.cancel()
  }

  @Test func `stops after the last subscriber cancels, and resumes for the next while connected`() {
    let timer = scheduler.timerPublisher(every: .milliseconds(10))
    let connection = timer.connect()
    subscribe("a", to: timer).cancel()
    scheduler.assertIdle()
    scheduler.advance(by: .milliseconds(15))
    let cancellable = subscribe("b", to: timer)
    scheduler.advance(by: .milliseconds(10))
    #expect(log.all == ["b@25"])
    connection.cancel()
    scheduler.assertIdle()
    cancellable.cancel()
  }

  @Test func `a subscriber that cancels in receive(subscription:) leaves nothing scheduled`() {
    let timer = scheduler.timerPublisher(every: .milliseconds(10))
    let connection = timer.connect()
    let recorder = TickRecorder<DispatchQueue.SchedulerTimeType>(cancelsAtOnce: true)
    timer.subscribe(recorder)
    #expect(recorder.subscription != nil)
    scheduler.assertIdle()
    connection.cancel()
  }

  @Test func `a subscriber can cancel during the first tick`() {
    var count = 0
    var cancellable: AnyCancellable?
    cancellable = scheduler.timerPublisher(every: .milliseconds(10)).autoconnect().sink { _ in
      count += 1
      cancellable?.cancel()
    }
    scheduler.advance(by: .milliseconds(50))
    #expect(count == 1)
    scheduler.assertIdle()
  }

  @Test func `a subscriber can cancel during the first tick on a scheduler that runs actions inline`() {
    let inline = EagerClock(tickCount: 3)
    let timer = inline.timerPublisher(every: 1)
    var dates: [Int] = []
    let cancellable = timer.prefix(1).sink { dates.append($0.nanoseconds) }
    let connection = timer.connect()
    #expect(dates.count == 1)
    #expect(inline.cancelCount == 1)
    let second = timer.prefix(2).sink { dates.append($0.nanoseconds) }
    #expect(dates.count == 3)
    #expect(inline.cancelCount == 2)
    connection.cancel()
    cancellable.cancel()
    second.cancel()
    #expect(inline.cancelCount == 2)
  }

  @Test func `ticks once on an immediate scheduler`() {
    var count = 0
    let timer = DispatchQueue.immediate.timerPublisher(every: .seconds(1))
    let cancellable = timer.sink { _ in count += 1 }
    let connection = timer.connect()
    #expect(count == 1)
    connection.cancel()
    timer.connect().cancel()
    #expect(count == 2)
    cancellable.cancel()
  }

  @Test func `a timer that was never connected is deallocated with its last reference`() {
    weak var timer: TimerPublisher<TestSchedulerOf<DispatchQueue>>?
    weak var token: Token?
    do {
      let strong = scheduler.timerPublisher(every: .seconds(1))
      let held = Token()
      (timer, token) = (strong, held)
      let cancellable = strong.sink { _ in held.touch() }
      _ = cancellable
    }
    #expect(timer == nil)
    #expect(token == nil)
    scheduler.assertIdle()
  }

  @Test func `a connected timer stops when it is deallocated`() {
    do {
      let timer = scheduler.timerPublisher(every: .seconds(1))
      _ = timer.connect()
      #expect(scheduler.pendingCount == 1)
    }
    scheduler.assertIdle()
  }

  @Test func `a scheduler with a live timer has no retain cycle`() {
    weak var weakScheduler: TestSchedulerOf<DispatchQueue>?
    do {
      let scheduler = DispatchQueue.test
      weakScheduler = scheduler
      let connection = scheduler.timerPublisher(every: .seconds(1)).connect()
      #expect(scheduler.pendingCount == 1)
      _ = connection
    }
    #expect(weakScheduler == nil)
  }

  @Test func `cancellation releases the subscriber's closure`() {
    let timer = scheduler.timerPublisher(every: .seconds(1))
    let connection = timer.connect()
    weak var token: Token?
    let cancellable: AnyCancellable
    do {
      let held = Token()
      token = held
      cancellable = timer.sink { _ in held.touch() }
    }
    scheduler.advance(by: .seconds(1))
    #expect(token != nil)
    cancellable.cancel()
    #expect(token == nil)
    connection.cancel()
  }

  @Test func `an interval of zero or less is reported at the line that creates the timer, which never ticks`() {
    for interval: DispatchQueue.SchedulerTimeType.Stride in [.zero, .seconds(-1)] {
      let (timer, issues) = IssueReporter.withCapture { scheduler.timerPublisher(every: interval) }
      #expect(issues.map(\.line) == [#line - 1])
      let cancellable = subscribe("a", to: timer)
      timer.connect().cancel()
      scheduler.assertIdle()
      cancellable.cancel()
    }
    let (_, issues) = IssueReporter.withCapture { TimerPublisher(every: .zero, scheduler: scheduler) }
    #expect(issues.map(\.line) == [#line - 1])
    #expect(log.all == [])
  }

  @Test func `two timers tick by date, and at equal dates in the order of their connections`() {
    let slow = scheduler.timerPublisher(every: .milliseconds(20)).autoconnect().map { _ in "slow" }
    let fast = scheduler.timerPublisher(every: .milliseconds(10)).autoconnect().map { _ in "fast" }
    let cancellable = slow.merge(with: fast).sink { [log] in log.append($0) }
    scheduler.advance(by: .milliseconds(40))
    #expect(log.all == ["fast", "slow", "fast", "fast", "slow", "fast"])
    cancellable.cancel()
    scheduler.assertIdle()
  }

  @Test func `subscribes and cancels safely on several threads during an advance`() {
    let auto = scheduler.timerPublisher(every: .nanoseconds(1)).autoconnect()
    let shared = auto
    DispatchQueue.concurrentPerform(iterations: 4) { [scheduler] thread in
      for _ in 0..<500 {
        if thread == 0 {
          scheduler.advance(by: .nanoseconds(2))
        } else {
          let cancellable = shared.sink { _ in }
          cancellable.cancel()
        }
      }
    }
    scheduler.assertIdle()

    let cancellable = auto.sink { [log] _ in log.append("tick") }
    scheduler.advance(by: .nanoseconds(3))
    #expect(log.all.count == 3)
    cancellable.cancel()
    scheduler.assertIdle()
  }

  @Test func `a subscriber that arrives while the last one cancels receives its ticks`() {
    let auto = scheduler.timerPublisher(every: .nanoseconds(1)).autoconnect()
    let shared = auto
    for _ in 0..<200 {
      let last = Place(auto.sink { _ in })
      let ticks = Log<Int>()
      let next = Place<AnyCancellable>()
      DispatchQueue.concurrentPerform(iterations: 2) { thread in
        if thread == 0 { last.value?.cancel() } else { next.value = shared.sink { _ in ticks.append(1) } }
      }
      scheduler.advance(by: .nanoseconds(2))
      #expect(ticks.all.count == 2)
      next.value?.cancel()
      scheduler.assertIdle()
    }
  }

  @Test func `ticks on a live dispatch queue`() async {
    let ticks = Log<DispatchQueue.SchedulerTimeType>()
    let queue = DispatchQueue(label: "ticks")
    let start = queue.now
    let cancellable = queue.timerPublisher(every: .milliseconds(5)).autoconnect().sink { ticks.append($0) }
    let dates = await ticks.first(3)
    cancellable.cancel()
    #expect(dates == dates.sorted())
    #expect(start.distance(to: dates[2]) >= .milliseconds(15))
  }
}

/// Storage for a value that one thread writes and another reads afterward.
private final class Place<Value>: @unchecked Sendable {
  var value: Value?

  init(_ value: Value? = nil) { self.value = value }
}

/// A subscriber that requests no demand by itself and records the values that it receives.
private final class TickRecorder<Input>: Subscriber {
  typealias Failure = Never

  private(set) var subscription: (any Subscription)?
  private(set) var dates: [Input] = []
  private let cancelsAtOnce: Bool

  init(cancelsAtOnce: Bool = false) { self.cancelsAtOnce = cancelsAtOnce }

  func receive(subscription: any Subscription) {
    self.subscription = subscription
    if cancelsAtOnce { subscription.cancel() }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    dates.append(input)
    return .none
  }

  func receive(completion: Subscribers.Completion<Never>) {}
}

/// A scheduler whose repeating work runs several times before the call that schedules it returns.
private final class EagerClock: Scheduler {
  typealias SchedulerTimeType = VirtualTimeType
  typealias SchedulerOptions = Never

  private(set) var now: VirtualTimeType = 0
  private(set) var cancelCount = 0
  let minimumTolerance: VirtualTimeType.Stride = 0
  private let tickCount: Int

  init(tickCount: Int) { self.tickCount = tickCount }

  func schedule(options: Never?, _ action: @escaping () -> Void) { action() }

  func schedule(
    after date: VirtualTimeType, tolerance: VirtualTimeType.Stride, options: Never?, _ action: @escaping () -> Void
  ) {
    action()
  }

  func schedule(
    after date: VirtualTimeType, interval: VirtualTimeType.Stride, tolerance: VirtualTimeType.Stride, options: Never?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    for _ in 0..<tickCount {
      now = now.advanced(by: interval)
      action()
    }
    return Repetition { self.cancelCount += 1 }
  }

  /// Unlike an `AnyCancellable`, it is not cancelled when it is released.
  private struct Repetition: Cancellable {
    let stop: () -> Void

    func cancel() { stop() }
  }
}
