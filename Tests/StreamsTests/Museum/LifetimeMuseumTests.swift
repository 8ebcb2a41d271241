import Dispatch
import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// Bugs of other reactive libraries: leaks and lifetime.
struct LifetimeMuseumTests {
  private let scheduler = DispatchQueue.test
  private let subject = PassthroughSubject<Int, TestError>()

  /// teufelaudio/FoundationExtensions, release 0.1.14
  @Test(arguments: [Subscribers.Demand.unlimited, .none])
  func `flatMap did not cancel upstream when an inner publisher had failed`(_ demand: Subscribers.Demand) {
    /// Runs a stream whose inner publisher 2 fails, beside two others, and checks that all are cancelled and released.
    func check(fail: (ManualSource<Int, TestError>, ManualSource<Int, TestError>) -> Void, _ isInner: Bool) {
      weak var released: ManualSource<Int, TestError>?
      let inners = (0..<3).map { _ in ManualSource<Int, TestError>() }
      let recorder: SignalRecorder<Int, TestError>
      do {
        let outer = ManualSource<Int, TestError>()
        released = outer
        recorder = record(outer.flatMap { inners[$0] }, demand)
        for value in 0...2 { outer.send(value) }
        fail(outer, inners[2])
        #expect(outer.cancelCount == (isInner ? 1 : 0))
        recorder.cancel()
        #expect(outer.cancelCount == (isInner ? 1 : 0))
      }
      #expect(recorder.log == ["first"])
      #expect(inners.map(\.cancelCount) == [1, 1, isInner ? 0 : 1])
      #expect(released == nil)
    }
    check(fail: { _, inner in inner.fail(.first) }, true)
    check(fail: { outer, _ in outer.fail(.first) }, false)

    // A timer, and an inner publisher that fails at once, or later.
    for isDelayed in [false, true] {
      var cancelCount = 0
      let failing = Fail<Int, TestError>(error: .first)
      let stream = scheduler.timerPublisher(every: 1).autoconnect().handleEvents(receiveCancel: { cancelCount += 1 })
        .scan(0) { count, _ in count + 1 }.setFailureType(to: TestError.self)
        .flatMap { [scheduler] count -> AnyPublisher<Int, TestError> in
          if count < 4 { return Just(count).setFailureType(to: TestError.self).eraseToAnyPublisher() }
          return isDelayed
            ? failing.delay(for: 3, scheduler: scheduler).eraseToAnyPublisher() : failing.eraseToAnyPublisher()
        }
      let recorder = record(stream)
      scheduler.run()
      #expect(recorder.log == ["1", "2", "3", "first"])
      #expect(cancelCount == 1)
      #expect(scheduler.pendingCount == 0)
    }
  }

  /// How a stream ends.
  private enum End: CaseIterable {
    case cancels, finishes, fails, releasesCancellable
  }

  /// OpenCombine/OpenCombine#208, #186, commits adcee8c, 925bee4
  @Test func `what a subscriber held sent to its subject when it was released, and waited for a lock`() {
    typealias Source = PassthroughSubject<Int, TestError>
    typealias Values = PassthroughSubject<OnDeinit, TestError>

    /// Ends a stream of which an object is a part that sends a completion when it is released.
    ///
    /// A value for which `zip` has no counterpart waits for one even after its source has finished.
    func check(
      _ name: String, isKept: Bool = false, _ build: (Source, OnDeinit) -> AnyPublisher<Int, TestError>,
      prepare: (Source) -> Void = { _ in }
    ) {
      for end in End.allCases {
        let subject = Source()
        var deinits = 0
        var cancellable: AnyCancellable?
        do {
          let object = OnDeinit {
            deinits += 1
            subject.send(completion: .finished)
            subject.send(0)
          }
          cancellable = build(subject, object).sink(isolation: nil) { _ in
          } receiveValue: { _ in
            object.touch()
          }
        }
        prepare(subject)
        #expect(deinits == 0, "\(name)")
        switch end {
        case .cancels: cancellable?.cancel()
        case .finishes: subject.send(completion: .finished)
        case .fails: subject.send(completion: .failure(.first))
        case .releasesCancellable: cancellable = nil
        }
        #expect(deinits == (isKept && end == .finishes ? 0 : 1), "\(name) \(end)")
        cancellable = nil
        #expect(deinits == 1, "\(name) \(end)")
      }
    }
    let never = Source()
    func values(_ source: Source, _ object: OnDeinit) -> Publishers.Map<Source, OnDeinit> {
      source.map { [object] _ in object }
    }
    check("sink") { source, _ in source.eraseToAnyPublisher() }
    check("append") { source, object in
      source.append(
        Deferred { [object] in Just(0).map { _ in object.touch() }.map { 0 } }
          .setFailureType(to: TestError.self)
      ).eraseToAnyPublisher()
    }
    check("multicast") { source, object in
      source.multicast {
        object.touch()
        return PassthroughSubject<Int, TestError>()
      }.autoconnect().eraseToAnyPublisher()
    }
    let send: (Source) -> Void = { $0.send(1) }
    check("zip", isKept: true, { values($0, $1).zip(never) { _, _ in 0 }.eraseToAnyPublisher() }, prepare: send)
    check("collect", { values($0, $1).collect().map(\.count).eraseToAnyPublisher() }, prepare: send)
    check("collect(2)", { values($0, $1).collect(2).map(\.count).eraseToAnyPublisher() }, prepare: send)
    check("last", { values($0, $1).last().map { _ in 0 }.eraseToAnyPublisher() }, prepare: send)

    // The root of assign.
    final class Root {
      let token: OnDeinit
      var value = 0
      init(_ token: OnDeinit) { self.token = token }
    }
    let numbers = PassthroughSubject<Int, Never>()
    var deinits = 0
    let assignment = numbers.assign(
      to: \.value,
      on: Root(
        OnDeinit {
          deinits += 1
          numbers.send(completion: .finished)
        }))
    numbers.send(1)
    assignment.cancel()
    #expect(deinits == 1)

    // A value that waits in a buffer.
    for isCancelled in [true, false] {
      let values = PassthroughSubject<OnDeinit, Never>()
      var deinits = 0
      let recorder = record(values.buffer(size: 5, prefetch: .byRequest, whenFull: .dropOldest), .none)
      for _ in 0..<7 {
        values.send(
          OnDeinit {
            deinits += 1
            values.send(completion: .finished)
          })
      }
      if isCancelled { recorder.cancel() }
      #expect(deinits == (isCancelled ? 7 : 2))
      recorder.cancel()
      #expect(deinits == 7)
    }
  }

