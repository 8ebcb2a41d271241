import Combine
import XCTest

// MARK: - Binding

extension Publisher where Failure == Never {
  func weakAssign<T: AnyObject>(
    to keyPath: ReferenceWritableKeyPath<T, Output>, on object: T
  ) -> AnyCancellable {
    sink { [weak object] value in
      object?[keyPath: keyPath] = value
    }
  }

  func assign<Root: AnyObject>(
    to keyPath: ReferenceWritableKeyPath<Root, Output?>, onWeak object: Root
  ) -> AnyCancellable {
    map(Optional.some).sink { [weak object] in object?[keyPath: keyPath] = $0 }
  }

  func bind<S: Subject>(to subject: S) -> AnyCancellable where S.Output == Output, S.Failure == Failure {
    subscribe(subject)
  }
}

extension Publisher {
  func sinkToResult(_ result: @escaping (Result<Output, Failure>) -> Void) -> AnyCancellable {
    sink(
      receiveCompletion: { completion in
        guard case .failure(let error) = completion else { return }
        result(.failure(error))
      },
      receiveValue: { result(.success($0)) })
  }

  func asResult() -> AnyPublisher<Result<Output, Failure>, Never> {
    map(Result.success)
      .catch { Just(.failure($0)) }
      .eraseToAnyPublisher()
  }

  func asVoid() -> Publishers.Map<Self, Void> {
    map { _ in () }
  }

  func unwrap<T>() -> Publishers.CompactMap<Self, T> where Output == T? {
    compactMap { $0 }
  }

  func pairwise() -> AnyPublisher<(previous: Output, current: Output), Failure> {
    scan(Optional<(Output?, Output)>.none) { ($0?.1, $1) }
      .compactMap { pair in
        guard let pair = pair, let previous = pair.0 else { return nil }
        return (previous, pair.1)
      }
      .eraseToAnyPublisher()
  }

  func flatMapLatest<P: Publisher>(
    _ transform: @escaping (Output) -> P
  ) -> Publishers.SwitchToLatest<P, Publishers.Map<Self, P>> where P.Failure == Failure {
    map(transform).switchToLatest()
  }

  func ignoreFailure(completeImmediately: Bool = true) -> Publishers.Catch<Self, Empty<Output, Never>> {
    `catch` { _ in Empty(completeImmediately: completeImmediately) }
  }

  func materialize() -> AnyPublisher<Event<Output, Failure>, Never> {
    map(Event.value)
      .append(Event.finished)
      .catch { Just(Event.failure($0)) }
      .eraseToAnyPublisher()
  }

  func withLatestFrom<A, P: Publisher>(_ second: P)
    -> Publishers.SwitchToLatest<
      Publishers.Map<Publishers.Share<Self>, (Self.Output, A)>,
      Publishers.Map<P, Publishers.Map<Publishers.Share<Self>, (Self.Output, A)>>
    > where P.Output == A, P.Failure == Self.Failure
  {
    let upstream = share()
    return
      second
      .map { latest in upstream.map { ($0, latest) } }
      .switchToLatest()
  }
}

enum Event<Output, Failure: Error> {
  case value(Output)
  case failure(Failure)
  case finished
}

extension Event: Equatable where Output: Equatable, Failure: Equatable {}

// MARK: - An operator of its own type

extension Publishers {
  struct FilterMap<Upstream: Publisher, NewOutput>: Publisher {
    typealias Output = NewOutput
    typealias Failure = Upstream.Failure

    let upstream: Upstream
    let transform: (Upstream.Output) -> NewOutput?

    func receive<S>(subscriber: S) where S: Subscriber, NewOutput == S.Input, Upstream.Failure == S.Failure {
      upstream.subscribe(Inner(downstream: subscriber, transform: transform))
    }

    private struct Inner<Downstream: Subscriber>: Subscriber where Downstream.Input == NewOutput {
      typealias Input = Upstream.Output
      typealias Failure = Downstream.Failure

      let downstream: Downstream
      let transform: (Input) -> NewOutput?
      let combineIdentifier = CombineIdentifier()

      func receive(subscription: Subscription) { downstream.receive(subscription: subscription) }

      func receive(_ input: Input) -> Subscribers.Demand {
        guard let output = transform(input) else { return .max(1) }
        return downstream.receive(output)
      }

      func receive(completion: Subscribers.Completion<Failure>) { downstream.receive(completion: completion) }
    }
  }
}

extension Publisher {
  func filterMap<T>(_ transform: @escaping (Output) -> T?) -> Publishers.FilterMap<Self, T> {
    .init(upstream: self, transform: transform)
  }
}

