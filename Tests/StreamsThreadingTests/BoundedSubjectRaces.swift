import StreamAlgorithms
import Streams
import Testing

@Suite(.serialized, .ownThread) struct BoundedSubjectRaces {
  @Test func `delivers what was offered while another thread requests, once and in order`() {
    race {
      let subject = BoundedSubject<Int, Never>(bounded: 4)
      let witness = Witness<Int, Never>(.none)
      subject.subscribe(witness)
      return (subject, witness)
    } _: { subject, _ in
      var accepted = 0
      for number in 1...20 where subject.offer(number) { accepted += 1 }
      #expect(accepted >= 4)
    } and: { _, witness in
      for _ in 0..<10 { witness.subscription?.request(.max(1)) }
      witness.subscription?.request(.unlimited)
    } check: { subject, witness in
      #expect(!witness.hasOverlapped)
      #expect(witness.received == witness.received.sorted() && Set(witness.received).count == witness.received.count)
      #expect(subject.offer(21) && witness.received.last == 21)
    }
  }

  @Test func `what was accepted arrives before a completion that another thread sends`() {
    race {
      let subject = BoundedSubject<Int, Never>(bounded: 100)
      let witness = Witness<Int, Never>()
      subject.subscribe(witness)
      return (subject, witness)
    } _: { subject, witness in
      var accepted: [Int] = []
      for number in 1...20 where subject.offer(number) { accepted.append(number) }
      #expect(witness.wait())
      #expect(witness.received == accepted && witness.completionCount == 1)
    } and: { subject, _ in
      subject.send(completion: .finished)
    } check: { subject, _ in
      #expect(!subject.offer(21))
    }
  }

  @Test func `has room again after a subscriber has left while another thread sends`() {
    race {
      let subject = BoundedSubject<Int, Never>(bounded: 1)
      let witness = Witness<Int, Never>(.none)
      subject.subscribe(witness)
      return (subject, witness)
    } _: { subject, _ in
      for number in 1...5 { _ = subject.offer(number) }
    } and: { _, witness in
      witness.subscription?.cancel()
    } check: { subject, _ in
      #expect(subject.offer(6) && subject.offer(7))
    }
  }

  @Test func `nothing is lost or reordered that is offered while the first subscriber subscribes`() {
    race {
      (BoundedSubject<Int, Never>(bounded: 100), Witness<Int, Never>(), Locked<[Int]>([]))
    } _: { subject, _, accepted in
      // Between its subscription and its first request, a subscriber has no room.
      for number in 1...20 where subject.offer(number) { accepted.withLock { $0.append(number) } }
    } and: { subject, witness, _ in
      subject.subscribe(witness)
    } check: { subject, witness, accepted in
      #expect(subject.offer(21))
      #expect(!witness.hasOverlapped)
      #expect(witness.received == accepted.withLock { $0 } + [21])
    }
  }

  @Test func `what is accepted arrives at one of two subscribers that subscribe together, and before a completion`() {
    race {
      let subject = BoundedSubject<Int, Never>(bounded: 100)
      for number in 1...5 { #expect(subject.offer(number)) }
      return (subject, [Witness<Int, Never>(), Witness<Int, Never>()])
    } _: { subject, witnesses in
      subject.subscribe(witnesses[0])
      subject.send(completion: .finished)
    } and: { subject, witnesses in
      subject.subscribe(witnesses[1])
    } check: { _, witnesses in
      #expect(witnesses.allSatisfy { $0.completionCount == 1 && !$0.hasOverlapped })
      #expect(witnesses.map(\.received).sorted { $0.count < $1.count } == [[], [1, 2, 3, 4, 5]])
    }
  }
}
