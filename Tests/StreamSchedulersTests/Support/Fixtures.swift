import StreamSchedulers
import Streams

extension TestScheduler<VirtualTimeType, Never> {
  /// A scheduler at 0.
  convenience init() { self.init(now: 0) }

  func after(_ date: VirtualTimeType, _ action: @escaping () -> Void) { schedule(after: date, action) }

  func once(_ date: VirtualTimeType, _ action: @escaping () -> Void) -> any Cancellable {
    scheduleOnce(after: date, tolerance: minimumTolerance, options: nil, action)
  }
}

/// Calls a closure when it is released.
final class OnDeinit {
  let action: () -> Void

  init(_ action: @escaping () -> Void) { self.action = action }

  deinit { action() }

  func touch() {}
}

/// The messages of the issues that work reports.
func messages(_ body: () -> Void) -> [String] { withIssueCapture(body).issues.map(\.message) }

/// Retains timers, which stop when they are released.
final class Timers {
  private var all: [any Cancellable] = []

  var next: any Cancellable {
    get { all[all.count - 1] }
    set { all.append(newValue) }
  }
}

struct TestFailure: Error, Equatable {}

final class Box<Value>: @unchecked Sendable {
  var value: Value
  init(_ value: Value) { self.value = value }
}
