import Combine
import Foundation

/// A scheduler whose time moves only when a test says so.
public final class TestScheduler<SchedulerTimeType, SchedulerOptions>: Scheduler
where SchedulerTimeType: Strideable, SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible {

  public let minimumTolerance: SchedulerTimeType.Stride = .zero
  public private(set) var now: SchedulerTimeType

  private var lastID: UInt = 0
  private var scheduled: [(id: UInt, date: SchedulerTimeType, action: () -> Void)] = []

  public init(now: SchedulerTimeType) {
    self.now = now
  }

  public func advance(by duration: SchedulerTimeType.Stride = .zero) {
    let end = now.advanced(by: duration)
    while let next = scheduled.min(by: { ($0.date, $0.id) < ($1.date, $1.id) }), next.date <= end {
      scheduled.removeAll { $0.id == next.id }
      now = Swift.max(now, next.date)
      next.action()
    }
    now = end
  }

  public func run() {
    while let date = scheduled.map(\.date).min() {
      advance(by: Swift.max(now.distance(to: date), .zero))
    }
  }

  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    append(at: now, action)
  }

  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    append(at: date, action)
  }

  public func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> Cancellable {
    lastID += 1
    let id = lastID

    func perform(at date: SchedulerTimeType) -> () -> Void {
      return { [weak self] in
        let next = date.advanced(by: interval)
        self?.scheduled.append((id, next, perform(at: next)))
        action()
      }
    }
    scheduled.append((id, date, perform(at: date)))

    return AnyCancellable { [weak self] in
      self?.scheduled.removeAll { $0.id == id }
    }
  }

  private func append(at date: SchedulerTimeType, _ action: @escaping () -> Void) {
    lastID += 1
    scheduled.append((lastID, date, action))
  }
}

public typealias TestSchedulerOf<S: Scheduler> = TestScheduler<S.SchedulerTimeType, S.SchedulerOptions>

extension DispatchQueue {
  static var test: TestSchedulerOf<DispatchQueue> {
    // `DispatchTime(uptimeNanoseconds: 0)` is `.now()`.
    .init(now: .init(.init(uptimeNanoseconds: 1)))
  }
}

extension OperationQueue {
  static var test: TestSchedulerOf<OperationQueue> {
    .init(now: .init(.init(timeIntervalSince1970: 0)))
  }
}

extension RunLoop {
  static var test: TestSchedulerOf<RunLoop> {
    .init(now: .init(.init(timeIntervalSince1970: 0)))
  }
}
