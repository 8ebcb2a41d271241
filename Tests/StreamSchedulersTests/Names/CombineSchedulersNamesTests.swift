import Dispatch
import Foundation
import StreamFoundation
import StreamSchedulers
import Streams
import Testing

// Code in the spelling of the documentation of CombineSchedulers and swift-clocks, with another import. A name that is renamed here
// or in the module is a break for everybody who comes from there.

/// A view model that takes its scheduler from outside.
private final class Model {
  private let scheduler: AnySchedulerOf<DispatchQueue>
  private(set) var seconds = 0
  private var cancellables: Set<AnyCancellable> = []

  init(scheduler: AnySchedulerOf<DispatchQueue> = .main) { self.scheduler = scheduler }

  func start() {
    Publishers.Timer(every: 1, scheduler: scheduler)
      .autoconnect()
      .sink { [weak self] _ in self?.seconds += 1 }
      .store(in: &cancellables)
  }
}

struct CombineSchedulersNamesTests {
  @Test func `a timer publisher has its names`() {
    let scheduler = DispatchQueue.test
    var ticks = 0
    let cancellables = [
      Publishers.Timer(every: 1, scheduler: scheduler).autoconnect().sink { _ in ticks += 1 },
      Publishers.Timer(every: .seconds(1), tolerance: .zero, scheduler: scheduler, options: nil)
        .autoconnect().sink { _ in ticks += 1 },
      scheduler.timerPublisher(every: 1).autoconnect().sink { _ in ticks += 1 },
      scheduler.eraseToAnyScheduler().timerPublisher(every: .seconds(1)).autoconnect().sink { _ in ticks += 1 },
    ]
    scheduler.advance(by: 2)
    #expect(ticks == 8)
    for cancellable in cancellables { cancellable.cancel() }
    let timer: Publishers.Timer<TestSchedulerOf<DispatchQueue>> = Publishers.Timer(every: 3, scheduler: scheduler)
    #expect(timer.interval == 3)
  }

  @Test func `schedulers for tests have their names`() {
    let scheduler: TestSchedulerOf<DispatchQueue> = DispatchQueue.test
    let model = Model(scheduler: scheduler.eraseToAnyScheduler())
    model.start()
    scheduler.advance(by: .seconds(3))
    #expect(model.seconds == 3)
    _ = (RunLoop.test, OperationQueue.test, RunLoop.immediate, OperationQueue.immediate, DispatchQueue.immediate)
    let erased: [AnySchedulerOf<DispatchQueue>] = [
      .main, .global(), .immediate, .unimplemented, .unimplemented("a name"), DispatchQueue.test.eraseToAnyScheduler(),
      UIScheduler.shared.eraseToAnyScheduler(), DispatchQueue.main.eraseToAnyScheduler(),
      DispatchQueue.unimplemented.eraseToAnyScheduler(),
      ImmediateSchedulerOf<DispatchQueue>.self == Never.self ? .main : .immediate,
    ]
    let loops: [AnySchedulerOf<RunLoop>] = [.main, .immediate, .unimplemented]
    let queues: [AnySchedulerOf<OperationQueue>] = [.main, .immediate, .unimplemented]
    let _: UnimplementedSchedulerOf<DispatchQueue> = DispatchQueue.unimplemented("a name")
    let test = TestScheduler<DispatchQueue.SchedulerTimeType, DispatchQueue.SchedulerOptions>(
      now: DispatchQueue.SchedulerTimeType(DispatchTime(uptimeNanoseconds: 1)))
    test.run()
    test.advance()
    #expect(erased.count + loops.count + queues.count == 16)
  }

  @Test func `waiting has its names`() async throws {
    let scheduler: AnySchedulerOf<DispatchQueue> = .immediate
    try await scheduler.sleep(for: .seconds(1))
    try await scheduler.sleep(until: scheduler.now)
    let ticks = scheduler.timer(interval: .seconds(1))
    _ = scheduler.measure {}
    _ = ticks
    let test = DispatchQueue.test
    await test.advance(by: .seconds(1))
    await test.run()
  }

  @Test func `clocks have their names`() async throws {
    let clock = TestClock()
    await clock.advance(by: .seconds(1))
    await clock.advance(to: clock.now)
    await clock.run()
    try await clock.checkSuspension()
    let clocks: [any Clock<Duration>] = [
      clock, ImmediateClock(), UnimplementedClock(), AnyClock(ContinuousClock()), .continuous, .suspending, .immediate,
      .unimplemented(),
    ]
    #expect(clocks.count == 8)
    try await ImmediateClock().sleep(for: .seconds(1))
    try await AnyClock(clock).sleep(for: .zero)
    _ = ImmediateClock().timer(interval: .seconds(1))
    _ = AnyClock(clock).timer(interval: .seconds(1), tolerance: .zero)
  }
}
