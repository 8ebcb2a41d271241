package import StreamSchedulers
package import Streams

extension TestScheduler<VirtualTimeType, Never> {
  /// A scheduler at 0.
  package convenience init() { self.init(now: 0) }

  package func after(_ date: VirtualTimeType, _ action: @escaping () -> Void) { schedule(after: date, action) }

  package func once(_ date: VirtualTimeType, _ action: @escaping () -> Void) -> any Cancellable {
    scheduleOnce(after: date, tolerance: minimumTolerance, options: nil, action)
  }
}

/// Calls a closure when it is released.
package final class OnDeinit {
  package let action: () -> Void

  package init(_ action: @escaping () -> Void) { self.action = action }

  deinit { action() }

  package func touch() {}
}

/// The messages of the issues that work reports.
package func messages(_ body: () -> Void) -> [String] { withIssueCapture(body).issues.map(\.message) }

/// Retains timers, which stop when they are released.
package final class Timers {
  package init() {}

  private var all: [any Cancellable] = []

  package var next: any Cancellable {
    get { all[all.count - 1] }
    set { all.append(newValue) }
  }
}

package struct TestFailure: Error, Equatable {
  package init() {}
}

package final class Box<Value>: @unchecked Sendable {
  package var value: Value
  package init(_ value: Value) { self.value = value }
}
