import Dispatch
import Foundation
import StreamAlgorithms
import Streams
import Synchronization
import Testing

/// Threads that send to one stream, while others subscribe to it, request and cancel. `STREAMS_STORM` is the number of values.
@Suite(.serialized, .optimized) struct StormTests {
  private static let count = ProcessInfo.processInfo.environment["STREAMS_STORM"].flatMap(Int.init) ?? 2_000_000

  enum Shape: CaseIterable {
    case subject, currentValue, merge, share, flatMap
  }

  /// A stream, and a function that sends to it as one of several threads.
  private func stream(_ shape: Shape, threads: Int) -> (stream: AnyPublisher<Int, Never>, send: (Int, Int) -> Void) {
    let subjects = (0..<threads).map { _ in PassthroughSubject<Int, Never>() }
    switch shape {
    case .subject: return (subjects[0].eraseToAnyPublisher(), { subjects[0].send($1) })
    case .currentValue:
      let subject = CurrentValueSubject<Int, Never>(-1)
      return (subject.filter { $0 >= 0 }.eraseToAnyPublisher(), { subject.send($1) })
    case .merge: return (subjects.merge().eraseToAnyPublisher(), { subjects[$0].send($1) })
    case .share: return (subjects[0].map { $0 }.share().eraseToAnyPublisher(), { subjects[0].send($1) })
    case .flatMap:
      let stream = (0..<threads).publisher.flatMap { subjects[$0] }
      return (stream.eraseToAnyPublisher(), { subjects[$0].send($1) })
    }
  }

  @Test(arguments: Shape.allCases, [4, 8])
  func `no value is lost, doubled or out of order`(shape: Shape, threads: Int) async {
    let each = Self.count / Shape.allCases.count / 2 / threads
    let (stream, send) = stream(shape, threads: threads)
    let order = ThreadOrder(threads)
    let cancellable = stream.sink(isolation: nil) { order.receive($0) }

    nonisolated(unsafe) let (publisher, sender) = (stream, send)
    let isOver = Atomic(false)
    let churn = Churn()
    await withCheckedContinuation { continuation in
      let (senders, others) = (DispatchGroup(), DispatchGroup())
      for thread in 0..<threads {
        Self.detach(senders) { for number in 0..<each { sender(thread, thread << 32 | number) } }
      }
      for _ in 0..<2 {
        Self.detach(others) { while !isOver.load(ordering: .acquiring) { churn.round(publisher, threads) } }
      }
      senders.notify(queue: .global()) {
        isOver.store(true, ordering: .releasing)
        others.notify(queue: .global()) { continuation.resume() }
      }
    }

    #expect(order.mistakes == 0)
    #expect(order.next == Array(repeating: each, count: threads))
    #expect(churn.mistakes.load(ordering: .relaxed) == 0)
    cancellable.cancel()
  }

  private static func detach(_ group: DispatchGroup, _ work: @escaping () -> Void) {
    nonisolated(unsafe) let work = work
    group.enter()
    Thread.detachNewThread {
      work()
      group.leave()
    }
  }
}

/// The numbers that each thread has sent.
///
/// It is deliberately not protected: signals to one subscriber are serial.
private final class ThreadOrder: @unchecked Sendable {
  private(set) var next: [Int]
  private(set) var mistakes = 0

  init(_ threads: Int) { next = Array(repeating: 0, count: threads) }

  func receive(_ value: Int) {
    let (thread, number) = (value >> 32, value & 0xffff_ffff)
    if number != next[thread] { mistakes += 1 }
    next[thread] = number + 1
  }
}

/// Subscribers that come, request a few values from two threads, and cancel.
private final class Churn: Sendable {
  let mistakes = Atomic(0)

  func round(_ publisher: AnyPublisher<Int, Never>, _ threads: Int) {
    let guest = Guest(threads)
    publisher.subscribe(guest)
    let helper = DispatchGroup()
    DispatchQueue.global().async(group: helper) { for _ in 0..<20 { guest.request(2) } }
    for _ in 0..<20 { guest.request(1) }
    if Bool.random() { helper.wait() }
    guest.cancel()
    helper.wait()
    if guest.hasMistaken { mistakes.add(1, ordering: .relaxed) }
  }
}

private final class Guest: Subscriber, @unchecked Sendable {
  // Unchecked: signals are serial, so that only the subscription needs a lock.
  private let lock = NSLock()
  private var subscription: (any Subscription)?
  private let requested = Atomic(0)
  private let received = Atomic(0)
  private let mistakes = Atomic(0)
  private var newest: [Int]

  init(_ threads: Int) { newest = Array(repeating: -1, count: threads) }

  var hasMistaken: Bool { mistakes.load(ordering: .acquiring) > 0 }

  func receive(subscription: any Subscription) { lock.withLock { self.subscription = subscription } }

  func receive(_ input: Int) -> Subscribers.Demand {
    let (thread, number) = (input >> 32, input & 0xffff_ffff)
    let count = received.add(1, ordering: .relaxed).newValue
    if number <= newest[thread] || count > requested.load(ordering: .relaxed) {
      mistakes.add(1, ordering: .releasing)
    }
    newest[thread] = number
    return .none
  }

  func receive(completion: Subscribers.Completion<Never>) {}

  func request(_ count: Int) {
    requested.add(count, ordering: .relaxed)
    lock.withLock { subscription }?.request(.max(count))
  }

  func cancel() { lock.withLock { subscription }?.cancel() }
}
