import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// After the end of a stream nothing of it is retained, even if the subscription still exists: the objects that the
/// operator's closures capture, the subscriber and, with the last reference of the caller, the source are released.
struct LeakTests {
  /// An operator, with an object that its closures capture.
  struct Operator: CustomTestStringConvertible, Sendable {
    typealias Source = PassthroughSubject<Int, TestError>
    typealias Stream = AnyPublisher<Int, any Error>

    let name: String
    let build: @Sendable (Source, TestObject) -> Stream

    var testDescription: String { name }

    init<P: Publisher & SendableMetatype>(
      _ name: String, _ build: @escaping @Sendable (Source, TestObject) -> P
    ) where P.Output == Int {
      self.name = name
      self.build = { build($0, $1).mapError { $0 }.eraseToAnyPublisher() }
    }
  }

  enum End: CaseIterable {
    case finish
    case failure
    case cancellation
    case cancellationFromInside
  }

  static func keep<T>(_ object: TestObject, _ value: T) -> T { value }

  static let never = PassthroughSubject<Int, TestError>()

  static let operators: [Operator] = [
    Operator("map") { source, object in source.map { keep(object, $0) } },
    Operator("tryMap") { source, object in source.tryMap { keep(object, $0) } },
    Operator("mapError") { source, object in source.mapError { keep(object, $0) } },
    Operator("scan") { source, object in source.scan(0) { keep(object, $0 + $1) } },
    Operator("tryScan") { source, object in source.tryScan(0) { keep(object, $0 + $1) } },
    Operator("filter") { source, object in source.filter { _ in keep(object, true) } },
    Operator("tryFilter") { source, object in source.tryFilter { _ in keep(object, true) } },
    Operator("compactMap") { source, object in source.compactMap { keep(object, $0) } },
    Operator("tryCompactMap") { source, object in source.tryCompactMap { keep(object, $0) } },
    Operator("removeDuplicates") { source, object in source.removeDuplicates { _, _ in keep(object, false) } },
    Operator("tryRemoveDuplicates") { source, object in source.tryRemoveDuplicates { _, _ in keep(object, false) } },
    Operator("dropFirst") { source, object in source.map { keep(object, $0) }.dropFirst(0) },
    Operator("prefix") { source, object in source.map { keep(object, $0) }.prefix(100) },
    Operator("prefix that ends") { source, object in source.map { keep(object, $0) }.prefix(2) },
    Operator("first") { source, object in source.first { _ in keep(object, true) } },
    Operator("tryFirst") { source, object in source.tryFirst { _ in keep(object, true) } },
    Operator("output(at:)") { source, object in source.map { keep(object, $0) }.output(at: 1) },
    Operator("prefix(untilOutputFrom:)") { source, object in
      source.prefix(untilOutputFrom: never.map { keep(object, $0) })
    },
    Operator("drop(untilOutputFrom:)") { source, object in
      source.drop(untilOutputFrom: Just(0).map { keep(object, $0) }.setFailureType(to: TestError.self))
    },
    Operator("collect") { source, object in source.map { keep(object, $0) }.collect().map(\.count) },
    Operator("collect(_:)") { source, object in source.map { keep(object, $0) }.collect(1).map(\.count) },
    Operator("collect(byTime)") { source, object in
      source.map { keep(object, $0) }.collect(.byTime(DispatchQueue.immediate, 1)).map(\.count)
    },
    Operator("breakpoint") { source, object in
      source.breakpoint(
        receiveSubscription: { _ in keep(object, false) }, receiveOutput: { _ in keep(object, false) },
        receiveCompletion: { _ in keep(object, false) })
    },
    Operator("catch") { source, object in source.catch { _ in keep(object, Just(0)) } },
    Operator("tryCatch") { source, object in source.tryCatch { _ in keep(object, Just(0)) } },
    Operator("replaceError") { source, object in source.map { keep(object, $0) }.replaceError(with: 0) },
    Operator("retry") { source, object in source.map { keep(object, $0) }.retry(1) },
    Operator("buffer") { source, object in
      source.buffer(size: 1, prefetch: .byRequest, whenFull: .customError { keep(object, .second) })
    },
    Operator("share") { source, object in source.map { keep(object, $0) }.share() },
    Operator("multicast") { source, object in
      source.map { keep(object, $0) }.multicast { PassthroughSubject() }.autoconnect()
    },
    Operator("flatMap") { source, object in source.flatMap { keep(object, Just($0)) } },
    Operator("flatMap with publishers that go on") { source, object in
      source.flatMap { value in never.map { keep(object, $0) }.prepend(value) }.prefix(1)
    },
    Operator("switchToLatest") { source, object in source.map { keep(object, Just($0)) }.switchToLatest() },
    Operator("merge") { source, object in
      source.merge(with: Empty<Int, TestError>().map { keep(object, $0) })
    },
    Operator("merge with one that goes on") { source, object in
      source.merge(with: never.map { keep(object, $0) }).prefix(1)
    },
    Operator("zip") { source, object in source.zip(source.map { keep(object, $0) }) { $0 + $1 } },
    Operator("combineLatest") { source, object in source.combineLatest(source.map { keep(object, $0) }) { $0 + $1 } },
    Operator("append") { source, object in source.append(Empty<Int, TestError>().map { keep(object, $0) }) },
    Operator("prepend") { source, object in
      source.prepend(Publishers.Sequence<[Int], TestError>(sequence: [0]).map { keep(object, $0) })
    },
    Operator("handleEvents") { source, object in
      source.handleEvents(
        receiveSubscription: { _ in keep(object, ()) }, receiveOutput: { _ in keep(object, ()) },
        receiveCompletion: { _ in keep(object, ()) }, receiveCancel: { keep(object, ()) },
        receiveRequest: { _ in keep(object, ()) })
    },
    Operator("debounce") { source, object in
      source.map { keep(object, $0) }.debounce(for: 1, scheduler: DispatchQueue.immediate)
    },
    Operator("throttle") { source, object in
      source.map { keep(object, $0) }.throttle(for: 1, scheduler: DispatchQueue.immediate, latest: true)
    },
    Operator("delay") { source, object in
      source.map { keep(object, $0) }.delay(for: 1, scheduler: DispatchQueue.immediate)
    },
    Operator("timeout") { source, object in
      source.timeout(1, scheduler: DispatchQueue.immediate, customError: { keep(object, .second) })
    },
    Operator("receive(on:)") { source, object in
      source.map { keep(object, $0) }.receive(on: DispatchQueue.immediate)
    },
    Operator("subscribe(on:)") { source, object in
      source.map { keep(object, $0) }.subscribe(on: DispatchQueue.immediate)
    },
    Operator("measureInterval") { source, object in
      source.map { keep(object, $0) }.measureInterval(using: DispatchQueue.immediate).map(\.magnitude)
    },
    Operator("subject in between") { source, object in
      Deferred { () -> AnyPublisher<Int, TestError> in
        let subject = PassthroughSubject<Int, TestError>()
        let attachment = source.map { keep(object, $0) }.subscribe(subject)
        return subject.handleEvents(receiveCancel: { attachment.cancel() }).eraseToAnyPublisher()
      }
    },
  ]

