import StreamAlgorithms
import StreamSchedulers
import Streams

/// The sender of a value.
enum Sender {
  @TaskLocal static var number = 0
}

extension Scenarios {
  private typealias Value = PassthroughSubject<Int, Never>

  /// Sends a value under its own number.
  private static func send<S: Subject>(_ value: Int, to subject: S) -> () -> Void where S.Output == Int {
    { Sender.$number.withValue(value) { subject.send(value) } }
  }

  /// The values, each of them negative if it is received under another's context.
  private static func checked(_ publisher: some Publisher<Int, Never>) -> some Publisher<Int, Never> {
    publisher.map { $0 == Sender.number ? $0 : -$0 }
  }

  /// A stream with one subscriber, to which values are sent under contexts that are carried.
  private static func context<S: Subject>(
    _ name: String, demand: Demand = .unlimited, _ make: @escaping @Sendable () -> S,
    _ operators: @escaping @Sendable (S) -> any Publisher<Int, Never>,
    _ calls: @escaping @Sendable (S, Trace<Int, Never>) -> [[() -> Void]]
  ) -> Scenario where S.Output == Int {
    Scenario("context: \(name)") {
      let subject = make()
      let trace = Trace<Int, Never>(demand)
      checked(operators(subject).eraseToAnyPublisher()).subscribe(trace)
      return .init(
        calls: calls(subject, trace),
        outcome: {
          trace.request(.unlimited)
          send(9, to: subject)()
          return trace.text
        })
    }
  }

  /// Scenarios for a process in which the task-local is carried.
  static let contexts: [Scenario] = [
    context("subject, send ∥ send") {
      Number()
    } _: {
      $0
    } _: { subject, _ in
      [[send(1, to: subject)], [send(2, to: subject)]]
    },
    context("subject, send send ∥ send") {
      Number()
    } _: {
      $0
    } _: { subject, _ in
      [[send(1, to: subject), send(2, to: subject)], [send(3, to: subject)]]
    },
    context("subject, send ∥ request", demand: .none) {
      Number()
    } _: {
      $0
    } _: { subject, trace in
      [[send(1, to: subject)], [{ trace.request(.max(1)) }]]
    },
    context("current value, send ∥ send ∥ request", demand: .none) {
      Sender.$number.withValue(7) { CurrentValueSubject<Int, Never>(7) }
    } _: {
      // The first value has the context of nobody.
      $0.map { $0 == 7 ? 0 : $0 }
    } _: { subject, trace in
      [[send(1, to: subject)], [send(2, to: subject)], [{ trace.request(.unlimited) }]]
    },
    context("replay, send send ∥ request", demand: .none) {
      ReplaySubject<Int, Never>(bufferSize: 2)
    } _: {
      $0
    } _: {
      subject, trace in
      [[send(1, to: subject), send(2, to: subject)], [{ trace.request(.unlimited) }]]
    },
    context("share, send ∥ send") {
      Number()
    } _: {
      $0.share()
    } _: { subject, _ in
      [[send(1, to: subject)], [send(2, to: subject)]]
    },
    context("merge, send ∥ send") {
      Number()
    } _: {
      $0.merge(with: Empty<Int, Never>(completeImmediately: false))
    } _: {
      subject, _ in
      [[send(1, to: subject)], [send(2, to: subject)]]
    },
    context("buffer, send send ∥ request", demand: .none) {
      Number()
    } _: {
      $0.buffer(size: 4, prefetch: .byRequest, whenFull: .dropOldest)
    } _: { subject, trace in
      [[send(1, to: subject), send(2, to: subject)], [{ trace.request(.max(1)) }]]
    },
    context("buffer, send ∥ send ∥ request", demand: .none) {
      Number()
    } _: {
      $0.buffer(size: 4, prefetch: .byRequest, whenFull: .dropOldest)
    } _: { subject, trace in
      [[send(1, to: subject)], [send(2, to: subject)], [{ trace.request(.unlimited) }]]
    },
  ]
}
