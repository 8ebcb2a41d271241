import Combine
import Foundation
import XCTest

/// A type-erasing wrapper for schedulers with the same time and options.
public struct AnyScheduler<SchedulerTimeType, SchedulerOptions>: Scheduler
where SchedulerTimeType: Strideable, SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible {

  private let _now: () -> SchedulerTimeType
  private let _minimumTolerance: () -> SchedulerTimeType.Stride
  private let _schedule: (SchedulerOptions?, @escaping () -> Void) -> Void
  private let _scheduleAfter:
    (SchedulerTimeType, SchedulerTimeType.Stride, SchedulerOptions?, @escaping () -> Void) -> Void
  private let _scheduleInterval:
    (
      SchedulerTimeType, SchedulerTimeType.Stride, SchedulerTimeType.Stride, SchedulerOptions?,
      @escaping () -> Void
    ) -> Cancellable

  public var now: SchedulerTimeType { _now() }
  public var minimumTolerance: SchedulerTimeType.Stride { _minimumTolerance() }

  public init<S: Scheduler>(_ scheduler: S)
  where S.SchedulerTimeType == SchedulerTimeType, S.SchedulerOptions == SchedulerOptions {
    _now = { scheduler.now }
    _minimumTolerance = { scheduler.minimumTolerance }
    _schedule = scheduler.schedule(options:_:)
    _scheduleAfter = scheduler.schedule(after:tolerance:options:_:)
    _scheduleInterval = scheduler.schedule(after:interval:tolerance:options:_:)
  }

  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    _schedule(options, action)
  }

  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    _scheduleAfter(date, tolerance, options, action)
  }

  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> Cancellable {
    _scheduleInterval(date, interval, tolerance, options, action)
  }
}

public typealias AnySchedulerOf<S: Scheduler> = AnyScheduler<S.SchedulerTimeType, S.SchedulerOptions>

extension Scheduler {
  public func eraseToAnyScheduler() -> AnyScheduler<SchedulerTimeType, SchedulerOptions> {
    AnyScheduler(self)
  }
}

extension AnyScheduler
where SchedulerTimeType == DispatchQueue.SchedulerTimeType, SchedulerOptions == DispatchQueue.SchedulerOptions {
  public static var main: Self { DispatchQueue.main.eraseToAnyScheduler() }

  public static func global(qos: DispatchQoS.QoSClass = .default) -> Self {
    DispatchQueue.global(qos: qos).eraseToAnyScheduler()
  }
}

extension AnyScheduler
where SchedulerTimeType == DispatchQueue.SchedulerTimeType, SchedulerOptions == DispatchQueue.SchedulerOptions {
  /// Runs everything where it is scheduled.
  static var immediate: Self {
    ImmediateOn<SchedulerTimeType, SchedulerOptions>(now: .init(.now())).eraseToAnyScheduler()
  }
}

private struct ImmediateOn<Time: Strideable, Options>: Scheduler where Time.Stride: SchedulerTimeIntervalConvertible {
  typealias SchedulerTimeType = Time
  typealias SchedulerOptions = Options
  let now: Time
  var minimumTolerance: Time.Stride { .zero }
  func schedule(options: Options?, _ action: @escaping () -> Void) { action() }
  func schedule(after date: Time, tolerance: Time.Stride, options: Options?, _ action: @escaping () -> Void) {
    action()
  }
  func schedule(
    after date: Time, interval: Time.Stride, tolerance: Time.Stride, options: Options?,
    _ action: @escaping () -> Void
  ) -> Cancellable {
    action()
    return AnyCancellable {}
  }
}

private struct Environment {
  var mainQueue: AnySchedulerOf<DispatchQueue> = .main
  var number: () -> AnyPublisher<Int, Never>
}

final class AnySchedulerTests: XCTestCase {
  private var cancellables: Set<AnyCancellable> = []

  func testErasedTestScheduler() {
    let scheduler = DispatchQueue.test
    let environment = Environment(
      mainQueue: scheduler.eraseToAnyScheduler(),
      number: { Just(42).eraseToAnyPublisher() })
    var output: Int?
    environment.number()
      .delay(for: .seconds(1), scheduler: environment.mainQueue)
      .sink { output = $0 }
      .store(in: &cancellables)
    scheduler.advance(by: 0.5)
    XCTAssertNil(output)
    scheduler.advance(by: 0.5)
    XCTAssertEqual(output, 42)
  }

  func testErasedMainQueue() {
    let environment = Environment(number: { Just(42).eraseToAnyPublisher() })
    let done = expectation(description: "delivered")
    environment.number()
      .receive(on: environment.mainQueue)
      .sink { _ in
        XCTAssertTrue(Thread.isMainThread)
        done.fulfill()
      }
      .store(in: &cancellables)
    wait(for: [done], timeout: 30)
  }

  func testImmediate() {
    var output = [Int]()
    [1, 2, 3].publisher
      .receive(on: AnySchedulerOf<DispatchQueue>.immediate)
      .sink { output.append($0) }
      .store(in: &cancellables)
    XCTAssertEqual(output, [1, 2, 3])
  }

  func testIntervalIsCancelled() {
    let scheduler = RunLoop.test
    var ticks = 0
    let erased = scheduler.eraseToAnyScheduler()
    let cancellable = erased.schedule(after: erased.now, interval: 1) { ticks += 1 }
    scheduler.advance(by: 3)
    XCTAssertEqual(ticks, 4)
    cancellable.cancel()
    scheduler.advance(by: 3)
    XCTAssertEqual(ticks, 4)
  }
}
