import Dispatch
import StreamSchedulers
import Testing

@testable import Streams

// `@testable`: an engine of the test's own, for a kind of timer that no operator has.

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
    HeartbeatEngine(
      SubscriberReceiver(subscriber), ElementLayout(Output.self), SchedulerClock(scheduler, nil, interval)
    ) { ElementLayout.copy(Output.self, from: $0, to: $1) }
    .attach(upstream)
  }
}

private final class HeartbeatEngine: TimedEngine {
  private var newest: KeptElement
  private let copy: (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void

  init(
    _ receiver: Receiver, _ layout: ElementLayout, _ place: ClockPlace,
    _ copy: @escaping (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void
  ) {
    newest = KeptElement(layout)
    self.copy = copy
    super.init(receiver, layout, [], place)
    begin(receiver)
  }

  override var name: String { "heartbeat" }

  override func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction
  ) -> Subscribers.Demand? { source.connected(subscription, requesting: .unlimited) }

  override func received(from slot: Int, _ reaction: inout Reaction) {
    newest.keep(&reaction)
    if !timer.isArmed { timer.arm(&reaction) }
  }

  override func timerDate(at now: Instant) -> Instant { place.ask(.later(armedDate ?? now)) }

  override func isDue(_ reaction: inout Reaction) {
    // A scheduler that does not wait would never stop.
    let isWaiting = !timer.isBeingArmed
    guard newest.isFull else { return }
    reaction.dropCandidate()
    reaction.store(in: nil) { copy(newest.address, $0) }
    if reaction.wantsCandidate { reaction.setReady(reaction.ready + 1) }
    if isWaiting { timer.arm(&reaction) }
  }

  override func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<any Error>, _ reaction: inout Reaction
  ) {
    source.ended(&reaction)
    timer.disarm(&reaction)
    reaction.finish(completion)
    reaction.scheduleDelivery()
  }
}
