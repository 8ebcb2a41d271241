import Dispatch
import Foundation
import StreamFoundation
import StreamSchedulers
import Streams
import Testing

@Suite
struct UnimplementedSchedulerTests {
  @Test func `every use is reported with the name and the call, and work still runs`() {
    var count = 0
    let scheduler = DispatchQueue.unimplemented("search")
    let date = DispatchQueue.immediate.now
    let (_, issues) = IssueReporter.withCapture {
      _ = scheduler.now
      _ = scheduler.minimumTolerance
      scheduler.schedule { count += 1 }
      scheduler.schedule(after: date, tolerance: .zero, options: nil) { count += 1 }
      scheduler.schedule(after: date, interval: 1, tolerance: .zero, options: nil) { count += 1 }.cancel()
      scheduler.scheduleOnce(after: date, tolerance: .zero, options: nil) { count += 1 }.cancel()
    }
    #expect(count == 4)
    #expect(
      issues.map(\.message) == [
        "The unimplemented scheduler 'search': 'now' was read.",
        "The unimplemented scheduler 'search': 'minimumTolerance' was read.",
        "The unimplemented scheduler 'search': 'schedule(options:_:)' was called.",
        "The unimplemented scheduler 'search': 'schedule(after:tolerance:options:_:)' was called.",
        "The unimplemented scheduler 'search': 'schedule(after:interval:tolerance:options:_:)' was called.",
        "The unimplemented scheduler 'search': 'scheduleOnce(after:tolerance:options:_:)' was called.",
      ])
  }

  @Test func `uses are reported at the line that created the scheduler`() {
    let line: UInt = #line
    let (_, issues) = IssueReporter.withCapture {
      DispatchQueue.unimplemented("one").schedule {}
      AnySchedulerOf<RunLoop>.unimplemented("two").schedule {}
      UnimplementedScheduler<ImmediateTime, Never>("three", now: ImmediateTime()).schedule {}
    }
    #expect(issues.map(\.line) == [line + 2, line + 3, line + 4])
    #expect(issues.allSatisfy { $0.fileID == #fileID && $0.filePath == #filePath })
  }

  @Test func `the default name is the name of the replaced scheduler`() {
    let (_, issues) = IssueReporter.withCapture {
      DispatchQueue.unimplemented.schedule {}
      OperationQueue.unimplemented.schedule {}
      RunLoop.unimplemented.schedule {}
      AnySchedulerOf<DispatchQueue>.unimplemented.schedule {}
      AnySchedulerOf<OperationQueue>.unimplemented.schedule {}
      AnySchedulerOf<RunLoop>.unimplemented.schedule {}
      UnimplementedSchedulerOf<DispatchQueue>(now: DispatchQueue.immediate.now).schedule {}
    }
    let names = ["DispatchQueue", "OperationQueue", "RunLoop"]
    #expect(
      issues.map(\.message)
        == (names + names).map { "The unimplemented scheduler '\($0)': 'schedule(options:_:)' was called." }
        + ["An unimplemented scheduler: 'schedule(options:_:)' was called."])
  }

  @Test func `creating one reports nothing`() {
    let (_, issues) = IssueReporter.withCapture { _ = AnySchedulerOf<DispatchQueue>.unimplemented }
    #expect(issues.isEmpty)
  }
}

extension UnimplementedSchedulerTests {
  @Test func `each kind of use is reported once across all copies`() {
    let scheduler = DispatchQueue.unimplemented("search")
    let copy = scheduler.eraseToAnyScheduler()
    var count = 0
    let (_, issues) = IssueReporter.withCapture {
      for _ in 0..<3 {
        _ = scheduler.now
        _ = copy.now
        scheduler.schedule { count += 1 }
        copy.schedule { count += 1 }
      }
    }
    #expect(count == 6)
    #expect(
      issues.map(\.message) == [
        "The unimplemented scheduler 'search': 'now' was read.",
        "The unimplemented scheduler 'search': 'schedule(options:_:)' was called.",
      ])
  }

  @Test func `each new scheduler reports separately`() {
    let (_, issues) = IssueReporter.withCapture {
      for _ in 0..<3 { DispatchQueue.unimplemented.schedule {} }
    }
    #expect(issues.count == 3)
  }

  @Test func `a model that uses time repeatedly is reported without duplicates`() {
    let (_, issues) = IssueReporter.withCapture {
      let scheduler = AnySchedulerOf<DispatchQueue>.unimplemented("model")
      let queries = PassthroughSubject<Int, Never>()
      let cancellable = queries.debounce(for: 1, scheduler: scheduler).sink { _ in }
      for number in 0..<10 { queries.send(number) }
      cancellable.cancel()
    }
    #expect(Set(issues.map(\.message)).count == issues.count)
  }
}
