import Foundation
import StreamSchedulers
import Streams

/// Something to measure: does its work so many times and returns a number that depends on all of it.
struct Workload: Sendable {
  let run: @Sendable (Int) -> Int

  static let all: [String: Workload] = [
    "sequence": Workload { count in
      let sum = Sum()
      let cancellable = operators((0..<count).publisher).sink { sum.add($0) }
      cancellable.cancel()
      return sum.value
    },
    "subject": Workload { count in subject(count, subscribers: 1) },
    "subject-10": Workload { count in subject(count, subscribers: 10) },
    "current-value": Workload { count in
      let sum = Sum()
      let subject = CurrentValueSubject<Int, Never>(0)
      let cancellable = subject.sink { sum.add($0) }
      for value in 0..<count { subject.send(value) }
      cancellable.cancel()
      return sum.value
    },
    "erased-maps": Workload { count in
      let sum = Sum()
      let subject = PassthroughSubject<Int, Never>()
      let cancellable =
        subject
        .map { $0 &+ 10 }.eraseToAnyPublisher()
        .map { $0 &+ 20 }.eraseToAnyPublisher()
        .map { $0 &+ 30 }.eraseToAnyPublisher()
        .map { $0 &+ 40 }.eraseToAnyPublisher()
        .map { $0 &+ 50 }.eraseToAnyPublisher()
        .sink { sum.add($0) }
      for value in 0..<count { subject.send(value) }
      cancellable.cancel()
      return sum.value
    },
    // One element is one value of an inner publisher of 1,000.
    "flat-map": Workload { count in
      let sum = Sum()
      let cancellable = (0..<count / 1_000).publisher
        .flatMap { outer in (0..<1_000).publisher.map { $0 &+ outer } }
        .sink { sum.add($0) }
      cancellable.cancel()
      return sum.value
    },
    "flat-map-just": Workload { count in
      let sum = Sum()
      let cancellable = (0..<count).publisher.flatMap { Just($0) }.sink { sum.add($0) }
      cancellable.cancel()
      return sum.value
    },
    "merge-8": Workload { count in
      let sum = Sum()
      let subjects = (0..<8).map { _ in PassthroughSubject<Int, Never>() }
      let cancellable = subjects[0]
        .merge(with: subjects[1], subjects[2], subjects[3], subjects[4], subjects[5], subjects[6], subjects[7])
        .sink { sum.add($0) }
      for value in 0..<count { subjects[value & 7].send(value) }
      cancellable.cancel()
      return sum.value
    },
    // One element is one pair.
    "zip": Workload { count in
      let sum = Sum()
      let (left, right) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
      let cancellable = left.zip(right).sink { sum.add($0.0 &+ $0.1) }
      for value in 0..<count {
        left.send(value)
        right.send(value)
      }
      cancellable.cancel()
      return sum.value
    },
    "combine-latest": Workload { count in
      let sum = Sum()
      let (left, right) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
      let cancellable = left.combineLatest(right).sink { sum.add($0.0 &+ $0.1) }
      right.send(0)
      for value in 0..<count { left.send(value) }
      cancellable.cancel()
      return sum.value
    },
    "share-10": Workload { count in
      let sum = Sum()
      let subject = PassthroughSubject<Int, Never>()
      let shared = subject.map { $0 &+ 1 }.share()
      let cancellables = (0..<10).map { _ in shared.sink { sum.add($0) } }
      for value in 0..<count { subject.send(value) }
      for cancellable in cancellables { cancellable.cancel() }
      return sum.value
    },
    "scan": Workload { count in
      let sum = Sum()
      let cancellable = (0..<count).publisher.scan(0) { $0 &+ $1 }.sink { sum.add($0) }
      cancellable.cancel()
      return sum.value
    },
    "remove-duplicates": Workload { count in
      let sum = Sum()
      let cancellable = (0..<count).publisher.removeDuplicates().sink { sum.add($0) }
      cancellable.cancel()
      return sum.value
    },
    "prefix": Workload { count in
      let sum = Sum()
      let cancellable = (0..<Int.max).publisher.prefix(count + 1).sink { sum.add($0) }
      cancellable.cancel()
      return sum.value
    },
    "subscribe-cancel": Workload { count in
      let sum = Sum()
      let subject = PassthroughSubject<Int, Never>()
      for _ in 0..<count { operators(subject).sink { sum.add($0) }.cancel() }
      return sum.value
    },
    "receive-on-immediate": Workload { count in
      let sum = Sum()
      let cancellable = (0..<count).publisher.receive(on: DispatchQueue.immediate).sink { sum.add($0) }
      cancellable.cancel()
      return sum.value
    },
    "test-scheduler": Workload { count in
      let sum = Sum()
      let scheduler = DispatchQueue.test
      let start = scheduler.now
      for number in 0..<count {
        scheduler.schedule(after: start.advanced(by: .milliseconds((number &* 7_919) % 100_003))) { sum.add(1) }
      }
      scheduler.run()
      return sum.value
    },
    // One element is one tick of one of 1,000 timers.
    "test-scheduler-timers": Workload { count in
      let sum = Sum()
      let scheduler = DispatchQueue.test
      let timers = (0..<1_000).map { number in
        scheduler.schedule(after: scheduler.now.advanced(by: .milliseconds(number + 1)), interval: .milliseconds(1_000))
        {
          sum.add(1)
        }
      }
      scheduler.advance(by: .milliseconds(count))
      for timer in timers { timer.cancel() }
      return sum.value
    },
    "schedule-cancel": Workload { count in
      let scheduler = DispatchQueue.test
      let date = scheduler.now.advanced(by: .seconds(1))
      let armed = (0..<count).map { _ in
        scheduler.scheduleOnce(after: date, tolerance: .zero, options: nil) {}
      }
      for cancellable in armed { cancellable.cancel() }
      return scheduler.pendingCount
    },
    "debounce": Workload { count in
      let sum = Sum()
      let scheduler = DispatchQueue.test
      let subject = PassthroughSubject<Int, Never>()
      let cancellable = subject.debounce(for: .seconds(1), scheduler: scheduler).sink { sum.add($0) }
      for value in 0..<count { subject.send(value) }
      scheduler.run()
      cancellable.cancel()
      return sum.value
    },
    "delay": Workload { count in
      let sum = Sum()
      let scheduler = DispatchQueue.test
      let subject = PassthroughSubject<Int, Never>()
      let cancellable = subject.delay(for: .seconds(1), scheduler: scheduler).sink { sum.add($0) }
      for value in 0..<count {
        subject.send(value)
        scheduler.advance(by: .milliseconds(1))
      }
      scheduler.run()
      cancellable.cancel()
      return sum.value
    },
  ]
}

/// The chain of three operators that several workloads share.
@inline(__always)
func operators<P: Publisher<Int, Never>>(_ publisher: P)
  -> Publishers.Map<Publishers.Filter<Publishers.Map<P, Int>>, Int>
{
  publisher.map { $0 &+ 1 }.filter { $0 & 1 == 0 }.map { $0 &* 3 }
}

private func subject(_ count: Int, subscribers: Int) -> Int {
  let sum = Sum()
  let subject = PassthroughSubject<Int, Never>()
  let cancellables = (0..<subscribers).map { _ in operators(subject).sink { sum.add($0) } }
  for value in 0..<count { subject.send(value) }
  for cancellable in cancellables { cancellable.cancel() }
  return sum.value
}

/// Adds up what arrives, without an exclusivity check in the way of what is measured.
final class Sum {
  @exclusivity(unchecked) private(set) var value = 0

  @inline(__always)
  func add(_ number: Int) { value &+= number }
}

/// Ends the program as one that was called wrongly.
func exitWithUsage() -> Never { exit(2) }