  /// pointfreeco/swift-composable-architecture#194, OpenCombine/OpenCombine commit 3d3adb5
  @Test(arguments: ["finish", "cancel before the suffix", "cancel in the suffix", "fail"])
  func `append kept its prefix or its suffix after the end`(_ end: String) {
    typealias Source = ManualSource<Int, TestError>
    weak var releasedPrefix: Source?
    weak var releasedSuffix: Source?
    weak var releasedObject: TestObject?
    let recorder: SignalRecorder<Int, TestError>
    do {
      let (prefix, suffix, object) = (Source(), Source(), TestObject())
      (releasedPrefix, releasedSuffix, releasedObject) = (prefix, suffix, object)
      recorder = record(prefix.append(suffix).map { [object] value in withExtendedLifetime(object) { value } })
      switch end {
      case "finish":
        prefix.finish()
        suffix.finish()
      case "cancel before the suffix":
        recorder.cancel()
      case "cancel in the suffix":
        prefix.finish()
        suffix.send(1)
        recorder.cancel()
      default:
        prefix.fail(.first)
      }
    }
    #expect(recorder.subscription != nil)
    #expect(releasedPrefix == nil)
    #expect(releasedSuffix == nil)
    #expect(releasedObject == nil)
    withExtendedLifetime(recorder) {}
  }

  /// pointfreeco/swift-composable-architecture#997
  @Test func `prefix(untilOutputFrom:) kept its subscription to the trigger`() {
    let trigger = ManualSource<Void, Never>()
    for count in 1...300 {
      let source = ManualSource<Int, TestError>()
      let recorder = record(source.prefix(untilOutputFrom: trigger))
      switch count % 3 {
      case 0: source.finish()
      case 1: source.fail(.first)
      default: recorder.cancel()
      }
      #expect(trigger.subscriberCount == count)
      #expect(trigger.cancelCount == count)
    }
  }

  /// reactor/reactor-core#3002, ReactiveX/RxJava#4228
  @Test func `subscribers that had cancelled stayed in a subject`() {
    let (passthrough, current) = (PassthroughSubject<Int, Never>(), CurrentValueSubject<Int, Never>(0))
    let shared = passthrough.share()
    let timer = scheduler.timerPublisher(every: 1).autoconnect().map { _ in 0 }
    let streams = [
      passthrough.eraseToAnyPublisher(), current.eraseToAnyPublisher(), shared.eraseToAnyPublisher(),
      timer.eraseToAnyPublisher(),
    ]
    for stream in streams {
      let remaining = stream.sink(isolation: nil) { _ in }
      for _ in 0..<10_000 {
        weak var released: TestObject?
        let cancellable: AnyCancellable
        do {
          let object = TestObject()
          released = object
          cancellable = stream.sink(isolation: nil) { [object] _ in withExtendedLifetime(object) {} }
        }
        #expect(released != nil)
        cancellable.cancel()
        #expect(released == nil)
      }
      remaining.cancel()
    }
    #expect(scheduler.pendingCount == 0)
  }

