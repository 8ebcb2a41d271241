package import Dispatch
internal import Foundation
package import StreamSchedulers
package import Streams
package import Testing

/// A list that any thread may append to and that a test can await.
package final class Log<Element: Sendable>: @unchecked Sendable {
  package init() {}

  private let lock = NSLock()
  private var elements: [Element] = []
  private var waiters: [(count: Int, resume: () -> Void)] = []

  package var all: [Element] { lock.withLock { elements } }

  package func append(_ element: Element) {
    let due = lock.withLock {
      elements.append(element)
      defer { waiters.removeAll { $0.count <= elements.count } }
      return waiters.filter { $0.count <= elements.count }
    }
    for waiter in due { waiter.resume() }
  }

  /// Waits until there are `count` elements, and returns the first `count`.
  package func first(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) async -> [Element] {
    await withCheckedContinuation { continuation in
      let once = OnlyOnce { continuation.resume() }
      let isThere = lock.withLock {
        if elements.count < count { waiters.append((count, once.run)) }
        return elements.count >= count
      }
      if isThere { return once.run() }
      DispatchQueue.global().asyncAfter(deadline: .hang) { once.run() }
    }
    let found = all
    #expect(found.count >= count, "gave up waiting", sourceLocation: sourceLocation)
    return Array(found.prefix(count))
  }
}

package final class OnlyOnce: @unchecked Sendable {
  private let lock = NSLock()
  private var action: (() -> Void)?

  package init(_ action: @escaping () -> Void) { self.action = action }

  @Sendable
  package func run() { lock.withLock { action.take() }?() }
}

/// Something whose end can be observed.
package final class Token: Sendable {
  package init() {}

  package func touch() {}
}

/// A scheduler whose time is advanced by hand.
package final class HandClock: Scheduler, @unchecked Sendable {
  package init() {}

  package typealias SchedulerTimeType = DispatchQueue.SchedulerTimeType
  package typealias SchedulerOptions = Never

  private struct Entry {
    let id: Int
    var date: SchedulerTimeType
    let interval: SchedulerTimeType.Stride?
    let action: () -> Void
  }

  private let lock = NSLock()
  private var moment = SchedulerTimeType(DispatchTime(uptimeNanoseconds: 1))
  private var entries: [Entry] = []
  private var count = 0

  package let armed = Log<Int>()

  package var now: SchedulerTimeType { lock.withLock { moment } }
  package var minimumTolerance: SchedulerTimeType.Stride { .zero }
  package var pendingCount: Int { lock.withLock { entries.count } }

  package func advance(by stride: SchedulerTimeType.Stride) {
    let target = now.advanced(by: stride)
    while let action = next(until: target) { action() }
    lock.withLock { moment = target }
  }

  private func next(until target: SchedulerTimeType) -> (() -> Void)? {
    lock.withLock {
      guard let index = entries.indices.min(by: { entries[$0].date < entries[$1].date }),
        entries[index].date <= target
      else { return nil }
      let entry = entries[index]
      moment = max(moment, entry.date)
      if let interval = entry.interval {
        entries[index].date = entry.date.advanced(by: interval)
      } else {
        entries.remove(at: index)
      }
      return entry.action
    }
  }

  package func schedule(options: Never?, _ action: @escaping () -> Void) {
    _ = add(now, nil, action)
  }

  package func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: Never?, _ action: @escaping () -> Void
  ) {
    _ = add(date, nil, action)
  }

  package func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: Never?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    add(date, interval, action)
  }

  package func scheduleOnce(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: Never?, _ action: @escaping () -> Void
  ) -> any Cancellable & AnyObject {
    add(date, nil, action)
  }

  private func add(
    _ date: SchedulerTimeType, _ interval: SchedulerTimeType.Stride?, _ action: @escaping () -> Void
  ) -> any Cancellable & AnyObject {
    let id = lock.withLock {
      count += 1
      entries.append(Entry(id: count, date: date, interval: interval, action: action))
      return count
    }
    armed.append(id)
    return CancelOnly { [self] in lock.withLock { entries.removeAll { $0.id == id } } }
  }
}

/// Calls a closure on cancellation, but not when it is released.
private final class CancelOnly: Cancellable {
  private let action: () -> Void

  init(_ action: @escaping () -> Void) { self.action = action }

  func cancel() { action() }
}