  @Test(arguments: operators, End.allCases)
  func `a stream that has ended retains nothing`(_ operation: Operator, _ end: End) {
    weak var captured: TestObject?
    weak var subscriber: SignalRecorder<Int, any Error>?
    weak var releasedSource: PassthroughSubject<Int, TestError>?
    var subscription: (any Subscription)?
    do {
      let source = PassthroughSubject<Int, TestError>()
      releasedSource = source
      do {
        let object = TestObject()
        let recorder = SignalRecorder<Int, any Error>()
        (captured, subscriber) = (object, recorder)
        operation.build(source, object).subscribe(recorder)
        subscription = recorder.subscription
        #expect(subscription != nil)
        if end == .cancellationFromInside {
          recorder.onValue = { [unowned recorder] _ in
            recorder.cancel()
            return .none
          }
        }
      }
      source.send(1)
      switch end {
      case .finish: source.send(completion: .finished)
      case .failure:
        source.send(completion: .failure(.first))
      case .cancellation: subscription?.cancel()
      case .cancellationFromInside: subscription?.cancel()
      }
      #expect(captured == nil, "What the closures capture is released, while the user holds source and subscription.")
      #expect(subscriber == nil, "The subscriber is released, while the user holds source and subscription.")
    }
    #expect(releasedSource == nil, "The source is released, while the user holds the subscription.")
    withExtendedLifetime(subscription) {}
  }

  @Test(arguments: operators)
  func `a stream without demand retains nothing after cancellation`(_ operation: Operator) {
    weak var captured: TestObject?
    weak var subscriber: SignalRecorder<Int, any Error>?
    let source = PassthroughSubject<Int, TestError>()
    do {
      let object = TestObject()
      let recorder = SignalRecorder<Int, any Error>(.none)
      (captured, subscriber) = (object, recorder)
      operation.build(source, object).subscribe(recorder)
      #expect(recorder.subscription != nil)
      recorder.cancel()
    }
    #expect(captured == nil)
    #expect(subscriber == nil)
    withExtendedLifetime(source) {}
  }

  /// Operators that have scheduled work. The test keeps the scheduler.
  @Test(arguments: ["debounce", "throttle", "delay", "timeout", "collect", "receive(on:)"])
  func `a cancelled stream has nothing scheduled`(_ name: String) {
    weak var captured: TestObject?
    let scheduler = DispatchQueue.test
    let source = PassthroughSubject<Int, TestError>()
    do {
      let object = TestObject()
      captured = object
      let values = source.map { Self.keep(object, $0) }
      let publisher: AnyPublisher<Int, TestError> =
        switch name {
        case "debounce": values.debounce(for: 3_600, scheduler: scheduler).eraseToAnyPublisher()
        case "throttle": values.throttle(for: 3_600, scheduler: scheduler, latest: true).eraseToAnyPublisher()
        case "delay": values.delay(for: 3_600, scheduler: scheduler).eraseToAnyPublisher()
        case "collect":
          values.collect(.byTime(scheduler, 3_600)).flatMap { $0.publisher }.eraseToAnyPublisher()
        case "timeout": values.timeout(3_600, scheduler: scheduler).eraseToAnyPublisher()
        default: values.receive(on: scheduler).eraseToAnyPublisher()
        }
      let cancellable = publisher.sink { _ in
      } receiveValue: { [object] _ in
        _ = object
      }
      source.send(1)
      source.send(2)
      #expect(scheduler.pendingCount > 0)
      cancellable.cancel()
    }
    scheduler.advance()
    #expect(scheduler.pendingCount == 0)
    #expect(captured == nil)
  }

