import Dispatch
import StreamSchedulers
import Streams
import Testing

struct RepeatingTimerTests {
  private let scheduler = DispatchQueue.test
  private let source = ManualSource<Int, TestError>()

  @Test func `fires at dates that do not drift, and is disarmed at the end`() {
    let recorder = record(Heartbeat(upstream: source, interval: 10, scheduler: scheduler), on: scheduler)
    scheduler.advance(by: 5)
    source.send(1)
    scheduler.advance(by: 22)
    source.send(2)
    source.send(3)
    scheduler.advance(by: 10)
    #expect(recorder.log == ["1@15", "1@25", "3@35"])

    source.finish()
    scheduler.run()
    #expect(recorder.log == ["1@15", "1@25", "3@35", "finished@37"])
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `fires once on an immediate scheduler`() {
    let recorder = record(Heartbeat(upstream: source, interval: 10, scheduler: DispatchQueue.immediate))
    source.send(1)
    #expect(recorder.log == ["1"])
    source.finish()
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func `has nothing scheduled after cancellation`() {
    let recorder = record(Heartbeat(upstream: source, interval: 10, scheduler: scheduler), on: scheduler)
    source.send(1)
    recorder.cancel()
    #expect(scheduler.pendingCount == 0)
    #expect(source.cancelCount == 1)
  }
}

/// An operator with a repeating timer that creates outputs: it publishes the latest value again and again.
private struct Heartbeat<Upstream: Publisher, Context: Scheduler>: Publisher {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure
  let upstream: Upstream
  let interval: Context.SchedulerTimeType.Stride
  let scheduler: Context

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let machine = HeartbeatMachine<Output, Failure, Context>(
      place: SchedulerPlace(scheduler, nil), timing: Timing(interval))
    Engine.make(machine, for: subscriber).attach(upstream)
  }
}

private struct HeartbeatMachine<Element, Failure: Error, Context: Scheduler>: TimedMachine {
  typealias Output = Element

  var name: String { "heartbeat" }
  static func needsTime(of signal: Signal) -> Bool { false }

  var source = SingleSource()
  let place: SchedulerPlace<Context>
  var timing: Timing<Context>
  var newest: Element?

  init(place: SchedulerPlace<Context>, timing: Timing<Context>) {
    self.place = place
    self.timing = timing
  }

  mutating func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction<Output, Failure>
  ) -> Subscribers.Demand? { source.connected(subscription, requesting: .unlimited) }

  mutating func received(_ element: Element, from slot: Int, _ reaction: inout Reaction<Output, Failure>) {
    newest = element
    if !timing.timer.isArmed { timing.timer.arm(&reaction) }
  }

  func timerDate(at now: Context.SchedulerTimeType) -> Context.SchedulerTimeType {
    (timing.armedDate ?? now).advanced(by: timing.interval)
  }

  mutating func isDue(_ reaction: inout Reaction<Output, Failure>) {
    // A scheduler that does not wait would never stop.
    let isWaiting = !timing.timer.isBeingArmed
    guard let newest else { return }
    if reaction.hasCandidate { reaction.replaceNewest(with: newest) } else { reaction.store(newest) }
    if reaction.wantsCandidate { reaction.setReady(reaction.ready + 1) }
    if isWaiting { timing.timer.arm(&reaction) }
  }

  mutating func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<Failure>, _ reaction: inout Reaction<Output, Failure>
  ) {
    source.ended(&reaction)
    timing.timer.disarm(&reaction)
    reaction.finish(completion)
    reaction.scheduleDelivery()
  }
}
