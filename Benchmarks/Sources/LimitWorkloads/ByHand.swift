import DequeModule
import Workloads

/// A closure that receives a value.
typealias Receiver = (Int) -> Void

/// Hides the body of a closure from the compiler: a handwritten chain costs one call for each of its parts, because the
/// parts come from different places.
@inline(never) @_optimize(none)
func opaque(_ receiver: @escaping Receiver) -> Receiver { receiver }

/// The chain of three operators that several workloads share.
func operators(to receiver: @escaping Receiver) -> Receiver {
  let last = opaque { receiver($0 &* 3) }
  let middle = opaque { if $0 & 1 == 0 { last($0) } }
  return opaque { middle($0 &+ 1) }
}

func increment(to receiver: @escaping Receiver) -> Receiver { opaque { receiver($0 &+ 1) } }

/// A variable that closures share, without exclusivity checks.
final class Variable<Value> {
  @exclusivity(unchecked) var value: Value

  init(_ value: Value) { self.value = value }
}

/// One to many: a lock around the list of receivers, which is not held while they run.
final class ListOfReceivers {
  private struct Entry {
    let number: Int
    let receiver: Receiver
  }

  private let lock = SpinLock()
  @exclusivity(unchecked) private var entries: [Entry] = []
  @exclusivity(unchecked) private var lastNumber = 0
  @exclusivity(unchecked) private var latest = 0

  func add(_ receiver: @escaping Receiver) -> Int {
    lock.withLock {
      lastNumber &+= 1
      entries.append(Entry(number: lastNumber, receiver: receiver))
      return lastNumber
    }
  }

  func remove(_ number: Int) {
    let removed: Entry? = lock.withLock {
      guard let index = entries.firstIndex(where: { $0.number == number }) else { return nil }
      return entries.remove(at: index)
    }
    _ = removed
  }

  @inline(never)
  func send(_ value: Int) {
    for entry in lock.withLock({ entries }) { entry.receiver(value) }
  }

  /// Sends the value and keeps it for receivers that are added later.
  @inline(never)
  func sendAndKeep(_ value: Int) {
    let receivers = lock.withLock {
      latest = value
      return entries
    }
    for entry in receivers { entry.receiver(value) }
  }
}

/// Many to one: one thread at a time passes values on; those that other threads bring meanwhile wait.
final class Serializer {
  private let lock = SpinLock()
  @exclusivity(unchecked) private var isDelivering = false
  @exclusivity(unchecked) private var waiting = Deque<Int>()
  private let receiver: Receiver

  init(_ receiver: @escaping Receiver) { self.receiver = receiver }

  func receive(_ value: Int) {
    let isMine = lock.withLock {
      if isDelivering {
        waiting.append(value)
        return false
      }
      isDelivering = true
      return true
    }
    guard isMine else { return }
    receiver(value)
    while let next = next() { receiver(next) }
  }

  private func next() -> Int? {
    lock.withLock {
      if let next = waiting.popFirst() { return next }
      isDelivering = false
      return nil
    }
  }
}

/// Pairs of the values of two sources: surplus values of either wait in a queue.
final class Pairs {
  private let lock = SpinLock()
  @exclusivity(unchecked) private var left = Deque<Int>()
  @exclusivity(unchecked) private var right = Deque<Int>()
  private let receiver: (Int, Int) -> Void

  init(_ receiver: @escaping (Int, Int) -> Void) { self.receiver = receiver }

  func receiveLeft(_ value: Int) {
    let pair: (Int, Int)? = lock.withLock {
      if let other = right.popFirst() { return (value, other) }
      left.append(value)
      return nil
    }
    if let pair { receiver(pair.0, pair.1) }
  }

  func receiveRight(_ value: Int) {
    let pair: (Int, Int)? = lock.withLock {
      if let other = left.popFirst() { return (other, value) }
      right.append(value)
      return nil
    }
    if let pair { receiver(pair.0, pair.1) }
  }
}

/// The latest values of two sources.
final class Latest {
  private let lock = SpinLock()
  @exclusivity(unchecked) private var left: Int?
  @exclusivity(unchecked) private var right: Int?
  private let receiver: (Int, Int) -> Void

  init(_ receiver: @escaping (Int, Int) -> Void) { self.receiver = receiver }

  func receiveLeft(_ value: Int) {
    let pair: (Int, Int)? = lock.withLock {
      left = value
      return right.map { (value, $0) }
    }
    if let pair { receiver(pair.0, pair.1) }
  }

  func receiveRight(_ value: Int) {
    let pair: (Int, Int)? = lock.withLock {
      right = value
      return left.map { ($0, value) }
    }
    if let pair { receiver(pair.0, pair.1) }
  }
}

/// Hands values over to a queue or an actor: a value is appended to the waiting ones, and only the first has to
/// schedule a delivery.
final class HandOver: @unchecked Sendable {
  private let lock = SpinLock()
  @exclusivity(unchecked) private var isScheduled = false
  @exclusivity(unchecked) private var waiting: [Int] = []
  private let receiver: Receiver
  private let schedule: (@escaping @Sendable () -> Void) -> Void