  @Test func `cancellation releases buffered values`() {
    weak var released: TestObject?
    let source = PassthroughSubject<TestObject, Never>()
    let recorder = SignalRecorder<TestObject, Never>(.none)
    source.buffer(size: 3, prefetch: .byRequest, whenFull: .dropNewest).subscribe(recorder)
    do {
      let object = TestObject()
      released = object
      source.send(object)
    }
    #expect(released != nil)
    recorder.cancel()
    #expect(released == nil)
  }

  @Test func `cancellation releases values that wait to be paired`() {
    weak var released: TestObject?
    let source = PassthroughSubject<TestObject, Never>()
    let cancellable = source.zip(PassthroughSubject<Int, Never>()).sink { _ in }
    do {
      let object = TestObject()
      released = object
      source.send(object)
    }
    #expect(released != nil)
    cancellable.cancel()
    #expect(released == nil)
  }

  @Test func `cancellation releases the latest values of combineLatest`() {
    weak var released: TestObject?
    let source = PassthroughSubject<TestObject, Never>()
    let cancellable = source.combineLatest(Just(1)).sink { _ in }
    do {
      let object = TestObject()
      released = object
      source.send(object)
    }
    #expect(released != nil)
    cancellable.cancel()
    #expect(released == nil)
  }

  @Test(arguments: [true, false])
  func `a sequence is released when it ends or is cancelled`(isCancelled: Bool) {
    weak var captured: TestObject?
    let recorder = SignalRecorder<Int, Never>(isCancelled ? .max(1) : .unlimited)
    do {
      let object = TestObject()
      captured = object
      [1, 2, 3].publisher.map { Self.keep(object, $0) }.subscribe(recorder)
    }
    if isCancelled { recorder.cancel() }
    #expect(recorder.values == (isCancelled ? [1] : [1, 2, 3]))
    #expect(captured == nil)
  }

  /// A publisher that is retained only by the test and by operators that have yet to subscribe to it.
  private typealias Source = ProbePublisher<ContractError>

  private func subscription(of source: Source?) -> ProbeSubscription<ContractError>? {
    source?.records.first?.subscription as? ProbeSubscription<ContractError>
  }

  @Test func `append keeps the second publisher until it subscribes to it, and releases the first`() {
    weak var (kept, released): (Source?, Source?)
    var (first, second): (Source?, Source?) = (Source(), Source())
    (released, kept) = (first, second)
    let recorder = record(first!.append(second!))
    let firstSubscription = subscription(of: first)
    (first, second) = (nil, nil)
    #expect(released == nil)
    #expect(kept != nil)

    firstSubscription?.end(.finished)
    #expect(kept == nil)
    #expect(recorder.subscriptions.count == 1)
    recorder.cancel()
  }

  @Test(arguments: ["catch", "tryCatch"])
  func `catch and tryCatch release the replacement publisher once they subscribe to it`(_ name: String) {
    weak var released: Source?
    let first = Source()
    var recorder: SignalRecorder<Parcel, any Error>?
    do {
      let second = Source()
      released = second
      // The handler returns it for one failure only.
      var handedOut: Source? = second
      func next() -> Source {
        defer { handedOut = nil }
        return handedOut!
      }
      let stream =
        name == "catch"
        ? first.catch { _ in next() }.mapError { $0 as any Error }.eraseToAnyPublisher()
        : first.tryCatch { _ in next() }.eraseToAnyPublisher()
      recorder = record(stream)
    }
    #expect(released != nil)
    first.fail()
    #expect(released == nil)
    recorder?.cancel()
  }

  @Test func `flattening operators release an inner publisher once they subscribe to it`() {
    let outer = PassthroughSubject<Source, ContractError>()
    let recorders = [record(outer.switchToLatest()), record(outer.flatMap { $0 })]
    weak var released: Source?
    do {
      let inner = Source()
      released = inner
      outer.send(inner)
    }
    #expect(released == nil)
    for recorder in recorders { recorder.cancel() }
  }

  @Test func `retry keeps its publisher until the stream ends`() {
    weak var kept: Source?
    var source: Source? = Source()
    kept = source
    let recorder = record(source!.retry(1))
    let first = subscription(of: source)
    source = nil
    #expect(kept != nil)

    first?.end(.failure(ContractError()))
    #expect(kept?.records.count == 2)
    recorder.cancel()
    #expect(kept == nil)
  }
}
