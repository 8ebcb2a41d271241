import Dispatch
import Foundation
import Streams
import Synchronization
import Testing

/// Threads that send at the same time. Each delivery waits until another thread has sent a value, so there is always
/// one that could take over the delivery.
///
/// Counts the values that a thread delivers within one of its own sends.
private final class Storm: Sendable {
  /// Enough for a dozen offers: on a busy machine, the threads that could accept one are not running at each.
  static let deliveries = 750

  private struct State {
    /// The number of values that each thread has delivered since it last began to send.
    var counts: [ObjectIdentifier: Int] = [:]
    var longest = 0
    var total = 0
  }

  private let sent = Atomic(0)
  private let isOver = Atomic(false)
  private let state = Mutex(State())

  /// Counts a value; called by the sink.
  func deliver() {
    let hasEnded = state.withLock { state in
      state.total += 1
      let count = state.counts[ObjectIdentifier(Thread.current), default: 0] + 1
      state.counts[ObjectIdentifier(Thread.current)] = count
      if state.total <= Self.deliveries { state.longest = max(state.longest, count) }
      return state.total >= Self.deliveries
    }
    if hasEnded { isOver.store(true, ordering: .releasing) }
    let before = sent.load(ordering: .acquiring)
    while sent.load(ordering: .acquiring) == before, !isOver.load(ordering: .acquiring) { sched_yield() }
  }

  /// Lets threads send until enough is delivered, and returns the most values that one has delivered in one send.
  func run(threads count: Int = 3, send: @escaping (_ thread: Int) -> Void) async -> Int {
    nonisolated(unsafe) let send = send
    await withCheckedContinuation { continuation in
      let group = DispatchGroup()
      for number in 0..<count {
        group.enter()
        Thread.detachNewThread { [self] in
          while !isOver.load(ordering: .acquiring) {
            state.withLock { $0.counts[ObjectIdentifier(Thread.current)] = 0 }
            sent.add(1, ordering: .acquiringAndReleasing)
            send(number)
          }
          group.leave()
        }
      }
      group.notify(queue: .global()) { continuation.resume() }
    }
    return state.withLock { $0.longest }
  }
}

/// A thread that delivers for others hands that role on, so that it can return to its own work.
///
/// The suite is only in this package: in a debug build, its threads keep each other busy for a long time.
@Suite(.serialized) struct HandoverRaces {
  /// A limit of several turns of 64 values, because the other threads may not be running when a turn is offered.
  private let limit = 500
  private let storm = Storm()

  @Test func `no thread delivers the values of a subject indefinitely`() async {
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject.sink { [storm] _ in storm.deliver() }

    #expect(await storm.run { subject.send($0) } <= limit)
    cancellable.cancel()
  }

  @Test func `no thread delivers the values of a current value subject indefinitely`() async {
    let subject = CurrentValueSubject<Int, Never>(0)
    let cancellable = subject.dropFirst().sink { [storm] _ in storm.deliver() }

    #expect(await storm.run { subject.send($0) } <= limit)
    cancellable.cancel()
  }

  @Test func `no thread delivers the values of a merge indefinitely`() async {
    let subjects = (0..<3).map { _ in PassthroughSubject<Int, Never>() }
    let cancellable = Publishers.MergeMany(subjects).sink { [storm] _ in storm.deliver() }

    #expect(await storm.run { subjects[$0].send($0) } <= limit)
    cancellable.cancel()
  }

  @Test func `no thread delivers the values of a flatMap indefinitely`() async {
    let subjects = (0..<3).map { _ in PassthroughSubject<Int, Never>() }
    let cancellable = subjects.publisher.flatMap { $0 }.sink { [storm] _ in storm.deliver() }

    #expect(await storm.run { subjects[$0].send($0) } <= limit)
    cancellable.cancel()
  }

  @Test func `no thread delivers the values of a share indefinitely`() async {
    let subjects = (0..<3).map { _ in PassthroughSubject<Int, Never>() }
    let share = Publishers.MergeMany(subjects).share()
    let cancellables = [share.sink { [storm] _ in storm.deliver() }, share.sink { _ in }]

    #expect(await storm.run { subjects[$0].send($0) } <= limit)
    for cancellable in cancellables { cancellable.cancel() }
  }

