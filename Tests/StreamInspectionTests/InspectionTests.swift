import Dispatch
import StreamAlgorithms
import StreamInspection
import StreamSchedulers
import Streams
import Testing

@Suite struct InspectionTests {
  @Test func `the bound of a merge is shown`() {
    let (one, other) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
    let bounded = one.merge(with: other, bounded: 37, whenFull: .dropOldest).sink { _ in }
    #expect("\(bounded.inspection)".contains("37"), "\(bounded.inspection)")
    bounded.cancel()
  }

  @Test func `values that the rate allows take no room of a rate limit`() {
    let (subject, scheduler) = (PassthroughSubject<Int, Never>(), DispatchQueue.test)
    let limited = subject.rateLimit(2, per: .seconds(1), scheduler: scheduler, queueSize: 1, whenFull: .dropNewest)
      .sink { _ in }
    for value in 1...5 { subject.send(value) }
    #expect("\(limited.inspection)".contains("1 of 1 are waiting, 2 values are due"), "\(limited.inspection)")
    scheduler.advance()
    #expect("\(limited.inspection)".contains("1 of 1 are waiting"), "\(limited.inspection)")
    #expect(!"\(limited.inspection)".contains("are due"), "\(limited.inspection)")
    limited.cancel()
  }

  @Test func `operators behind an erased publisher that keeps values have their names`() {
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject.debounce(for: .seconds(1), scheduler: DispatchQueue.test).eraseToAnyPublisher()
      .map { $0 + 1 }.removeDuplicates().sink { _ in }
    let text = "\(cancellable.inspection)"
    #expect(text.contains("removeDuplicates") && text.contains("map"), "\(text)")
    cancellable.cancel()
  }

  @Test func `the subscription of a subject has the name of the operator that receives it`() {
    let subject = PassthroughSubject<Int, Never>()
    var name = ""
    let cancellable = subject.handleEvents(receiveSubscription: { name = Inspection(of: $0).parts[0].name }).sink { _ in
    }
    #expect(name == "handleEvents")
    cancellable.cancel()
  }

  @Test func `the source of a timeout is part of its inspection`() {
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject.timeout(.seconds(1), scheduler: DispatchQueue.test).sink { _ in }
    let inspection = cancellable.inspection
    #expect("\(inspection)".contains("PassthroughSubject") && inspection.parts.count == 3, "\(inspection)")
    cancellable.cancel()
  }

  @Test func `a zip of three shows how many values of each source wait`() {
    let (a, b, c) = (
      PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>()
    )
    let cancellable = a.zip(b, c).sink { _ in }
    for value in 0..<4 { a.send(value) }
    for value in 0..<2 { c.send(value) }
    let text = "\(cancellable.inspection)"
    #expect(text.contains("first has 4, second has none, third has 2"), "\(text)")
    cancellable.cancel()
  }

  @Test func `a zip of four shows how many values of each source wait`() {
    let subjects = (0..<4).map { _ in PassthroughSubject<Int, Never>() }
    let cancellable = subjects[0].zip(subjects[1], subjects[2], subjects[3]).sink { _ in }
    subjects[1].send(1)
    for value in 0..<3 { subjects[2].send(value) }
    let text = "\(cancellable.inspection)"
    #expect(text.contains("first has none, second has 1, third has 3, fourth has none"), "\(text)")
    cancellable.cancel()
  }

  @Test func `a retry shows its attempt, and how many may follow`() {
    let subject = PassthroughSubject<Int, any Error>()
    struct Wrong: Error {}
    var isFirst = true
    let cancellable = Deferred { () -> AnyPublisher<Int, any Error> in
      defer { isFirst = false }
      return isFirst ? Fail(error: Wrong()).eraseToAnyPublisher() : subject.eraseToAnyPublisher()
    }.retry(3).sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    let text = "\(cancellable.inspection)"
    #expect(text.contains("retry   attempt 2, 2 more to follow"), "\(text)")
    cancellable.cancel()
  }

  @Test func `a retry in its first attempt says nothing of attempts`() {
    let subject = PassthroughSubject<Int, any Error>()
    let cancellable = subject.retry(3).sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    let text = "\(cancellable.inspection)"
    #expect(text.contains("retry   3 more to follow"), "\(text)")
    cancellable.cancel()
  }

