import Dispatch
import Foundation
import Streams
import Synchronization
import Testing

/// How often threads have sent. A delivery blocks until the next time: one that yielded in a loop would give up so much time
/// on a busy machine that a test took minutes.
private final class SendCount: @unchecked Sendable {
  // Unchecked: the condition's lock protects the fields.
  private let condition = NSCondition()
  private var sent = 0
  private var hasEnded = false
  private let began = ContinuousClock.now

  var isOver: Bool { condition.withLock { hasEnded } }

  /// Indicates whether one thread has delivered for so long that it's considered to deliver for the others indefinitely. A
  /// thread offers its role after 64 deliveries, and then more and more often; on a busy machine, the threads that could
  /// accept an offer are not running at most of them. So no number of offers is enough there, but a time is.
  var takesTooLong: Bool { began.duration(to: .now) > .seconds(120) }

  /// Counts a value that waits for its delivery by now, or has been delivered.
  func add() {
    condition.withLock {
      sent += 1
      condition.broadcast()
    }
  }

  /// Lets threads stop to send, and deliveries return.
  func end() {
    condition.withLock {
      hasEnded = true
      condition.broadcast()
    }
  }

  /// Waits until another thread has sent.
  func waitForNext() {
    condition.withLock {
      let before = sent
      while sent == before, !hasEnded { condition.wait() }
    }
  }
}

/// Threads that send at the same time. Each delivery waits until another thread has left a value to it, so there is
/// always one that could take over the delivery, and a thread that delivers returns from its send only if one does.
private final class Storm: Sendable {
  private struct State {
    var thread: ObjectIdentifier?
    var handovers = 0
  }

  private let sends = SendCount()
  private let state = Mutex(State())

  /// Counts a value; called by the sink.
  func deliver() {
    let hasEnded = state.withLock { state in
      let thread = ObjectIdentifier(Thread.current)
      if let previous = state.thread, previous != thread { state.handovers += 1 }
      state.thread = thread
      // One that has taken the role over hands it on again.
      return state.handovers == 2 || sends.takesTooLong
    }
    if hasEnded { sends.end() }
    sends.waitForNext()
  }

  /// Lets threads send until the delivery has been handed over twice, and returns how often it was.
  func run(threads count: Int = 3, send: @escaping (_ thread: Int) -> Void) async -> Int {
    nonisolated(unsafe) let send = send
    await withCheckedContinuation { continuation in
      let group = DispatchGroup()
      for number in 0..<count {
        group.enter()
        Thread.detachNewThread { [self] in
          while !sends.isOver {
            send(number)
            sends.add()
          }
          group.leave()
        }
      }
      group.notify(queue: .global()) { continuation.resume() }
    }
    return state.withLock { $0.handovers }
  }
}

/// A thread that delivers for others hands that role on, so that it can return to its own work.
///
/// The suite is only in this package: in a debug build, its threads keep each other busy for a long time.
@Suite(.serialized, .optimized) struct HandoverRaces {
  private let storm = Storm()

  @Test func `no thread delivers the values of a subject indefinitely`() async {
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject.sink { [storm] _ in storm.deliver() }

    #expect(await storm.run { subject.send($0) } >= 2)
    cancellable.cancel()
  }

  @Test func `no thread delivers the values of a current value subject indefinitely`() async {
    let subject = CurrentValueSubject<Int, Never>(0)
    let cancellable = subject.dropFirst().sink { [storm] _ in storm.deliver() }

    #expect(await storm.run { subject.send($0) } >= 2)
    cancellable.cancel()
  }

  @Test func `no thread delivers the values of a merge indefinitely`() async {
    let subjects = (0..<3).map { _ in PassthroughSubject<Int, Never>() }
    let cancellable = Publishers.MergeMany(subjects).sink { [storm] _ in storm.deliver() }

    #expect(await storm.run { subjects[$0].send($0) } >= 2)
    cancellable.cancel()
  }

  @Test func `no thread delivers the values of a flatMap indefinitely`() async {
    let subjects = (0..<3).map { _ in PassthroughSubject<Int, Never>() }
    let cancellable = subjects.publisher.flatMap { $0 }.sink { [storm] _ in storm.deliver() }

    #expect(await storm.run { subjects[$0].send($0) } >= 2)
    cancellable.cancel()
  }

  @Test func `no thread delivers the values of a share indefinitely`() async {
    let subjects = (0..<3).map { _ in PassthroughSubject<Int, Never>() }
    let share = Publishers.MergeMany(subjects).share()
    let cancellables = [share.sink { [storm] _ in storm.deliver() }, share.sink { _ in }]

    #expect(await storm.run { subjects[$0].send($0) } >= 2)
    for cancellable in cancellables { cancellable.cancel() }
  }

  @Test func `a slow new subscriber does not block the subscribing thread indefinitely`() async {
    let subject = CurrentValueSubject<Int, Never>(0)
    let sends = SendCount()
    let isHandedOver = await withCheckedContinuation { continuation in
      nonisolated(unsafe) var isHandedOver = false
      let enough = DispatchSemaphore(value: 0)
      let group = DispatchGroup()
      for number in 0..<2 {
        group.enter()
        Thread.detachNewThread {
          while !sends.isOver {
            subject.send(number)
            sends.add()
          }
          group.leave()
        }
      }
      group.enter()
      Thread.detachNewThread {
        let thread = Thread.current
        let cancellable = subject.sink { _ in
          if sends.isOver { return }
          if Thread.current !== thread { isHandedOver = true }
          if isHandedOver || sends.takesTooLong {
            sends.end()
            enough.signal()
          }
          sends.waitForNext()
        }
        enough.wait()
        cancellable.cancel()
        group.leave()
      }
      group.notify(queue: .global()) { continuation.resume(returning: isHandedOver) }
    }

    #expect(isHandedOver)
  }

  @Test func `the subscribing thread does not produce the values of a sequence indefinitely`() async {
    let isHandedOver = await withCheckedContinuation { continuation in
      let subscriber = RequestingElsewhere()
      Thread.detachNewThread {
        subscriber.thread = Thread.current
        (0...).publisher.subscribe(subscriber)
      }
      subscriber.onEnd = { continuation.resume(returning: $0) }
    }

    #expect(isHandedOver)
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

/// Requests values one at a time on a thread of its own, until one is delivered on another thread than the subscribing
/// one.
private final class RequestingElsewhere: Subscriber, @unchecked Sendable {
  // Unchecked: the fields are set before the first value, and used by one delivery at a time.
  var thread: Thread?
  var onEnd: (_ isHandedOver: Bool) -> Void = { _ in }
  private var isHandedOver = false
  private let requests = SendCount()

  func receive(subscription: any Subscription) {
    nonisolated(unsafe) let subscription = subscription
    Thread.detachNewThread { [self] in
      while !requests.isOver {
        subscription.request(.max(1))
        requests.add()
      }
      subscription.cancel()
      onEnd(isHandedOver)
    }
    subscription.request(.max(1))
  }

  func receive(_ input: Int) -> Subscribers.Demand {
    // Values requested before are still delivered, by the thread that has the role.
    guard !requests.isOver else { return .none }
    if Thread.current !== thread { isHandedOver = true }
    if isHandedOver || requests.takesTooLong { requests.end() }
    requests.waitForNext()
    return .none
  }

  func receive(completion: Subscribers.Completion<Never>) {}
}