  /// - Parameter schedule: A closure that schedules work where values are to be delivered.
  init(_ receiver: @escaping Receiver, schedule: @escaping (@escaping @Sendable () -> Void) -> Void) {
    self.receiver = receiver
    self.schedule = schedule
  }

  func receive(_ value: Int) {
    let isFirst = lock.withLock {
      waiting.append(value)
      defer { isScheduled = true }
      return !isScheduled
    }
    if isFirst { schedule { self.deliver() } }
  }

  /// Delivers the waiting values.
  func deliver() {
    var taken: [Int] = []
    while true {
      taken.removeAll(keepingCapacity: true)
      lock.withLock {
        swap(&waiting, &taken)
        if taken.isEmpty { isScheduled = false }
      }
      if taken.isEmpty { return }
      for value in taken { receiver(value) }
    }
  }
}

/// Keeps the latest value until none has arrived for a second. A timer that fires too early is set again.
final class Debouncer {
  private let lock = SpinLock()
  private let time: VirtualTime
  @exclusivity(unchecked) private var value: Int?
  @exclusivity(unchecked) private var dueDate = 0
  @exclusivity(unchecked) private var isArmed = false
  private let receiver: Receiver

  init(_ time: VirtualTime, _ receiver: @escaping Receiver) {
    self.time = time
    self.receiver = receiver
  }

  func receive(_ value: Int) {
    let date = time.now &+ 1_000
    let mustArm = lock.withLock {
      self.value = value
      dueDate = date
      defer { isArmed = true }
      return !isArmed
    }
    if mustArm { time.schedule(at: date) { self.fire() } }
  }

  private func fire() {
    let now = time.now
    let settled: Int? = lock.withLock {
      guard dueDate <= now else { return nil }
      isArmed = false
      return value.take()
    }
    if let settled { receiver(settled) } else { time.schedule(at: lock.withLock { dueDate }) { self.fire() } }
  }
}

/// Delivers the values of each second together.
final class Collector {
  private let lock = SpinLock()
  private let time: VirtualTime
  @exclusivity(unchecked) private var values: [Int] = []
  private let receiver: ([Int]) -> Void

  init(_ time: VirtualTime, _ receiver: @escaping ([Int]) -> Void) {
    self.time = time
    self.receiver = receiver
  }

  func receive(_ value: Int) {
    let isFirst = lock.withLock {
      values.append(value)
      return values.count == 1
    }
    if isFirst { time.schedule(at: time.now &+ 1_000) { self.fire() } }
  }

  private func fire() {
    let collected = lock.withLock {
      let collected = values
      values = []
      return collected
    }
    receiver(collected)
  }
}

/// Delivers each value ten milliseconds later: waiting values are in a queue, and a single timer is set for the first
/// of them.
final class Delay {
  private let lock = SpinLock()
  private let time: VirtualTime
  @exclusivity(unchecked) private var waiting = Deque<(date: Int, value: Int)>()
  private let receiver: Receiver

  init(_ time: VirtualTime, _ receiver: @escaping Receiver) {
    self.time = time
    self.receiver = receiver
  }

  func receive(_ value: Int) {
    let date = time.now &+ 10
    let isFirst = lock.withLock {
      waiting.append((date, value))
      return waiting.count == 1
    }
    if isFirst { time.schedule(at: date) { self.fire() } }
  }

  private func fire() {
    let now = time.now
    while let value = lock.withLock({ waiting.first.map { $0.date <= now } == true ? waiting.popFirst()?.value : nil })
    {
      receiver(value)
    }
    if let nextDate = lock.withLock({ waiting.first?.date }) { time.schedule(at: nextDate) { self.fire() } }
  }
}

/// A queue from which one task takes numbers, until it receives `nil`.
final class AwaitedQueue: @unchecked Sendable {
  private let lock = SpinLock()
  @exclusivity(unchecked) private var numbers = Deque<Int?>()
  @exclusivity(unchecked) private var waiter: UnsafeContinuation<Int?, Never>?

  func send(_ number: Int?) {
    let task: UnsafeContinuation<Int?, Never>? = lock.withLock {
      if waiter == nil { numbers.append(number) }
      return waiter.take()
    }
    task?.resume(returning: number)
  }

  @inline(never)
  func next() async -> Int? {
    if let number = lock.withLock({ numbers.popFirst() }) { return number }
    return await withUnsafeContinuation { continuation in lock.withLock { waiter = continuation } }
  }
}

/// The numbers from zero on, returned by an asynchronous function.
final class Numbers {
  @exclusivity(unchecked) private var number = 0
  private let end: Int

  init(end: Int) { self.end = end }

  @inline(never)
  func next() async -> Int? {
    if number == end { return nil }
    defer { number += 1 }
    return number
  }
}

/// An actor that adds numbers and runs closures.
actor Owner {
  func add(_ number: Int, to sum: Sum) { sum.add(number) }

  func run(_ work: @Sendable () -> Void) { work() }
}
