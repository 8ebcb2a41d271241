import Dispatch
import StreamAlgorithms
import StreamSchedulers
import Streams
import Synchronization
import Testing

/// Threads that send while actors sink, cancel and are released. The values that an actor receives are deliberately not
/// protected: the thread sanitizer reports code that runs off its actor.
@Suite(.serialized, .ownThread) struct IsolatedSinkRaces {
  private actor Receiver {
    private(set) var received: [Int] = []
    private var cancellables: [AnyCancellable] = []
    private var wanted = Int.max
    private var continuation: CheckedContinuation<Void, Never>?

    func sink(_ publishers: [PassthroughSubject<Int, Never>]) {
      for publisher in publishers {
        cancellables.append(
          publisher.sink {
            self.received.append($0)
            if self.received.count == self.wanted { self.continuation.take()?.resume() }
          })
      }
    }

    func has(_ count: Int) async {
      if received.count >= count { return }
      wanted = count
      await withCheckedContinuation { continuation = $0 }
    }

    /// Cancels, and returns the number of values received by then.
    func cancel() -> Int {
      cancellables = []
      return received.count
    }

    func send(_ values: Range<Int>, to subject: PassthroughSubject<Int, Never>) {
      for value in values { subject.send(value) }
    }
  }

  @Test func `loses, doubles and reorders no value of any thread`() async {
    let receiver = Receiver()
    let subject = PassthroughSubject<Int, Never>()
    await receiver.sink([subject])
    async let own: Void = receiver.send(3_000_000..<3_001_000, to: subject)
    onThreads(3) { thread in
      for number in 0..<2_000 { subject.send(thread * 1_000_000 + number) }
    }
    await own
    await receiver.has(7_000)
    let received = await receiver.received
    #expect(received.count == 7_000)
    for sender in 0..<4 {
      let values = received.filter { $0 / 1_000_000 == sender }.map { $0 % 1_000_000 }
      #expect(values == Array(0..<(sender == 3 ? 1_000 : 2_000)))
    }
    _ = await receiver.cancel()
  }

  @Test func `several sinks of one actor never run at the same time`() async {
    let receiver = Receiver()
    let subjects = (0..<4).map { _ in PassthroughSubject<Int, Never>() }
    await receiver.sink(subjects)
    onThreads(4) { thread in
      for number in 0..<1_000 { subjects[thread].send(number) }
    }
    await receiver.has(4_000)
    #expect(await receiver.received.count == 4_000)
    _ = await receiver.cancel()
  }

  @Test func `nothing is delivered after a cancellation on the actor`() async {
    for _ in 0..<200 {
      let receiver = Receiver()
      let subject = PassthroughSubject<Int, Never>()
      await receiver.sink([subject])
      async let count = receiver.cancel()
      onThreads(2) { _ in
        for number in 0..<50 { subject.send(number) }
      }
      let atCancellation = await count
      // After every job that was already enqueued.
      #expect(await receiver.received.count == atCancellation)
      #expect(await receiver.cancel() == atCancellation)
    }
  }

  @Test func `actors that are released while threads send cancel their streams`() async {
    let subject = PassthroughSubject<Int, Never>()
    let cancelCount = Counter()
    let publisher = AnySendablePublisher { subject.handleEvents(receiveCancel: { cancelCount.add() }) }
    actor Owner {
      var sum = 0
      var cancellable: AnyCancellable?
      func sink(_ publisher: some Publisher<Int, Never>) {
        cancellable = publisher.sink(with: self) { owner, value in owner.sum += value }
      }
    }
    let isOver = Atomic(false)
    let isDone = DispatchSemaphore(value: 0)
    for _ in 0..<2 {
      DispatchQueue(label: "sender").async {
        while !isOver.load(ordering: .relaxed) { subject.send(1) }
        isDone.signal()
      }
    }
    for _ in 0..<100 {
      let owner = Owner()
      await owner.sink(publisher)
    }
    isOver.store(true, ordering: .relaxed)
    for _ in 0..<2 { isDone.wait() }
    // The last jobs may retain their actors a little longer.
    for _ in 0..<100_000 where cancelCount.value < 100 { await Task { subject.send(0) }.value }
    #expect(cancelCount.value == 100)
  }

  @Test func `the main actor loses no value of other threads`() {
    @MainActor final class Model {
      var received: [Int] = []
      var cancellable: AnyCancellable?
      nonisolated init() {}
    }
    let (model, subject) = (Model(), PassthroughSubject<Int, Never>())
    let (isAttached, hasAll) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Task { @MainActor in
      model.cancellable = subject.sink {
        MainActor.assertIsolated()
        model.received.append($0)
        if model.received.count == 2_000 { hasAll.signal() }
      }
      isAttached.signal()
    }
    #expect(isAttached.wait(timeout: .hang) == .success)
    onThreads(2) { thread in
      for number in 0..<1_000 { subject.send(thread * 1_000 + number) }
    }
    #expect(hasAll.wait(timeout: .hang) == .success)
    let isChecked = DispatchSemaphore(value: 0)
    Task { @MainActor in
      #expect(model.received.filter { $0 < 1_000 } == Array(0..<1_000))
      #expect(model.received.filter { $0 >= 1_000 } == Array(1_000..<2_000))
      model.cancellable = nil
      isChecked.signal()
    }
    #expect(isChecked.wait(timeout: .hang) == .success)
  }

  @Test func `two sinks of one subject on one actor each receive every value`() async {
    let subject = PassthroughSubject<Int, Never>()
    let receiver = Receiver()
    await receiver.sink([subject, subject])
    onThreads(2) { _ in
      for number in 0..<500 { subject.send(number) }
    }
    await receiver.has(2_000)
    #expect(await receiver.received.count == 2_000)
    _ = await receiver.cancel()
  }
}

private final class Counter: Sendable {
  private let count = Atomic(0)
  var value: Int { count.load(ordering: .relaxed) }
  func add() { count.add(1, ordering: .relaxed) }
}