// MARK: - Factories

extension AnyPublisher {
  static func just(_ output: Output) -> Self {
    Just(output).setFailureType(to: Failure.self).eraseToAnyPublisher()
  }

  static func fail(_ error: Failure) -> Self {
    Fail(error: error).eraseToAnyPublisher()
  }

  static var empty: Self {
    Empty().eraseToAnyPublisher()
  }

  static var never: AnyPublisher<Output, Failure> {
    Empty(completeImmediately: false).eraseToAnyPublisher()
  }

  static func future(_ work: @escaping (@escaping Future<Output, Failure>.Promise) -> Void) -> Self {
    Deferred { Future(work) }.eraseToAnyPublisher()
  }
}

final class PublisherExtensionTests: XCTestCase {
  private enum Oops: Error { case one }

  private final class Screen {
    var title = ""
    var subtitle: String?
    deinit { onDeinit() }
    let onDeinit: () -> Void
    init(onDeinit: @escaping () -> Void = {}) { self.onDeinit = onDeinit }
  }

  private var cancellables: Set<AnyCancellable> = []

  func testWeakAssign() {
    var released = false
    var screen: Screen? = Screen { released = true }
    let titles = CurrentValueSubject<String, Never>("A")
    titles.weakAssign(to: \.title, on: screen!).store(in: &cancellables)
    titles.assign(to: \.subtitle, onWeak: screen!).store(in: &cancellables)
    titles.value = "B"
    XCTAssertEqual(screen?.title, "B")
    XCTAssertEqual(screen?.subtitle, "B")
    screen = nil
    XCTAssertTrue(released)
    let copy = CurrentValueSubject<String, Never>("")
    titles.bind(to: copy).store(in: &cancellables)
    XCTAssertEqual(copy.value, "B")
  }

  func testResults() {
    var results: [Result<Int, Oops>] = []
    AnyPublisher<Int, Oops>.just(1).sinkToResult { results.append($0) }.store(in: &cancellables)
    AnyPublisher<Int, Oops>.fail(.one).sinkToResult { results.append($0) }.store(in: &cancellables)
    AnyPublisher<Int, Oops>.empty.sinkToResult { results.append($0) }.store(in: &cancellables)
    AnyPublisher<Int, Oops>.never.append(AnyPublisher<Int, Oops>.just(9)).sinkToResult { results.append($0) }.store(
      in: &cancellables)
    XCTAssertEqual(results, [.success(1), .failure(.one)])
    [1, 2].publisher.setFailureType(to: Oops.self)
      .append(Fail(error: .one))
      .asResult().collect()
      .sink { XCTAssertEqual($0, [.success(1), .success(2), .failure(.one)]) }
      .store(in: &cancellables)
  }

  func testMaterialize() {
    var events = [Event<Int, Oops>]()
    AnyPublisher<Int, Oops>.future { promise in promise(.success(5)) }
      .materialize().sink { events.append($0) }.store(in: &cancellables)
    AnyPublisher<Int, Oops>.fail(.one)
      .materialize().sink { events.append($0) }.store(in: &cancellables)
    XCTAssertEqual(events, [.value(5), .finished, .failure(.one)])
  }

  func testSmallOnes() {
    var output = [Int]()
    (1...4).publisher.pairwise().map { $0.current * 10 + $0.previous }
      .sink { output.append($0) }.store(in: &cancellables)
    XCTAssertEqual(output, [21, 32, 43])

    output = []
    ["1", "x", "3"].publisher.filterMap(Int.init).prefix(2)
      .sink(receiveValue: { output.append($0) }).store(in: &cancellables)
    [nil, 5].publisher.unwrap().sink { output.append($0) }.store(in: &cancellables)
    Just("a").asVoid().sink { output.append(6) }.store(in: &cancellables)
    Fail<Int, Oops>(error: .one).ignoreFailure().sink { output.append($0) }.store(in: &cancellables)
    Just(7).flatMapLatest { Just($0 + 1) }.sink { output.append($0) }.store(in: &cancellables)
    XCTAssertEqual(output, [1, 3, 5, 6, 8])
  }

  func testWithLatestFrom() {
    let taps = PassthroughSubject<Void, Never>()
    let text = PassthroughSubject<String, Never>()
    var values = [String]()
    taps.withLatestFrom(text).map(\.1).sink { values.append($0) }.store(in: &cancellables)
    taps.send()
    text.send("a")
    taps.send()
    text.send("b")
    text.send("c")
    taps.send()
    XCTAssertEqual(values, ["a", "c"])
  }
}
