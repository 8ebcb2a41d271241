import Dispatch
import Streams
import Testing

@Suite(.serialized, .ownThread) struct SubjectRaces {
  @Test func `delivers every value to every subscriber in the same order`() {
    let subject = PassthroughSubject<Int, Never>()
    let witnesses = (0..<3).map { _ in Witness<Int, Never>() }
    for witness in witnesses { subject.subscribe(witness) }
    onThreads(4) { thread in
      for number in 0..<2_000 { subject.send(thread * 10_000 + number) }
    }

    #expect(witnesses.allSatisfy { !$0.hasOverlapped })
    #expect(witnesses[0].received.count == 8_000)
    #expect(Set(witnesses[0].received).count == 8_000)
    #expect(witnesses[1].received == witnesses[0].received)
    #expect(witnesses[2].received == witnesses[0].received)
  }

  @Test func `keeps the order of each sender`() {
    let subject = PassthroughSubject<Int, Never>()
    let witness = Witness<Int, Never>()
    subject.subscribe(witness)
    onThreads(3) { thread in
      for number in 0..<2_000 { subject.send(thread * 10_000 + number) }
    }

    for thread in 0..<3 {
      let own = witness.received.filter { $0 / 10_000 == thread }
      #expect(own == (0..<2_000).map { thread * 10_000 + $0 })
    }
  }

  @Test func `every subscriber ends with the latest value of a CurrentValueSubject`() {
    for _ in 0..<100 {
      let subject = CurrentValueSubject<Int, Never>(-1)
      let witnesses = (0..<2).map { _ in Witness<Int, Never>() }
      for witness in witnesses { subject.subscribe(witness) }
      onThreads(3) { thread in
        for number in 0..<50 { subject.send(thread * 100 + number) }
      }

      #expect(witnesses.allSatisfy { !$0.hasOverlapped && $0.received.last == subject.value })
      #expect(witnesses[0].received == witnesses[1].received)
      #expect(witnesses[0].received.count == 151)
    }
  }

  @Test func `delivers no value twice or out of order to a late subscriber`() {
    race {
      (CurrentValueSubject<Int, Never>(0), Witness<Int, Never>())
    } _: { subject, _ in
      for number in 1...20 { subject.send(number) }
    } and: { subject, witness in
      subject.subscribe(witness)
    } check: { _, witness in
      #expect(!witness.hasOverlapped)
      #expect(witness.received == Array((witness.received.first ?? 0)...20))
    }
  }

  @Test func `delivers the latest value to a subscriber whose request races with values`() {
    race {
      let subject = CurrentValueSubject<Int, Never>(0)
      let witness = Witness<Int, Never>(.none)
      subject.subscribe(witness)
      return (subject, witness)
    } _: { subject, _ in
      for number in 1...20 { subject.send(number) }
    } and: { _, witness in
      for _ in 0..<30 { witness.subscription?.request(.max(1)) }
    } check: { _, witness in
      #expect(!witness.hasOverlapped)
      #expect(witness.received.last == 20)
      #expect(witness.received == witness.received.sorted())
      #expect(Set(witness.received).count == witness.received.count)
    }
  }

  @Test func `delivers no more than requested while requests race with values`() {
    race {
      let subject = PassthroughSubject<Int, Never>()
      let witness = Witness<Int, Never>(.none)
      subject.subscribe(witness)
      return (subject, witness)
    } _: { subject, _ in
      for number in 1...40 { subject.send(number) }
    } and: { _, witness in
      for _ in 0..<10 { witness.subscription?.request(.max(1)) }
    } check: { _, witness in
      #expect(!witness.hasOverlapped)
      #expect(witness.received.count <= 10)
      #expect(witness.received == witness.received.sorted())
    }
  }

  @Test func `delivers the last value when a request of unlimited demand races with values`() {
    race {
      let subject = CurrentValueSubject<Int, Never>(0)
      let witness = Witness<Int, Never>(.max(3))
      subject.subscribe(witness)
      return (subject, witness)
    } _: { subject, _ in
      for number in 1...40 { subject.send(number) }
    } and: { _, witness in
      witness.subscription?.request(.unlimited)
    } check: { _, witness in
      #expect(!witness.hasOverlapped)
      #expect(witness.received.last == 40)
      #expect(witness.received == witness.received.sorted())
      #expect(Set(witness.received).count == witness.received.count)
    }
  }

  @Test func `delivers nothing that is sent after cancel() has returned`() {
    race {
      let subject = PassthroughSubject<Int, Never>()
      let witness = Witness<Int, Never>()
      subject.subscribe(witness)
      return (subject, witness)
    } _: { subject, _ in
      for number in 0..<20 { subject.send(number) }
    } and: { _, witness in
      witness.cancel()
    } check: { subject, witness in
      let received = witness.received
      subject.send(99)
      #expect(witness.received == received)
      #expect(received == Array(0..<received.count))
    }
  }