  /// ReactiveX/RxJava#6475, #6371, #1865
  @Test func `a subject kept values that it no longer replays`() {
    let subject = ReplaySubject<TestObject, Never>(bufferSize: 1)
    weak var first: TestObject?
    do {
      let object = TestObject()
      first = object
      subject.send(object)
    }
    #expect(first != nil)
    subject.send(TestObject())
    #expect(first == nil)

    weak var second: TestObject?
    let slow = SignalRecorder<TestObject, Never>(.none)
    do {
      let object = TestObject()
      second = object
      subject.send(object)
      subject.subscribe(slow)
    }
    slow.cancel()
    for _ in 0..<1_000 { subject.send(TestObject()) }
    #expect(second == nil)
    #expect(slow.log == [])
  }

  /// ReactiveX/RxJava#1018, #943; ReactiveX/rxjs#5621
  @Test func `retry kept every earlier attempt`() {
    var (live, most, attempts) = (0, 0, 0)
    func attempt() -> AnyPublisher<Int, TestError> {
      attempts += 1
      live += 1
      most = max(most, live)
      let token = OnDeinit { live -= 1 }
      return Fail<Int, TestError>(error: .first).handleEvents(receiveSubscription: { _ in token.touch() })
        .eraseToAnyPublisher()
    }
    #expect(log(Deferred { attempt() }.retry(1_000)) == ["first"])
    #expect(attempts == 1_001)
    #expect(live == 0)
    #expect(most == 1)
  }

  /// ReactiveX/rxjs#337
  @Test func `timers of an operator were still scheduled after the end`() {
    typealias Source = PassthroughSubject<Int, TestError>
    typealias Stream = AnyPublisher<String, TestError>
    let scheduler = scheduler
    let streams: [(name: String, build: (Source) -> Stream)] = [
      ("debounce", { $0.debounce(for: 5, scheduler: scheduler).map { "\($0)" }.eraseToAnyPublisher() }),
      ("throttle", { $0.throttle(for: 5, scheduler: scheduler, latest: true).map { "\($0)" }.eraseToAnyPublisher() }),
      ("delay", { $0.delay(for: 5, scheduler: scheduler).map { "\($0)" }.eraseToAnyPublisher() }),
      ("timeout", { $0.timeout(5, scheduler: scheduler).map { "\($0)" }.eraseToAnyPublisher() }),
      ("receive", { $0.receive(on: scheduler).map { "\($0)" }.eraseToAnyPublisher() }),
      ("collect", { $0.collect(.byTime(scheduler, 5)).map { "\($0)" }.eraseToAnyPublisher() }),
      ("collect or count", { $0.collect(.byTimeOrCount(scheduler, 5, 3)).map { "\($0)" }.eraseToAnyPublisher() }),
    ]
    for (name, build) in streams {
      for end in ["cancel", "finish", "fail"] {
        weak var released: TestObject?
        let subject = Source()
        var cancellable: AnyCancellable?
        do {
          let object = TestObject()
          released = object
          cancellable = build(subject).sink(isolation: nil) { _ in
          } receiveValue: { [object] _ in
            withExtendedLifetime(object) {}
          }
        }
        subject.send(1)
        subject.send(2)
        #expect(scheduler.pendingCount > 0, "\(name), \(end)")
        scheduler.advance(by: 1)
        switch end {
        case "cancel": cancellable?.cancel()
        case "finish": subject.send(completion: .finished)
        default: subject.send(completion: .failure(.first))
        }
        // What is still to be delivered is.
        if end != "cancel" { scheduler.advance(by: 5) }
        #expect(scheduler.pendingCount == 0, "\(name), \(end)")
        #expect(released == nil, "\(name), \(end)")
        cancellable = nil
      }
    }
  }

  /// OpenCombine/OpenCombine#241
  @Test func `an operator was released while one of its sources had still to finish`() {
    let scheduler = scheduler
    func just() -> AnyPublisher<Int, Never> { Just(1).delay(for: 600, scheduler: scheduler).eraseToAnyPublisher() }
    let streams = [
      just().zip(just()) { $0 + $1 }.eraseToAnyPublisher(),
      just().combineLatest(just()) { $0 + $1 }.eraseToAnyPublisher(),
      just().merge(with: just()).eraseToAnyPublisher(),
      [1, 1].publisher.flatMap { _ in just() }.eraseToAnyPublisher(),
    ]
    let expected = [["2"], ["2"], ["1", "1"], ["1", "1"]]
    for (stream, values) in zip(streams, expected) {
      #expect(later(stream, isCancelledByValue: false) == values + ["finished"])
      #expect(later(stream, isCancelledByValue: true) == Array(values.prefix(1)))
    }
  }

  private func later(_ stream: AnyPublisher<Int, Never>, isCancelledByValue: Bool) -> [String] {
    let lines = Box<[String]>([])
    let cancellable = Box<AnyCancellable?>(nil)
    cancellable.value = stream.sink(isolation: nil) { _ in
      lines.value.append("finished")
      cancellable.value = nil
    } receiveValue: { value in
      lines.value.append("\(value)")
      if isCancelledByValue { cancellable.value = nil }
    }
    scheduler.run()
    return lines.value
  }
}
