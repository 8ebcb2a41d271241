import Dispatch
import StreamAlgorithms
import Streams
import Synchronization
import Testing

/// Task operators on the threads of the global executor.
@Suite(.ownThread)
struct TaskRaces {
  @Test func `map keeps the order, whichever task ends first`() {
    let gauge = Gauge()
    let witness = Witness<Int, Never>()
    (0..<2_000).publisher.map(maxTasks: 4) { value in
      gauge.enter()
      for _ in 0..<value % 5 { await Task.yield() }
      gauge.leave()
      return value
    }.subscribe(witness)
    #expect(witness.wait())
    #expect(witness.received == Array(0..<2_000))
    #expect(!witness.hasOverlapped)
    #expect(gauge.most <= 4)
  }

  @Test func `flatMap publishes every result once`() {
    let witness = Witness<Int, Never>()
    (0..<2_000).publisher.flatMap(maxTasks: 8) { value in
      for _ in 0..<value % 3 { await Task.yield() }
      return value
    }.subscribe(witness)
    #expect(witness.wait())
    #expect(witness.received.sorted() == Array(0..<2_000))
    #expect(!witness.hasOverlapped)
  }

  @Test(arguments: [true, false])
  func `values with one key keep their order and never overlap`(_ isOrdered: Bool) {
    let gauges = (0..<7).map { _ in Gauge() }
    let begun = Journal()
    let witness = Witness<Int, Never>()
    let work: @Sendable (Int) async -> Int = { value in
      gauges[value % 7].enter()
      begun.note("\(value)")
      for _ in 0..<value % 5 { await Task.yield() }
      gauges[value % 7].leave()
      return value
    }
    if isOrdered {
      (0..<2_000).publisher.map(maxTasks: 16, by: { $0 % 7 }) { await work($0) }.subscribe(witness)
    } else {
      (0..<2_000).publisher.flatMap(maxTasks: 16, by: { $0 % 7 }) { await work($0) }.subscribe(witness)
    }
    #expect(witness.wait())
    #expect(!witness.hasOverlapped && witness.received.count == 2_000)
    if isOrdered { #expect(witness.received == Array(0..<2_000)) }
    for key in 0..<7 {
      let own = Array(stride(from: key, to: 2_000, by: 7))
      #expect(witness.received.filter { $0 % 7 == key } == own)
      #expect(begun.all.compactMap(Int.init).filter { $0 % 7 == key } == own)
      #expect(gauges[key].most == 1)
    }
  }

  @Test func `map keeps to demand that arrives gradually while tasks end`() {
    let witness = Witness<Int, Never>(.max(1), more: .max(1))
    (0..<1_000).publisher.map(maxTasks: 3) { value in
      await Task.yield()
      return value
    }.subscribe(witness)
    #expect(witness.wait())
    #expect(witness.received == Array(0..<1_000))
  }

  @Test func `flatMapLatest always publishes the result of the latest task`() {
    let subject = PassthroughSubject<Int, Never>()
    let witness = Witness<Int, Never>()
    subject.flatMapLatest { value in
      await Task.yield()
      return value
    }.subscribe(witness)
    for value in 0..<2_000 { subject.send(value) }
    subject.send(completion: .finished)
    #expect(witness.wait())
    #expect(witness.received.last == 1_999)
    #expect(witness.received == witness.received.sorted())
    #expect(!witness.hasOverlapped)
  }

  @Test func `tasks observe the cancellation of their stream`() {
    for _ in 0..<200 {
      let begun = DispatchSemaphore(value: 0)
      let cancelled = DispatchSemaphore(value: 0)
      let witness = Witness<Int, Never>(expecting: 5)
      (0...).publisher.map(maxTasks: 4) { value in
        if value < 5 { return value }
        begun.signal()
        // Ends when the task is cancelled.
        let (never, continuation) = AsyncStream<Void>.makeStream()
        for await _ in never {}
        continuation.finish()
        cancelled.signal()
        return value
      }.subscribe(witness)
      #expect(witness.wait())
      // The thread that receives the fifth result may take the sequence over from this one, and publish the next values
      // only then: a value that has not been published when the stream is cancelled has no task.
      for _ in 0..<4 { #expect(begun.wait(timeout: .hang) == .success) }
      witness.cancel()
      for _ in 0..<4 { #expect(cancelled.wait(timeout: .hang) == .success) }
    }
  }

  @Test func `a future's task is cancelled when the last subscriber cancels as it ends`() {
    race(rounds: 300) { () -> (AnyCancellable, Witness<Int, Never>) in
      let future = Future { 1 }
      let witness = Witness<Int, Never>()
      future.subscribe(witness)
      return (future.sink { _ in }, witness)
    } _: { cancellable, _ in
      cancellable.cancel()
    } and: { _, witness in
      witness.cancel()
    } check: { _, witness in
      #expect(witness.valuesAfterCompletion == 0)
    }
  }

  @Test func `map fails once, with the first error in the order`() {
    for _ in 0..<100 {
      let witness = Witness<Int, TestError>()
      (0..<20).publisher.setFailureType(to: TestError.self).map(maxTasks: 8) { value async throws(TestError) -> Int in
        for _ in 0..<(20 - value) % 4 { await Task.yield() }
        if value >= 10 { throw value == 10 ? .first : .second }
        return value
      }.subscribe(witness)
      #expect(witness.wait())
      #expect(witness.received == Array(0..<10))
      #expect(witness.completionCount == 1)
    }
  }
}
