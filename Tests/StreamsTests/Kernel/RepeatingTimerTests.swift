import Dispatch
import StreamSchedulers
import Testing

@testable import Streams

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
    let engine = OldEngine(HeartbeatMachine())
    let beating = Beating<Output, Failure, Context>(Timing(scheduler, nil), interval)
    let outlet = engine.makeOutlet(for: subscriber, schedule: { beating.schedule($0, $1) })
    beating.outlet = outlet
    if engine.isOver { return }
    engine.attach(upstream, HeartbeatSubscriber(engine: engine, outlet: outlet, newest: beating.newest))
  }
}

private final class Beating<Output, Failure: Error, Context: Scheduler> {
  let timing: Timing<Context>
  let interval: Context.SchedulerTimeType.Stride
  let newest = NewestStore<Output>()
  weak var outlet: Outlet<Output, Failure>?

  init(_ timing: Timing<Context>, _ interval: Context.SchedulerTimeType.Stride) {
    self.timing = timing
    self.interval = interval
  }

  func schedule(_ engine: OldEngine, _ request: OldEngine.ScheduleRequest) {
    guard case .timer(let timerID) = request else { return timing.drain(engine) }
    let date = (engine.guarded { timing.date } ?? timing.scheduler.now).advanced(by: interval)
    engine.guarded { timing.date = date }
    // A scheduler that does not wait would never stop.
    let thread = ThreadContext.identity
    if engine.guarded({ timing.isArming(on: thread) }) { return }
    timing.armWaiting(engine, timerID, at: date) { [self] in
      if let outlet {
        var displaced: Output?
        engine.receive(
          from: HeartbeatMachine.beat, store: { outlet.queue.append(newest.peek()) },
          displace: { displaced = outlet.queue.popLast() })
        _ = displaced
      }
      engine.fired(timerID)
    }
  }
}

private struct HeartbeatSubscriber<Input, Failure: Error>: EngineChild {
  let engine: OldEngine
  let outlet: Outlet<Input, Failure>
  let newest: NewestStore<Input>

  func receive(_ input: Input) -> Subscribers.Demand {
    var displaced: Input?
    engine.receive(from: 0, store: { displaced = newest.keep(input) })
    _ = displaced
    return .none
  }
}

private final class HeartbeatMachine: NewestMachine {
  static var beat: Slot { 1 }
  private var hasNewest = false

  override func received(from slot: Slot, _ effects: inout Effects) -> Reception {
    if slot == Self.beat { return hasNewest ? replaceCandidate() : .refused }
    if !hasNewest { arm(&effects) }
    hasNewest = true
    return .setAside
  }

  override func ended(_ slot: Slot, failed: Bool, _ effects: inout Effects) -> Ending {
    effects.release(upstream.take())
    finish()
    scheduleDrain(&effects)
    return .ends
  }

  override func isDue(_ effects: inout Effects) {
    makeDue()
    if !isFinishing { arm(&effects) }
  }
}