  @Test func `a retry that asks for another attempt shows its decider`() {
    let (decider, failures) = (PassthroughSubject<Void, any Error>(), PassthroughSubject<Int, any Error>())
    struct Wrong: Error {}
    let cancellable = failures.retry(when: { _ in decider }).sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    let before = "\(cancellable.inspection)"
    #expect(before.contains("decider") && !before.contains("is waiting for the next attempt"), "\(before)")
    failures.send(completion: .failure(Wrong()))
    let after = "\(cancellable.inspection)"
    #expect(after.contains("decider") && after.contains("is waiting for the next attempt"), "\(after)")
    cancellable.cancel()
  }

  @Test func `a sequence that is being sent says so`() {
    let subject = PassthroughSubject<Int, Never>()
    var cancellable: AnyCancellable?
    var text = ""
    cancellable = subject.flatMap { _ in [1, 2].publisher }.sink { _ in
      text = cancellable.map { "\($0.inspection)" } ?? ""
    }
    subject.send(1)
    #expect(text.contains("[Int].publisher   is sending"), "\(text)")
    cancellable?.cancel()
  }

  @Test func `the source of a pausable stream is part of its inspection`() {
    let (subject, gate) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Bool, Never>())
    let cancellable = subject.pausable(runningWhile: gate, buffering: 2, whenFull: .dropOldest).sink { _ in }
    #expect(cancellable.inspection.parts.count == 4, "\(cancellable.inspection)")
    cancellable.cancel()
  }

  @Test func `a debounce shows when its newest value is due`() {
    let (scheduler, subject) = (DispatchQueue.test, PassthroughSubject<Int, Never>())
    let cancellable = subject.debounce(for: .seconds(2), scheduler: scheduler).sink { _ in }
    subject.send(1)
    scheduler.advance(by: .seconds(1))
    #expect("\(cancellable.inspection)".contains("due in 1 s"), "\(cancellable.inspection)")
    subject.send(2)
    #expect("\(cancellable.inspection)".contains("due in 2 s"), "\(cancellable.inspection)")
    cancellable.cancel()
  }

  /// A chain of operators that each hide the type of their source.
  private func chain(
    _ count: Int, _ operators: (AnyPublisher<Int, Never>) -> AnyPublisher<Int, Never>
  ) -> AnyCancellable {
    var chain = PassthroughSubject<Int, Never>().eraseToAnyPublisher()
    for _ in 0..<count { chain = operators(chain) }
    return chain.sink(isolation: nil) { _ in }
  }

  private func count(_ name: String, in inspection: Inspection) -> Int {
    "\(inspection)".split { " ←\n".contains($0) }.count { $0 == name }
  }

  @Test(.ownThread, arguments: [10, 100, 3_000])
  func `a long chain of erased publishers is shown in full`(_ length: Int) {
    let filters = chain(length) { $0.filter { $0 > 0 }.eraseToAnyPublisher() }
    let scans = chain(length) { $0.scan(0, +).eraseToAnyPublisher() }
    let delays = chain(length) { $0.delay(for: 1, scheduler: DispatchQueue.test).eraseToAnyPublisher() }
    for (stream, name) in [(filters, "filter"), (scans, "scan"), (delays, "delay")] {
      let inspection = stream.inspection
      #expect(count(name, in: inspection) == length)
      #expect(!inspection.isTruncated && inspection.parts.last?.name == "PassthroughSubject<Int, Never>")
      #expect(!"\(inspection)".contains("an operator"))
      stream.cancel()
    }
  }

  @Test(.ownThread)
  func `a chain with more parts than the limit is shown up to the limit, and says so`() {
    let scans = chain(300) { $0.filter { $0 > 0 }.scan(0, +).eraseToAnyPublisher() }
    let inspection = Inspection(of: scans, limit: 100)
    #expect(inspection.isTruncated && "\(inspection)".hasSuffix("… and more parts"))
    #expect(count("scan", in: inspection) > 90 && !"\(inspection)".contains("an operator"))
    #expect(inspection.status.contains("was left out of this inspection"))
    scans.cancel()
  }
}
