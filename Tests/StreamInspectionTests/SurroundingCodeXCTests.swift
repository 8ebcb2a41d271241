import Dispatch
import StreamAlgorithms
import StreamInspection
import StreamSchedulers
import Streams
import SuiteSupport
import XCTest

/// What the code around a silent stream shows: operators in functions and variables, a loop that follows another one, code that
/// blocks, and another stream that keeps a subject alive.
final class SurroundingCodeXCTests: XCTestCase {
  private let subject = PassthroughSubject<Int, Never>()

  override func setUp() { StreamInspector.start() }

  override func tearDown() { StreamInspector.stop() }

  private func expect(_ text: String, in diagnosis: String, caller: UInt = #line) {
    guard Self.canLookUpPlaces else { return }
    XCTAssert(diagnosis.contains(text.replacing("AT", with: "SurroundingCodeXCTests.swift")), diagnosis, line: caller)
  }

  private var even: some Publisher<Int, Never> {
    subject.filter { $0.isMultiple(of: 2) }
  }

  private static let lineOfEven = #line - 3

  func testAnOperatorOfAPropertyIsFoundThere() {
    let stream = even.map { $0 + 1 }.sink(isolation: nil) { _ in }
    subject.send(1)
    expect("filter (AT:\(Self.lineOfEven)) has received 1 value and let none through.", in: stream.inspection.diagnosis)
    stream.cancel()
  }

  func testOperatorsOfAFunctionAndAConstantAreFoundThere() {
    let large = subject.settled()
      .filter { $0 > 10 }
    let line = #line - 1
    let stream = large.map { $0 + 1 }
      .filter { $0 > 20 }
      .sink(isolation: nil) { _ in }
    let last = #line - 2
    subject.send(3)
    expect("1 value is waiting in delay (AT:\(lineOfDelay)) for virtual time", in: stream.inspection.diagnosis)
    delays.advance(by: .seconds(1))
    expect("filter (AT:\(line)) has received 1 value and let none through.", in: stream.inspection.diagnosis)
    subject.send(11)
    delays.advance(by: .seconds(1))
    expect("filter (AT:\(last)) has received 1 value and let none through.", in: stream.inspection.diagnosis)
    stream.cancel()
  }

  func testAFunctionThatCallsItselfEndsTheSearch() {
    let stream = repeated(2).filter { _ in false }.sink(isolation: nil) { _ in }
    let line = #line - 1
    subject.send(1)
    expect("filter (AT:\(line)) has received 1 value", in: stream.inspection.diagnosis)
    stream.cancel()
  }

  private func repeated(_ count: Int) -> AnyPublisher<Int, Never> {
    count == 0 ? subject.eraseToAnyPublisher() : repeated(count - 1)
  }

  func testATriggerInAFunction() {
    let stop = CurrentValueSubject<Bool, Never>(false)
    let stream = subject.stopped(stop).sink(isolation: nil) { _ in }
    expect(
      "when a trigger sent a value, perhaps because prefix (AT:\(lineOfPrefix)) ended it",
      in: stream.inspection.diagnosis)
  }

