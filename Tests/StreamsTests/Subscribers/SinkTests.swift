import Streams
import Testing

struct SinkTests {
  private let source = ManualSource<Int, TestError>()

  @Test func `requests unlimited demand and calls its closures`() {
    var log: [String] = []
    let cancellable = source.sink {
      log.append("\($0)")
    } receiveValue: {
      log.append("\($0)")
    }
    #expect(source.requests == [.unlimited])
    source.send(1)
    source.finish()
    #expect(log == ["1", "finished"])
    cancellable.cancel()
  }

  @Test func `needs no completion closure for a publisher that cannot fail`() {
    var values: [Int] = []
    _ = [1, 2].publisher.sink { values.append($0) }
    #expect(values == [1, 2])
  }

  @Test func `calls no closure after cancellation or after the cancellable is released`() {
    source.ignoresCancellation = true
    var count = 0
    source.sink { _ in
      count += 1
    } receiveValue: { _ in
      count += 1
    }.cancel()
    source.send(1)
    source.finish()
    #expect(count == 0)
    #expect(source.cancelCount == 1)

    do {
      _ = source.sink { _ in
      } receiveValue: { _ in
      }
    }
    #expect(source.cancelCount == 2)
  }

  @Test func `calls no closure after the completion`() {
    source.ignoresCancellation = true
    var log: [String] = []
    let cancellable = source.sink {
      log.append("\($0)")
    } receiveValue: {
      log.append("\($0)")
    }
    source.finish()
    source.send(1)
    source.finish()
    #expect(log == ["finished"])
    cancellable.cancel()
    #expect(source.cancelCount == 0)
  }

  @Test func `cancels a second subscription`() {
    let sink = Subscribers.Sink<Int, TestError>(receiveCompletion: { _ in }, receiveValue: { _ in })
    let second = ManualSource<Int, TestError>()
    source.subscribe(sink)
    second.subscribe(sink)
    #expect(second.cancelCount == 1)
    #expect(second.requests == [])
    #expect(source.cancelCount == 0)
  }

  @Test func `remembers a cancellation before the subscription arrives, unlike Combine`() {
    let sink = Subscribers.Sink<Int, TestError>(receiveCompletion: { _ in }, receiveValue: { _ in })
    sink.cancel()
    source.subscribe(sink)
    #expect(source.cancelCount == 1)
    #expect(source.requests == [])
  }

  @Test func `does not reflect its closures`() {
    let sink = Subscribers.Sink<Int, Never>(receiveCompletion: { _ in }, receiveValue: { _ in })
    #expect(Mirror(reflecting: sink).children.isEmpty)
    #expect(sink.playgroundDescription as? String == "Sink")
  }

  @Test func `describes itself`() {
    #expect("\(Subscribers.Sink<Int, Never>(receiveCompletion: { _ in }, receiveValue: { _ in }))" == "Sink")
  }

  @Test func `releases its closures on completion while its cancellable exists`() {
    weak var released: TestObject?
    let subject = PassthroughSubject<Int, Never>()
    let cancellable: AnyCancellable
    do {
      let object = TestObject()
      released = object
      cancellable = subject.sink { [object] _ in _ = object }
    }
    #expect(released != nil)
    subject.send(completion: .finished)
    #expect(released == nil)
    withExtendedLifetime(cancellable) {}
  }

  // MARK: Retention by upstream

  /// An object, and closures that capture it.
  private final class Captured {
    private(set) weak var object: TestObject?
    private(set) var receiveValue: ((Int) -> Void)!
    private(set) var receiveCompletion: ((Subscribers.Completion<TestError>) -> Void)!

    init(_ onValue: @escaping (Int) -> Void = { _ in }) {
      let object = TestObject()
      self.object = object
      receiveValue = { [object] in
        onValue($0)
        withExtendedLifetime(object) {}
      }
      receiveCompletion = { [object] _ in withExtendedLifetime(object) {} }
    }

