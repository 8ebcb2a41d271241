import Dispatch
import Foundation
import StreamFoundation
import StreamSchedulers
import Streams
import Testing

@Suite
struct ImmediateSchedulerTests {
  @Test func `all work runs before the call returns`() {
    let scheduler = DispatchQueue.immediate
    var log: [String] = []
    scheduler.schedule { log.append("at once") }
    scheduler.schedule(after: scheduler.now.advanced(by: .seconds(3600))) { log.append("later") }
    _ = scheduler.scheduleOnce(after: scheduler.now, tolerance: .zero, options: nil) { log.append("once") }
    #expect(log == ["at once", "later", "once"])
  }

  @Test func `repeated work runs once`() {
    let scheduler = DispatchQueue.immediate
    var count = 0
    let work = scheduler.schedule(after: scheduler.now, interval: .seconds(1)) { count += 1 }
    work.cancel()
    #expect(count == 1)
  }

  @Test func `work scheduled by work runs inside it`() {
    let scheduler = RunLoop.immediate
    var log: [String] = []
    scheduler.schedule {
      scheduler.schedule { log.append("inner") }
      log.append("outer")
    }
    #expect(log == ["inner", "outer"])
  }

  @Test func `time never advances`() {
    let scheduler = OperationQueue.immediate
    scheduler.schedule(after: scheduler.now.advanced(by: .seconds(5))) {}
    #expect(scheduler.now == OperationQueue.immediate.now)
  }

  @Test func `the time of an immediate dispatch queue stays at the first nanosecond`() {
    #expect(DispatchQueue.immediate.now.dispatchTime.uptimeNanoseconds == 1)
  }

  @Test func `the shared scheduler needs no explicit types`() {
    let scheduler = ImmediateScheduler.shared
    var hasRun = false
    scheduler.schedule(after: scheduler.now.advanced(by: 5)) { hasRun = true }
    #expect(hasRun)
    #expect(scheduler.now.distance(to: scheduler.now) == 0)
  }

  @Test func `the shared scheduler can be passed to a generic parameter`() {
    func receive<S: Scheduler>(on scheduler: S, options: S.SchedulerOptions? = nil) -> S.SchedulerTimeType.Type {
      S.SchedulerTimeType.self
    }
    #expect(receive(on: ImmediateScheduler.shared) == ImmediateTime.self)
    #expect(receive(on: .immediate as ImmediateSchedulerOf<DispatchQueue>) == DispatchQueue.SchedulerTimeType.self)
  }

  @Test func `the shared scheduler has a size of zero`() {
    #expect(MemoryLayout.size(ofValue: ImmediateScheduler.shared) == 0)
  }

  @Test func `strides of immediate time support arithmetic`() {
    let stride: ImmediateTime.Stride = 3
    #expect(stride * 2 - 1 + 1.0 == 6)
    #expect(ImmediateTime.Stride(.max) + 1 == ImmediateTime.Stride(.max))
    #expect(stride < 4 && !(stride < 3))
    #expect(ImmediateTime.Stride.seconds(3) == 0)
    #expect(ImmediateTime.Stride.seconds(0.5) == 0)
    #expect(ImmediateTime.Stride.milliseconds(3) == 0)
    #expect(ImmediateTime.Stride.microseconds(3) == 0)
    #expect(ImmediateTime.Stride.nanoseconds(3) == 0)
  }

  @Test func `erased immediate schedulers exist for every queue type`() {
    var count = 0
    AnySchedulerOf<DispatchQueue>.immediate.schedule { count += 1 }
    AnySchedulerOf<OperationQueue>.immediate.schedule { count += 1 }
    AnySchedulerOf<RunLoop>.immediate.schedule { count += 1 }
    #expect(count == 3)
  }
}

extension ImmediateScheduler
where SchedulerTimeType == DispatchQueue.SchedulerTimeType, SchedulerOptions == DispatchQueue.SchedulerOptions {
  fileprivate static var immediate: Self { DispatchQueue.immediate }
}