  func testALoopBeginsWhenTheOneBeforeHasEnded() async {
    let (first, second) = (CurrentValueSubject<Int, Never>(1), CurrentValueSubject<Int, Never>(2))
    let (begun, line) = (CurrentValueSubject<Int, Never>(0), #line + 2)
    let task = Task {
      for await _ in first.values {
        begun.send(1)
      }
      for await _ in second.values {}
    }
    for await count in begun.values where count > 0 { break }
    let loop = StreamInspector.inspections.first { $0.parts[0].place == "SurroundingCodeXCTests.swift:\(line)" }
    expect("The loop at AT:\(line + 3) begins only when this one has ended.", in: loop?.diagnosis ?? "no loop")
    task.cancel()
    await task.value
  }

  func testALoopThatAwaitsAnAsynchronousSequence() async {
    let (numbers, source) = AsyncStream.makeStream(of: Int.self)
    let line = #line + 2
    let task = Task {
      for await _ in numbers.publisher.values {}
    }
    let name = "SurroundingCodeXCTests.swift:\(line)"
    var loop: Inspection? { StreamInspector.inspections.first { !Self.canLookUpPlaces || $0.parts[0].place == name } }
    while loop?.description.contains("its task is running") != true { await Task.yield() }
    expect("AsyncStream<Int>.publisher (AT:\(line)) hasn't produced its next value.", in: loop?.diagnosis ?? "no loop")
    XCTAssertEqual(loop?.findings, [])
    source.finish()
    await task.value
  }

  func testTheStreamThatKeepsASubjectBusyIsNamed() {
    var diagnosis = ""
    let waiting = PassthroughSubject<AnyCancellable, Never>()
    let busy = subject.sink(isolation: nil) { [subject] _ in
      let late = subject.sink(isolation: nil) { _ in }
      diagnosis = late.inspection.diagnosis
      waiting.send(late)
    }
    let line = #line - 5
    subject.send(1)
    expect("is sending a value. The stream at AT:\(line) hasn't returned from receive(_:) yet", in: diagnosis)
    busy.cancel()
  }

  func testAStreamThatKeepsTheSourceOfAnotherOneAlive() {
    let leaking = Leaking()
    let sum = leaking.values.reduce(0, +).sink(isolation: nil) { _ in }
    leaking.values.send(1)
    expect(
      "which PassthroughSubject<Int, Never> (AT:\(Leaking.line)) hasn't done. Its stream at AT:\(Leaking.line + 5) is kept alive by "
        + "itself, since a closure at AT:\(Leaking.line + 5) retains self, whose property cancellables holds the cancellable.",
      in: sum.inspection.diagnosis)
    leaking.values.send(completion: .finished)
  }

  func testAnOwnerInFrontOfTheChainIsNotCaptured() {
    let model = OuterModel()
    model.start()
    model.taps.send(1)
    for stream in [model.stored, model.mapped] + Array(model.cancellables) {
      let diagnosis = stream?.inspection.diagnosis ?? "no stream"
      if stream !== model.mapped {
        XCTAssert(diagnosis.hasPrefix("Idle: 1 value delivered"), diagnosis)
      } else {
        expect("retains self, whose property mapped holds the cancellable", in: diagnosis)
      }
    }
    model.mapped = nil
  }

  func testAnOwnerThatIsReleasedInItsScope() {
    func start() {
      let model = OuterModel()
      model.follow(subject)
    }
    var findings = ""
    // The clock may tick while a stream lives.
    for _ in 1...50 where !findings.contains("released there") {
      start()
      findings = "\(StreamInspector.findings)"
    }
    expect(
      "If self, whose property cancellables holds its cancellable, was released there, keep that object.", in: findings)
  }

  func testAReductionBehindAStreamThatKeepsItselfAlive() {
    let leaking = Leaking()
    let all = leaking.values.map { $0 + 1 }.collect().sink(isolation: nil) { _ in }
    leaking.values.send(1)
    expect("Its stream at AT:\(Leaking.line + 5) is kept alive by itself", in: all.inspection.diagnosis)
    leaking.values.send(completion: .finished)
  }

  func testAClosureThatLosesAnObjectDropsValues() {
    final class Model { func text(_ value: Int) -> String? { "\(value)" } }
    var model: Model? = Model()
    let stream = subject.compactMap { [weak model] in model?.text($0) }.sink(isolation: nil) { _ in }
    model = nil
    subject.send(1)
    expect(
      "let none through. Its closure captures model weakly, and may drop every value once that has been released.",
      in: stream.inspection.diagnosis)
    stream.cancel()
  }

  func testAStreamWhoseInnerPublisherWaitsForItsSink() {
    let session = Session()
    session.start()
    session.requests.send(1)
    expect(
      "this stream's own closure at AT:\(Session.line) would send to it, so the stream may wait for itself",
      in: session.stream?.inspection.diagnosis ?? "")
    session.stream?.cancel()
  }

  func testCodeThatCanBlockAnActorIsPointedOut() async {
    let archive = Archive()
    let stream = subject.receive(on: archive).sink(isolation: nil) { _ in }
    let isFree = DispatchSemaphore(value: 0)
    let begun = PassthroughSubject<Void, Never>()
    let beginning = begun.first().sink(isolation: nil) { _ in }
    async let export: Void = archive.export(begun, until: isFree)
    while !beginning.inspection.diagnosis.contains("ended") { await Task.yield() }
    subject.send(1)
    var thresholds = Inspection.Thresholds()
    thresholds.silence = .zero
    let findings = Inspection(of: stream, thresholds: thresholds).findings
    expect("Look at AT:\(Archive.line), which can block it, or receive", in: "\(findings)")
    isFree.signal()
    await export
    stream.cancel()
  }
}

private final class Leaking {
  let values = PassthroughSubject<Int, Never>()
  static let line = #line - 1
  private var cancellables: Set<AnyCancellable> = []
  private var count = 0

  init() { values.sink(isolation: nil) { _ in self.count += 1 }.store(in: &cancellables) }
}

private final class OuterModel {
  let taps = PassthroughSubject<Int, Never>()
  var stored: AnyCancellable?
  var mapped: AnyCancellable?
  var cancellables: Set<AnyCancellable> = []

  func start() {
    self.stored = self.taps.map { $0 + 1 }
      .sink(isolation: nil) { _ in }
    self.taps.sink(isolation: nil) { _ in }.store(in: &self.cancellables)
    self.mapped = self.taps.map(self.next).sink(isolation: nil) { _ in }
  }

  func follow(_ values: some Publisher<Int, Never>) {
    values.sink(isolation: nil) { _ in }
      .store(in: &cancellables)
  }

  private func next(_ value: Int) -> Int { value + 1 }
}

private final class Session {
  let requests = PassthroughSubject<Int, Never>()
  private let tokens = PassthroughSubject<String, Never>()
  private(set) var stream: AnyCancellable?
  static let line = #line + 6

  func start() {
    stream = requests.flatMap { [tokens] request in
      tokens.first().map { "\($0) \(request)" }
    }
    .sink(with: self, isolation: nil) { me, answer in me.renew(answer) }
  }

  private func renew(_ answer: String) { tokens.send(answer) }
}

private actor Archive {
  func export(_ begun: PassthroughSubject<Void, Never>, until isFree: DispatchSemaphore) {
    begun.send()
    isFree.wait()
  }

  static let line = #line - 3
}

private let delays = DispatchQueue.test
private let lineOfDelay = #line + 5
private let lineOfPrefix = #line + 9

extension Publisher {
  fileprivate func settled() -> some Publisher<Output, Failure> {
    delay(for: .seconds(1), scheduler: delays)
      .handleEvents(receiveOutput: { _ in })
  }

  fileprivate func stopped(_ trigger: some Publisher<Bool, Never>) -> some Publisher<Output, Failure> {
    prefix(untilOutputFrom: trigger)
  }
}