  @Test func `a slow new subscriber does not block the subscribing thread indefinitely`() async {
    let subject = CurrentValueSubject<Int, Never>(0)
    let sent = Atomic(0)
    let isOver = Atomic(false)
    let (own, total) = await withCheckedContinuation { continuation in
      nonisolated(unsafe) var own = 0
      nonisolated(unsafe) var total = 0
      let enough = DispatchSemaphore(value: 0)
      let group = DispatchGroup()
      for number in 0..<2 {
        group.enter()
        Thread.detachNewThread {
          while !isOver.load(ordering: .acquiring) {
            sent.add(1, ordering: .acquiringAndReleasing)
            subject.send(number)
          }
          group.leave()
        }
      }
      group.enter()
      Thread.detachNewThread {
        let thread = Thread.current
        let cancellable = subject.sink { _ in
          if Thread.current === thread { own += 1 }
          total += 1
          if total == Storm.deliveries {
            isOver.store(true, ordering: .releasing)
            enough.signal()
          }
          let before = sent.load(ordering: .acquiring)
          while sent.load(ordering: .acquiring) == before, !isOver.load(ordering: .acquiring) { sched_yield() }
        }
        enough.wait()
        cancellable.cancel()
        group.leave()
      }
      group.notify(queue: .global()) { continuation.resume(returning: (own, total)) }
    }

    #expect(total >= Storm.deliveries)
    #expect(own <= limit)
  }

  @Test func `the subscribing thread does not produce the values of a sequence indefinitely`() async {
    let own = await withCheckedContinuation { continuation in
      let subscriber = RequestingElsewhere()
      Thread.detachNewThread {
        subscriber.thread = Thread.current
        (0...).publisher.subscribe(subscriber)
      }
      subscriber.onEnd = { continuation.resume(returning: $0) }
    }

    #expect(own <= limit)
  }

  @Test func `values are delivered in order when no other thread takes over`() {
    let subject = PassthroughSubject<Int, Never>()
    var received: [Int] = []
    let cancellable = subject.sink { value in
      received.append(value)
      if value == 0 { for number in 1...10_000 { subject.send(number) } }
    }
    subject.send(0)

    #expect(received == Array(0...10_000))
    cancellable.cancel()
  }

  @Test func `handing delivery over between threads loses no value, and deliveries never overlap`() async {
    let subject = PassthroughSubject<Int, Never>()
    let witness = Witness<Int, Never>()
    subject.subscribe(witness)
    await withCheckedContinuation { continuation in
      let group = DispatchGroup()
      for thread in 0..<4 {
        group.enter()
        Thread.detachNewThread {
          for number in 0..<20_000 { subject.send(thread * 100_000 + number) }
          group.leave()
        }
      }
      group.notify(queue: .global()) { continuation.resume() }
    }

    #expect(!witness.hasOverlapped)
    for thread in 0..<4 {
      let values = witness.received.filter { $0 / 100_000 == thread }
      #expect(values == (0..<20_000).map { thread * 100_000 + $0 })
    }
  }
}

/// Requests values one at a time on a thread of its own, and counts those delivered on the subscribing thread.
private final class RequestingElsewhere: Subscriber, @unchecked Sendable {
  // Unchecked: the fields are set before the first value, and used by one delivery at a time.
  var thread: Thread?
  var onEnd: (Int) -> Void = { _ in }
  private var own = 0
  private var total = 0
  private let requested = Atomic(0)
  private let isOver = Atomic(false)

  func receive(subscription: any Subscription) {
    nonisolated(unsafe) let subscription = subscription
    Thread.detachNewThread { [self] in
      while !isOver.load(ordering: .acquiring) {
        requested.add(1, ordering: .acquiringAndReleasing)
        subscription.request(.max(1))
      }
      subscription.cancel()
      onEnd(own)
    }
    subscription.request(.max(1))
  }

  func receive(_ input: Int) -> Subscribers.Demand {
    total += 1
    if total >= Storm.deliveries { isOver.store(true, ordering: .releasing) }
    // Values requested before are still delivered, by the thread that has the role.
    guard Thread.current === thread, !isOver.load(ordering: .acquiring) else { return .none }
    own += 1
    let before = requested.load(ordering: .acquiring)
    while requested.load(ordering: .acquiring) == before, !isOver.load(ordering: .acquiring) { sched_yield() }
    return .none
  }

  func receive(completion: Subscribers.Completion<Never>) {}
}
