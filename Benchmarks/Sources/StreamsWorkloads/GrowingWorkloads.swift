import Dispatch
import Foundation
import StreamSchedulers
import Streams
import Workloads

extension StreamsWorkloads {
  /// Runs a workload at a size, and returns a number that depends on all of its work.
  package static func growing(_ workload: GrowingWorkload, _ count: Int) -> Int {
    switch workload {
    case .pendingActions: pendingActions(count)
    case .subscriptions: subscriptions(count)
    case .flatMapInners: flatMapInners(count)
    case .chainDepth: chainDepth(count)
    case .sleepingTasks: sleepingTasks(count)
    case .sleepingTasksWorld: sleepingTasksInWorld(count)
    }
  }

  private static func pendingActions(_ count: Int) -> Int {
    let sum = Sum()
    let scheduler = DispatchQueue.test
    scheduler.maximumActions = .max
    scheduler.maximumActionsPerInstant = .max
    let start = scheduler.now
    for number in 0..<count {
      scheduler.schedule(after: start.advanced(by: .milliseconds(scattered(number, count)))) { sum.add(1) }
    }
    scheduler.run()
    return sum.value
  }

  private static func subscriptions(_ count: Int) -> Int {
    let sum = Sum()
    let subject = PassthroughSubject<Int, Never>()
    var cancellables: [AnyCancellable?] = []
    cancellables.reserveCapacity(count)
    for _ in 0..<count { cancellables.append(subject.sink { sum.add($0) }) }
    subject.send(1)
    for number in 0..<count { cancellables[scattered(number, count)] = nil }
    return sum.value
  }

  private static func flatMapInners(_ count: Int) -> Int {
    let sum = Sum()
    let inners = (0..<count).map { _ in PassthroughSubject<Int, Never>() }
    let outer = PassthroughSubject<Int, Never>()
    let cancellable = outer.flatMap { inners[$0] }.sink { sum.add($0) }
    for number in 0..<count { outer.send(number) }
    for number in 0..<count { inners[scattered(number, count)].send(1) }
    for number in 0..<count { inners[scattered(number, count)].send(completion: .finished) }
    cancellable.cancel()
    return sum.value
  }

  /// A value passes through as many calls as the chain is long, so the thread has a stack that is large enough.
  private static func chainDepth(_ count: Int) -> Int {
    let sum = Sum()
    let finished = DispatchSemaphore(value: 0)
    let thread = Thread {
      // The chain has been released when this returns: the program may end before the thread does.
      passThroughChain(count, sum)
      finished.signal()
    }
    thread.stackSize = 1 << 33
    thread.start()
    finished.wait()
    return sum.value
  }

  @inline(never)
  private static func passThroughChain(_ count: Int, _ sum: Sum) {
    let subject = PassthroughSubject<Int, Never>()
    var chain = subject.eraseToAnyPublisher()
    for _ in 0..<count { chain = chain.map { $0 &+ 1 }.eraseToAnyPublisher() }
    let cancellable = chain.sink { sum.add($0) }
    subject.send(1)
    cancellable.cancel()
  }

  /// Maps a number below the count to another, so that the order of all of them has no pattern that data structures
  /// could exploit: multiplication by a prime that does not divide a power of ten is a permutation of them.
  static func scattered(_ number: Int, _ count: Int) -> Int { (number &* 7_919) % count }
}
