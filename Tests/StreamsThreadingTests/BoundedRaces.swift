import Dispatch
import StreamAlgorithms
import StreamSchedulers
import Streams
import Synchronization
import Testing

/// Threads that send faster than anyone delivers, through operators in which a bounded number of values waits.
@Suite(.serialized, .ownThread) struct BoundedRaces {
  private typealias Strategy = OverflowStrategy<Never>

  @Test(arguments: [false, true])
  func `what threads send to a queue arrives once, in order, and its end last`(_ dropsOldest: Bool) {
    let strategy: Strategy = dropsOldest ? .dropOldest : .dropNewest
    let subject = PassthroughSubject<Int, Never>()
    let witness = Witness<Int, Never>()
    subject.receive(on: DispatchQueue.global(), bounded: 8, whenFull: strategy).subscribe(witness)
    onThreads(4) { thread in
      for number in 0..<500 { subject.send(thread * 1_000 + number) }
    }
    // The queue is never kept from what arrives last.
    subject.send(completion: .finished)
    #expect(witness.wait())
    #expect(!witness.hasOverlapped && witness.valuesAfterCompletion == 0)
    #expect(witness.received.count >= 8 || !dropsOldest)
    for thread in 0..<4 {
      let own = witness.received.filter { $0 / 1_000 == thread }
      #expect(own == own.sorted() && Set(own).count == own.count)
    }
  }

  @Test func `a bound that waits loses nothing between threads`() {
    let witness = Witness<Int, Never>()
    let sources = (0..<4).map { thread in
      (0..<500).publisher.subscribe(on: DispatchQueue(label: "source \(thread)")).map { thread * 1_000 + $0 }
    }
    sources.merge(bounded: 4, whenFull: .wait).receive(on: DispatchQueue.global(), bounded: 3, whenFull: .wait)
      .subscribe(witness)
    #expect(witness.wait())
    #expect(!witness.hasOverlapped && witness.received.count == 2_000)
    for thread in 0..<4 {
      #expect(witness.received.filter { $0 / 1_000 == thread }.map { $0 % 1_000 } == Array(0..<500))
    }
  }

  @Test func `a merge drops what does not fit while a thread delivers, and keeps the order`() {
    let subjects = (0..<4).map { _ in PassthroughSubject<Int, Never>() }
    let witness = Witness<Int, Never>()
    subjects.merge(bounded: 2, whenFull: .dropOldest).subscribe(witness)
    onThreads(4) { thread in
      for number in 0..<500 { subjects[thread].send(thread * 1_000 + number) }
    }
    for subject in subjects { subject.send(completion: .finished) }
    #expect(witness.wait())
    #expect(!witness.hasOverlapped)
    for thread in 0..<4 {
      let own = witness.received.filter { $0 / 1_000 == thread }
      #expect(own == own.sorted() && Set(own).count == own.count)
    }
  }
}