  @Test func `cancels upstream once when many threads cancel`() {
    let count = Tally()
    for _ in 0..<200 {
      let cancellable = AnyCancellable { count.add() }
      onThreads(3) { _ in cancellable.cancel() }
    }

    #expect(count.value == 200)
  }

  @Test func `completes every subscriber exactly once`() {
    race {
      let subject = PassthroughSubject<Int, Never>()
      return (subject, Witness<Int, Never>(), Witness<Int, Never>())
    } _: { subject, first, _ in
      subject.subscribe(first)
      subject.send(1)
      subject.send(completion: .finished)
    } and: { subject, _, second in
      subject.subscribe(second)
      subject.send(2)
      subject.send(completion: .finished)
    } check: { _, first, second in
      for witness in [first, second] {
        #expect(witness.completionCount == 1)
        #expect(witness.valuesAfterCompletion == 0)
        #expect(!witness.hasOverlapped)
      }
    }
  }

  @Test func `delivers every value while other subscribers come and go`() {
    let subject = PassthroughSubject<Int, Never>()
    let stays = Witness<Int, Never>()
    subject.subscribe(stays)
    onThreads(3) { thread in
      for number in 0..<1_000 {
        if thread == 0 {
          subject.send(number)
        } else {
          let witness = Witness<Int, Never>()
          subject.subscribe(witness)
          witness.cancel()
        }
      }
    }

    #expect(stays.received == Array(0..<1_000))
  }

  @Test func `a published property has no torn and no lost last value`() {
    final class Model: @unchecked Sendable {
      @Published var pair = [0, 0]
    }
    let model = Model()
    let witness = Witness<[Int], Never>()
    model.$pair.subscribe(witness)
    onThreads(3) { thread in
      for number in 0..<500 {
        model.pair = [thread * 1_000 + number, thread * 1_000 + number]
        #expect(Set(model.pair).count == 1)
      }
    }

    #expect(!witness.hasOverlapped)
    #expect(witness.received.count == 1_501)
    #expect(witness.received.last == model.pair)
    #expect(witness.received.allSatisfy { $0[0] == $0[1] })
  }

  @Test func `calls no closure that a sink has released, on any sending thread`() {
    // A custom publisher that keeps its subscriber and sends from two threads at the same time.
    final class Careless: Publisher, @unchecked Sendable {
      typealias Output = Int
      typealias Failure = Never
      private(set) var subscriber: AnySubscriber<Int, Never>!

      func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
        self.subscriber = AnySubscriber(subscriber)
        subscriber.receive(subscription: Subscriptions.empty)
      }
    }
    final class Life: Sendable {
      let ended = Tally()
      func attach(to publisher: Careless) -> AnyCancellable {
        let guest = Guest(ended)
        return publisher.sink(
          receiveCompletion: { _ in guest.touch() }, receiveValue: { _ in for _ in 0..<3 { guest.touch() } })
      }
    }
    final class Guest: Sendable {
      private let ended: Tally
      private let count = Tally()
      init(_ ended: Tally) { self.ended = ended }
      deinit { ended.add() }
      func touch() { count.add() }
    }
    for finishes in [false, true] {
      for _ in 0..<300 {
        let (publisher, life) = (Careless(), Life())
        let cancellable = life.attach(to: publisher)
        onThreads(3) { thread in
          if thread < 2 {
            for number in 0..<20 { _ = publisher.subscriber.receive(number) }
          } else if finishes {
            publisher.subscriber.receive(completion: .finished)
          } else {
            cancellable.cancel()
          }
        }
        #expect(life.ended.value == 1)
      }
    }
  }

  @Test func `releases the closures of a sink once when completion races with cancellation`() {
    race(rounds: 500) {
      let ended = Tally()
      let source = PassthroughSubject<Int, Never>()
      let other = PassthroughSubject<Int, Never>()
      let object = Ending(ended)
      let cancellable = source.merge(with: other).removeDuplicates().sink(
        receiveCompletion: { _ in withExtendedLifetime(object) {} },
        receiveValue: { _ in withExtendedLifetime(object) {} })
      return (ended, source, other, cancellable)
    } _: { _, source, other, _ in
      source.send(1)
      other.send(2)
      source.send(completion: .finished)
      other.send(completion: .finished)
    } and: { _, _, _, cancellable in
      cancellable.cancel()
    } check: { ended, _, _, _ in
      #expect(ended.value == 1)
    }
  }

  private final class Ending: Sendable {
    private let tally: Tally
    init(_ tally: Tally) { self.tally = tally }
    deinit { tally.add() }
  }
}
