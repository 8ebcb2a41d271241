import Dispatch
import StreamAlgorithms
import StreamSchedulers
import Streams
import Testing

private final class PromiseBox {
  var call: Future<Int, Never>.Promise?

  func future() -> Future<Int, Never> { Future { self.call = $0 } }
}

@Suite(.serialized, .ownThread) struct OperatorRaces {
  private typealias Source = PassthroughSubject<Int, Never>

  private func sources(_ count: Int) -> [PassthroughSubject<Int, Never>] { (0..<count).map { _ in Source() } }

  private func isOrdered(_ numbers: [Int], threads: Int) -> Bool {
    (0..<threads).allSatisfy { thread in
      let own = numbers.filter { $0 / 10_000 == thread }
      return own == own.sorted()
    }
  }

  @Test(arguments: [Subscribers.Demand.unlimited, .max(1)])
  func `merge loses no value and keeps the order of each source`(_ demand: Subscribers.Demand) {
    let sources = (0..<3).map { _ in Source() }
    // The buffers keep values that the merge has not requested yet.
    let buffered = sources.map { $0.buffer(size: 10_000, prefetch: .byRequest, whenFull: .dropNewest) }
    let witness = Witness<Int, Never>(demand, more: .max(1))
    Publishers.MergeMany(buffered).subscribe(witness)
    onThreads(3) { thread in
      for number in 0..<1_000 { sources[thread].send(thread * 10_000 + number) }
      sources[thread].send(completion: .finished)
    }

    #expect(!witness.hasOverlapped)
    #expect(witness.received.count == 3_000)
    #expect(isOrdered(witness.received, threads: 3))
    #expect(witness.completionCount == 1)
    #expect(witness.valuesAfterCompletion == 0)
  }

  @Test func `merge delivers no value ahead of waiting ones`() {
    let sources = sources(3)
    let witness = Witness<Int, Never>()
    sources[0].merge(with: sources[1], sources[2]).subscribe(witness)
    onThreads(3) { thread in
      for number in 0..<3_000 { sources[thread].send(thread * 10_000 + number) }
    }

    #expect(!witness.hasOverlapped)
    #expect(witness.received.count == 9_000)
    #expect(isOrdered(witness.received, threads: 3))
  }

  @Test func `zip pairs values by position`() {
    let sources = sources(2)
    let witness = Witness<(Int, Int), Never>()
    sources[0].zip(sources[1]).subscribe(witness)
    onThreads(2) { thread in
      for number in 0..<3_000 { sources[thread].send(number) }
      sources[thread].send(completion: .finished)
    }

    #expect(!witness.hasOverlapped)
    #expect(witness.received.map(\.0) == Array(0..<3_000))
    #expect(witness.received.allSatisfy { $0.0 == $0.1 })
    #expect(witness.completionCount == 1)
  }

  @Test func `combineLatest never goes back and ends with the latest of each`() {
    for _ in 0..<30 {
      let sources = sources(2)
      let witness = Witness<(Int, Int), Never>()
      sources[0].combineLatest(sources[1]).subscribe(witness)
      onThreads(2) { thread in
        for number in 0..<200 { sources[thread].send(number) }
        sources[thread].send(completion: .finished)
      }
      let (left, right) = (witness.received.map(\.0), witness.received.map(\.1))

      #expect(!witness.hasOverlapped)
      #expect(left == left.sorted() && right == right.sorted())
      #expect(left.last == 199 && right.last == 199)
      #expect(witness.completionCount == 1)
    }
  }

  @Test func `flatMap loses no value of inner publishers on several threads`() {
    let inner = sources(3)
    let witness = Witness<Int, Never>()
    (0..<3).publisher.flatMap { inner[$0] }.subscribe(witness)
    onThreads(3) { thread in
      for number in 0..<2_000 { inner[thread].send(thread * 10_000 + number) }
      inner[thread].send(completion: .finished)
    }

    #expect(!witness.hasOverlapped)
    #expect(witness.received.count == 6_000)
    #expect(isOrdered(witness.received, threads: 3))
    #expect(witness.completionCount == 1)
  }

  @Test func `switchToLatest follows the latest publisher while inner publishers send`() {
    race {
      let outer = PassthroughSubject<Source, Never>()
      let inner = (0..<10).map { _ in Source() }
      let witness = Witness<Int, Never>()
      outer.switchToLatest().subscribe(witness)
      return (outer, inner, witness)
    } _: { outer, inner, _ in
      for source in inner { outer.send(source) }
    } and: { _, inner, _ in
      for round in 0..<5 {
        for (number, source) in inner.enumerated() { source.send(number * 10 + round) }
      }
    } check: { _, inner, witness in
      let received = witness.received
      inner[0].send(1_000)
      #expect(witness.received == received)
      inner[9].send(2_000)
      #expect(witness.received.last == 2_000)
      #expect(!witness.hasOverlapped)
    }
  }