    /// Passes the closures to a sink, and keeps none of them.
    func attach<P: Publisher>(to publisher: P) -> AnyCancellable where P.Output == Int, P.Failure == TestError {
      defer { (receiveValue, receiveCompletion) = (nil, nil) }
      return publisher.sink(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
    }

    func sink() -> Subscribers.Sink<Int, TestError> {
      defer { (receiveValue, receiveCompletion) = (nil, nil) }
      return Subscribers.Sink(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
    }
  }

  private enum End: CaseIterable { case cancellation, finish, failure }

  private func end(_ end: End, _ cancellable: any Cancellable) {
    switch end {
    case .cancellation: cancellable.cancel()
    case .finish: source.finish()
    case .failure: source.fail(.first)
    }
  }

  @Test(arguments: End.allCases)
  private func `releases its closures even if upstream keeps the subscriber`(_ end: End) {
    source.ignoresCancellation = true
    let captured = Captured()
    let cancellable = captured.attach(to: source)
    source.send(1)
    #expect(captured.object != nil)
    self.end(end, cancellable)
    #expect(captured.object == nil)
    source.send(2)
    source.finish()
    cancellable.cancel()
  }

  @Test(arguments: End.allCases)
  private func `a Sink releases its closures even if it is referenced itself`(_ end: End) {
    source.ignoresCancellation = true
    let captured = Captured()
    let sink = captured.sink()
    source.subscribe(sink)
    source.send(1)
    #expect(captured.object != nil)
    self.end(end, sink)
    #expect(captured.object == nil)
    source.send(2)
    source.finish()
    sink.receiveValue(3)
    sink.receiveCompletion(.finished)
  }

  @Test func `a Sink keeps its closures until the end`() {
    var log: [String] = []
    let sink = Subscribers.Sink<Int, TestError> {
      log.append("\($0)")
    } receiveValue: {
      log.append("\($0)")
    }
    sink.receiveValue(1)
    sink.receiveCompletion(.finished)
    sink.cancel()
    sink.receiveValue(2)
    sink.receiveCompletion(.finished)
    #expect(log == ["1", "finished"])
  }

  @Test func `a Sink that is cancelled before it subscribes retains nothing`() {
    let captured = Captured()
    let sink = captured.sink()
    sink.cancel()
    #expect(captured.object == nil)
    source.subscribe(sink)
  }

  @Test(arguments: End.allCases)
  private func `releases a closure when it returns, if the stream ends while it runs`(_ end: End) {
    source.ignoresCancellation = true
    var wasThere: [Bool] = []
    var cancellable: AnyCancellable?
    weak var object: TestObject?
    let captured = Captured { value in
      if value == 1 { source.send(2) }
      if value == 2 { self.end(end, cancellable!) }
      wasThere.append(object != nil)
    }
    object = captured.object
    cancellable = captured.attach(to: source)
    source.send(1)
    #expect(wasThere == [true, true])
    #expect(object == nil)
  }

  @Test func `an object that a closure captures may cancel and send from its deinit`() {
    final class Caller {
      let call: () -> Void
      init(_ call: @escaping () -> Void) { self.call = call }
      deinit { call() }
    }
    source.ignoresCancellation = true
    var count = 0
    var cancellable: AnyCancellable?
    do {
      let caller = Caller {
        count += 1
        cancellable?.cancel()
        source.send(2)
        source.finish()
      }
      cancellable = source.sink(receiveCompletion: { _ in }, receiveValue: { _ in withExtendedLifetime(caller) {} })
    }
    source.send(1)
    #expect(count == 0)
    cancellable?.cancel()
    #expect(count == 1)
  }

  @Test func `releases its closures through operators whose types are known`() {
    func check<P: Publisher>(_ name: String, _ build: (ManualSource<Int, TestError>) -> P)
    where P.Output == Int, P.Failure == TestError {
      for end in End.allCases {
        let source = ManualSource<Int, TestError>()
        source.ignoresCancellation = true
        let captured = Captured()
        let cancellable = captured.attach(to: build(source))
        source.send(1)
        switch end {
        case .cancellation: cancellable.cancel()
        case .finish: source.finish()
        case .failure: source.fail(.first)
        }
        #expect(captured.object == nil, "\(name), \(end)")
        cancellable.cancel()
      }
    }
    check("map and filter") { $0.map { $0 + 1 }.filter { $0 > 0 } }
    check("removeDuplicates") { $0.removeDuplicates() }
    check("scan and prefix") { $0.scan(0, +).prefix(100) }
    check("first") { $0.first() }
    check("reduce") { $0.reduce(0, +) }
    check("append") { $0.append(4) }
    check("prepend") { $0.prepend(4) }
    check("merge") { $0.merge(with: Empty()) }
    check("zip") { $0.zip(Just(1).setFailureType(to: TestError.self)) { $0 + $1 } }
    check("combineLatest") { $0.combineLatest(Just(1).setFailureType(to: TestError.self)) { $0 + $1 } }
    check("flatMap") { $0.flatMap { Just($0).setFailureType(to: TestError.self) } }
    check("share") { $0.share() }
    check("handleEvents") { $0.handleEvents() }
    check("buffer") { $0.buffer(size: 1, prefetch: .byRequest, whenFull: .dropOldest) }
    check("merge and removeDuplicates") { $0.merge(with: Empty()).removeDuplicates() }
  }

  @Test(arguments: End.allCases)
  private func `releases its closures after append has subscribed to its suffix`(_ end: End) {
    let prefix = ManualSource<Int, TestError>()
    for source in [prefix, source] { source.ignoresCancellation = true }
    let captured = Captured()
    let cancellable = captured.attach(to: prefix.append(source))
    prefix.finish()
    source.send(1)
    self.end(end, cancellable)
    #expect(captured.object == nil)
    cancellable.cancel()
  }

  @Test(arguments: [true, false])
  func `releases its closures when the outer or the inner publisher of switchToLatest fails`(_ isOuter: Bool) {
    let outer = ManualSource<ManualSource<Int, TestError>, TestError>()
    source.ignoresCancellation = true
    outer.ignoresCancellation = true
    let captured = Captured()
    let cancellable = captured.attach(to: outer.switchToLatest())
    outer.send(source)
    source.send(1)
    if isOuter { outer.fail(.first) } else { source.fail(.first) }
    #expect(captured.object == nil)
    cancellable.cancel()
  }

  @Test(arguments: [Demand.all, .one])
  private func `a cancelled operator releases its subscriber even if upstream keeps the operator`(
    _ demand: Demand
  ) {
    // Not a sink: this examines what the operator itself retains.
    weak var released: SignalRecorder<Int, TestError>?
    let other = ManualSource<Int, TestError>()
    for source in [other, source] { source.ignoresCancellation = true }
    do {
      let recorder = record(source.merge(with: other), demand == .all ? .unlimited : .max(1))
      released = recorder
      source.send(1)
      other.send(2)
      recorder.cancel()
    }
    #expect(released == nil)
  }

  private enum Demand { case all, one }

  @Test(arguments: [false, true])
  func `the closures outlive the call in which the stream is cancelled`(isForeign: Bool) {
    let (foreign, subject) = (ManualSource<Int, Never>(), PassthroughSubject<Int, Never>())
    let publisher = isForeign ? foreign.eraseToAnyPublisher() : subject.eraseToAnyPublisher()
    weak var witness: TestObject?
    var isAlive = false
    var cancellable: AnyCancellable?
    do {
      let object = TestObject()
      witness = object
      cancellable = publisher.sink { _ in
        _ = object
      } receiveValue: { _ in
        cancellable?.cancel()
        isAlive = witness != nil
      }
    }
    if isForeign { _ = foreign.send(1) } else { subject.send(1) }
    #expect(isAlive)
    cancellable = nil
    #expect(witness == nil)
  }
}
