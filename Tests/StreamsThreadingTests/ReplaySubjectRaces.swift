import Dispatch
import StreamAlgorithms
import Streams
import Testing

@Suite(.serialized, .ownThread) struct ReplaySubjectRaces {
  @Test func `delivers buffered and later values to a late subscriber, once and in order`() {
    race {
      (ReplaySubject<Int, Never>(bufferSize: 4), Witness<Int, Never>())
    } _: { subject, _ in
      for number in 1...20 { subject.send(number) }
    } and: { subject, witness in
      subject.subscribe(witness)
    } check: { _, witness in
      #expect(!witness.hasOverlapped)
      #expect(witness.received == Array((witness.received.first ?? 0)...20))
      #expect(witness.received.count >= 4)
    }
  }

  @Test func `delivers the latest values to a subscriber whose request races with values`() {
    race {
      let subject = ReplaySubject<Int, Never>(bufferSize: 4)
      let witness = Witness<Int, Never>(.none)
      subject.subscribe(witness)
      return (subject, witness)
    } _: { subject, _ in
      for number in 1...20 { subject.send(number) }
    } and: { _, witness in
      for _ in 0..<10 { witness.subscription?.request(.max(1)) }
      witness.subscription?.request(.unlimited)
    } check: { _, witness in
      #expect(!witness.hasOverlapped)
      #expect(witness.received == witness.received.sorted())
      #expect(Set(witness.received).count == witness.received.count)
      #expect(witness.received.suffix(4) == [17, 18, 19, 20])
    }
  }

  @Test func `completes after the buffered values, for any threads that complete and request`() {
    race {
      let subject = ReplaySubject<Int, Never>(bufferSize: 4)
      let witness = Witness<Int, Never>(.none)
      for number in 1...4 { subject.send(number) }
      subject.subscribe(witness)
      return (subject, witness)
    } _: { subject, _ in
      subject.send(completion: .finished)
    } and: { _, witness in
      for _ in 0..<4 { witness.subscription?.request(.max(1)) }
    } check: { _, witness in
      #expect(!witness.hasOverlapped)
      #expect(witness.received == [1, 2, 3, 4])
      #expect(witness.completionCount == 1)
    }
  }

  @Test func `delivers every value to every subscriber in the same order`() {
    let subject = ReplaySubject<Int, Never>(bufferSize: 8)
    let witnesses = (0..<3).map { _ in Witness<Int, Never>() }
    for witness in witnesses { subject.subscribe(witness) }
    onThreads(4) { thread in
      for number in 0..<2_000 { subject.send(thread * 10_000 + number) }
    }
    #expect(witnesses.allSatisfy { !$0.hasOverlapped })
    #expect(witnesses[0].received.count == 8_000)
    #expect(witnesses[1].received == witnesses[0].received)
    #expect(witnesses[2].received == witnesses[0].received)
  }
}