  @Test func `a merge that is cancelled while sources send delivers nothing more`() {
    race {
      let sources = (0..<2).map { _ in Source() }
      let witness = Witness<Int, Never>()
      sources[0].merge(with: sources[1]).subscribe(witness)
      return (sources, witness)
    } _: { sources, _ in
      for number in 0..<20 { sources[number % 2].send(number) }
    } and: { _, witness in
      witness.cancel()
    } check: { sources, witness in
      let received = witness.received
      for source in sources { source.send(99) }
      #expect(witness.received == received)
      #expect(received == Array(0..<received.count))
    }
  }

  @Test func `a sequence publishes the values that several threads request`() {
    for _ in 0..<30 {
      let witness = Witness<Int, Never>(.none)
      (0..<1_000).publisher.subscribe(witness)
      onThreads(3) { _ in
        for _ in 0..<100 { witness.subscription?.request(.max(1)) }
      }

      #expect(witness.received == Array(0..<300))
      #expect(!witness.hasOverlapped)
    }
  }

  @Test func `receive(on:) a concurrent queue keeps the order`() {
    let subject = Source()
    let witness = Witness<Int, Never>()
    let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
    subject.receive(on: queue).subscribe(witness)
    for number in 0..<5_000 { subject.send(number) }
    subject.send(completion: .finished)

    #expect(witness.wait())
    #expect(witness.received == Array(0..<5_000))
    #expect(!witness.hasOverlapped)
  }

  @Test func `receive(on:) delivers nothing after cancellation on its queue`() {
    let queue = DispatchQueue(label: "serial")
    for _ in 0..<100 {
      let subject = Source()
      let witness = Witness<Int, Never>()
      subject.receive(on: queue).subscribe(witness)
      for number in 0..<10 { subject.send(number) }
      let received = queue.sync {
        witness.cancel()
        return witness.received
      }
      queue.sync {}

      #expect(witness.received == received)
    }
  }

  @Test func `delay on a concurrent queue keeps the order`() {
    let subject = Source()
    let witness = Witness<Int, Never>()
    let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
    subject.delay(for: .milliseconds(1), scheduler: queue).subscribe(witness)
    for number in 0..<500 { subject.send(number) }
    subject.send(completion: .finished)

    #expect(witness.wait())
    #expect(witness.received == Array(0..<500))
    #expect(!witness.hasOverlapped)
  }

  @Test(arguments: [nil, 7])
  func `collect loses no value while intervals end on a concurrent queue`(_ count: Int?) {
    let sources = sources(2)
    let witness = Witness<[Int], Never>()
    let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let interval = DispatchQueue.SchedulerTimeType.Stride.microseconds(50)
    sources[0].merge(with: sources[1])
      .collect(count.map { .byTimeOrCount(queue, interval, $0) } ?? .byTime(queue, interval)).subscribe(witness)
    onThreads(2) { thread in
      for number in 0..<3_000 { sources[thread].send(thread * 10_000 + number) }
      sources[thread].send(completion: .finished)
    }

    #expect(witness.wait())
    #expect(!witness.hasOverlapped)
    #expect(witness.received.allSatisfy { !$0.isEmpty && $0.count <= count ?? .max })
    let numbers = witness.received.flatMap { $0 }
    #expect(numbers.count == 6_000)
    #expect(isOrdered(numbers, threads: 2))
    #expect((witness.completionCount, witness.valuesAfterCompletion) == (1, 0))
  }

  @Test func `a future delivers its value to subscribers that arrive while it is fulfilled`() {
    race { () -> (PromiseBox, Future<Int, Never>, Witness<Int, Never>) in
      let promise = PromiseBox()
      return (promise, promise.future(), Witness())
    } _: { promise, _, _ in
      promise.call?(.success(1))
    } and: { _, future, witness in
      future.subscribe(witness)
    } check: { _, _, witness in
      #expect(witness.received == [1])
      #expect(witness.completionCount == 1)
    }
  }

  @Test func `every subscriber receives the result of the first of two promises`() {
    race { () -> (PromiseBox, [Witness<Int, Never>]) in
      let promise = PromiseBox()
      let future = promise.future()
      let witnesses = (0..<3).map { _ in Witness<Int, Never>() }
      for witness in witnesses { future.subscribe(witness) }
      return (promise, witnesses)
    } _: { promise, _ in
      promise.call?(.success(1))
    } and: { promise, _ in
      promise.call?(.success(2))
    } check: { _, witnesses in
      #expect(witnesses.allSatisfy { $0.received == witnesses[0].received && $0.received.count == 1 })
    }
  }

  @Test func `share connects once while subscribers come and go on several threads`() {
    let connections = Tally()
    let subject = Source()
    let shared = subject.handleEvents(receiveSubscription: { _ in connections.add() }).share()
    let stays = Witness<Int, Never>()
    shared.subscribe(stays)
    onThreads(3) { _ in
      for _ in 0..<300 {
        let witness = Witness<Int, Never>()
        shared.subscribe(witness)
        witness.cancel()
      }
    }
    subject.send(1)

    #expect(connections.value == 1)
    #expect(stays.received == [1])
  }
}
