import Dispatch
import Foundation
import StreamSchedulers
import Streams
import Testing

/// A list that any thread may append to and that a test can await.
final class Log<Element: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var elements: [Element] = []
  private var waiters: [(count: Int, resume: () -> Void)] = []

  var all: [Element] { lock.withLock { elements } }

  func append(_ element: Element) {
    let due = lock.withLock {
      elements.append(element)
      defer { waiters.removeAll { $0.count <= elements.count } }
      return waiters.filter { $0.count <= elements.count }
    }
    for waiter in due { waiter.resume() }
  }

  /// Waits until there are `count` elements, and returns the first `count`.
  func first(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) async -> [Element] {
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

final class OnlyOnce: @unchecked Sendable {
  private let lock = NSLock()
  private var action: (() -> Void)?

  init(_ action: @escaping () -> Void) { self.action = action }

  @Sendable
  func run() { lock.withLock { action.take() }?() }
}

/// Something whose end can be observed.
final class Token: Sendable {
  func touch() {}
}

/// A scheduler whose time is advanced by hand.
final class HandClock: Scheduler, @unchecked Sendable {
  typealias SchedulerTimeType = DispatchQueue.SchedulerTimeType
  typealias SchedulerOptions = Never

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

  let armed = Log<Int>()

  var now: SchedulerTimeType { lock.withLock { moment } }
  var minimumTolerance: SchedulerTimeType.Stride { .zero }
  var pendingCount: Int { lock.withLock { entries.count } }

  func advance(by stride: SchedulerTimeType.Stride) {
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

  func schedule(options: Never?, _ action: @escaping () -> Void) {
    _ = add(now, nil, action)
  }

  func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: Never?, _ action: @escaping () -> Void
  ) {
    _ = add(date, nil, action)
  }

  func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: Never?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    add(date, interval, action)
  }

  func scheduleOnce(
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
