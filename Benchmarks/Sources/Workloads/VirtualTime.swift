import HeapModule

/// Virtual time by hand: a heap and a lock, and none of the conveniences that a test would need beyond them. It is the
/// limit with which a test scheduler is compared, and drives the timed operators of implementations that have no test
/// scheduler.
///
/// Dates are in milliseconds.
package final class VirtualTime: @unchecked Sendable {
  /// A scheduled action, which can be cancelled before it is due.
  package final class Entry {
    @exclusivity(unchecked) fileprivate var work: (() -> Void)?
    fileprivate let interval: Int
    private let owner: VirtualTime

    fileprivate init(_ owner: VirtualTime, interval: Int, _ work: @escaping () -> Void) {
      self.owner = owner
      self.interval = interval
      self.work = work
    }

    /// Cancels the action.
    package func cancel() { owner.cancel(self) }
  }

  private struct Action: Comparable {
    let date: Int
    /// Preserves the order of actions with the same date.
    let number: Int
    let work: () -> Void
    let entry: Entry?

    @inline(__always)
    static func < (left: Action, right: Action) -> Bool {
      left.date == right.date ? left.number < right.number : left.date < right.date
    }

    @inline(__always)
    static func == (left: Action, right: Action) -> Bool { left.number == right.number }
  }

  private let lock = SpinLock()
  @exclusivity(unchecked) private var heap = Heap<Action>()
  @exclusivity(unchecked) private var lastNumber = 0
  @exclusivity(unchecked) private var cancelledCount = 0
  @exclusivity(unchecked) private var date = 0

  package init() {}

  package var now: Int { lock.withLock { date } }

  package var pendingCount: Int { lock.withLock { heap.count - cancelledCount } }

  /// Runs the work once, at the date.
  package func schedule(at date: Int, _ work: @escaping () -> Void) {
    insert(date: date, entry: nil, work)
  }

  /// Runs the work once, at the date, unless it is cancelled before.
  package func scheduleOnce(at date: Int, _ work: @escaping () -> Void) -> Entry {
    let entry = Entry(self, interval: 0, work)
    insert(date: date, entry: entry, {})
    return entry
  }

  /// Runs the work at the date and then at every interval.
  package func schedule(at date: Int, interval: Int, _ work: @escaping () -> Void) -> Entry {
    let entry = Entry(self, interval: interval, work)
    insert(date: date, entry: entry, {})
    return entry
  }

  /// Advances time and runs the actions that become due.
  package func advance(by interval: Int) {
    let end = now + interval
    while runNext(until: end) {}
    lock.withLock { date = end }
  }

  /// Runs all actions.
  package func run() {
    while runNext(until: .max) {}
  }

  private func insert(date: Int, entry: Entry?, _ work: @escaping () -> Void) {
    lock.acquire()
    defer { lock.release() }
    lastNumber &+= 1
    heap.insert(Action(date: date, number: lastNumber, work: work, entry: entry))
  }

  private func runNext(until end: Int) -> Bool {
    guard let work = next(until: end) else { return false }
    work()
    return true
  }

  private func next(until end: Int) -> (() -> Void)? {
    lock.acquire()
    defer { lock.release() }
    guard let action = heap.min, action.date <= end else { return nil }
    date = action.date
    guard let entry = action.entry else {
      heap.removeMin()
      return action.work
    }
    guard let work = entry.work else {
      heap.removeMin()
      cancelledCount &-= 1
      return action.work
    }
    if entry.interval > 0 {
      lastNumber &+= 1
      heap.replaceMin(
        with: Action(date: action.date &+ entry.interval, number: lastNumber, work: action.work, entry: entry))
    } else {
      heap.removeMin()
      entry.work = nil
    }
    return work
  }

  /// Cancels an action. Cancelled actions stay in the heap until they make up half of it, so that cancelling one costs
  /// the same at any size.
  private func cancel(_ entry: Entry) {
    lock.acquire()
    // Destroyed after the lock is released: it may hold objects whose `deinit` runs code.
    let work = entry.work.take()
    if work != nil {
      cancelledCount &+= 1
      if cancelledCount &* 2 > heap.count {
        heap = Heap(heap.unordered.filter { $0.entry.map { $0.work != nil } ?? true })
        cancelledCount = 0
      }
    }
    lock.release()
    _ = consume work
  }
}
