import Dispatch
import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// Bugs of other reactive libraries: asynchronous bridges and isolation.
@MainActor
struct ConcurrencyMuseumTests {
  private let scheduler = DispatchQueue.test

  /// Iterates in a task, and returns it with what it notes.
  private func loop(
    _ stream: AnyPublisher<Int, Never>, _ policy: ValuesPolicy
  ) -> (task: Task<Void, Never>, lines: Journal) {
    let lines = Journal()
    let values = stream.values(policy)
    let task = Task {
      for await value in values { lines.note("\(value)") }
      lines.note("end")
    }
    return (task, lines)
  }

  /// ReactiveX/RxSwift#2426, #2427
  ///
  /// `ValuesRaces` cancels while other threads send.
  @Test(arguments: ValuesPolicy.all)
  func `a task that awaited a value was cancelled, and was never resumed`(_ policy: ValuesPolicy) {
    let late = TardySource<Int, Never>()
    let subject = PassthroughSubject<Int, Never>()
    let streams: [AnyPublisher<Int, Never>] = [
      subject.eraseToAnyPublisher(), late.eraseToAnyPublisher(),
      Empty(completeImmediately: false).eraseToAnyPublisher(),
    ]
    scheduler.withVirtualWorld {
      for stream in streams {
        let (early, first) = loop(stream, policy)
        early.cancel()
        scheduler.advance()
        #expect(first.all == ["end"])

        let (waiting, second) = loop(stream, policy)
        scheduler.advance()
        #expect(second.all == [])
        waiting.cancel()
        scheduler.advance()
        #expect(second.all == ["end"])
      }
      // A value and the cancellation come together.
      let (task, lines) = loop(subject.eraseToAnyPublisher(), policy)
      scheduler.advance()
      subject.send(1)
      task.cancel()
      scheduler.advance()
      #expect(lines.all.last == "end")
      #expect(lines.all.count <= 2)

      // The end comes without a value.
      let (_, empty) = loop(Empty().eraseToAnyPublisher(), policy)
      scheduler.advance()
      #expect(empty.all == ["end"])

      // A future that is never fulfilled.
      var promises: [Future<Int, TestError>.Promise] = []
      let future = Future<Int, TestError> { promises.append($0) }
      let result = Journal()
      let waiting = Task {
        do { result.note("\(try await future.value)") } catch { result.note("\(type(of: error))") }
      }
      scheduler.advance()
      #expect(result.all == [])
      waiting.cancel()
      scheduler.advance()
      #expect(result.all == ["CancellationError"])
      promises.first?(.success(1))
      scheduler.advance()
      #expect(result.all == ["CancellationError"])
    }
  }

  @MainActor
  private final class Model {
    @Published var shown = 0
    var received: [Int] = []
    var mapped: [Int] = []
    private var factor = 10
    private var subscriptions: Set<AnyCancellable> = []

    func follow(_ numbers: PassthroughSubject<Int, Never>, then resume: @escaping @MainActor () -> Void) {
      numbers.receive(on: MainActor.shared).map { self.factor * $0 }.handleEvents(
        receiveOutput: { value in self.mapped.append(value) }
      ).sink { _ in }.store(in: &subscriptions)
      numbers.receive(on: MainActor.shared).assign(to: &$shown)
      numbers.sink { _ in
        resume()
      } receiveValue: { value in
        MainActor.assertIsolated()
        self.received.append(value)
      }.store(in: &subscriptions)
    }
  }

  /// manolofdez/AsyncBluetooth#71, pointfreeco/swift-composable-architecture#3400, Sajjon/Zesame#63
  ///
  /// Chosen here: a sink belongs to its actor; closures of operators need a `receive(on:)` before them.
  @Test func `the program stopped because a closure of the main actor was called on another thread`() async {
    let (model, numbers) = (Model(), PassthroughSubject<Int, Never>())
    await withCheckedContinuation { continuation in
      model.follow(numbers) { continuation.resume() }
      onThreads(1) { @Sendable _ in
        for value in 1...3 { numbers.send(value) }
        numbers.send(completion: .finished)
      }
    }
    #expect(model.received == [1, 2, 3])
    #expect(model.mapped == [10, 20, 30])
    #expect(model.shown == 3)

    // The promise of a future, from another thread.
    let future = Future<Int, Never> { promise in onThreads(1) { @Sendable _ in promise(.success(1)) } }
    var results: [Int] = []
    let subscription = future.sink { results.append($0) }
    #expect(results == [1])
    subscription.cancel()
  }

  /// apple/swift-async-algorithms#249, #250
  @Test(arguments: ValuesPolicy.all)
  func `a loop whose task had been cancelled before it began stopped the program`(_ policy: ValuesPolicy) {
    let (source, lines) = (ManualSource<Int, Never>(), Journal())
    scheduler.withVirtualWorld {
      let values = source.values(policy)
      let task = Task {
        try? await scheduler.sleep(for: 5)
        for await value in values { lines.note("\(value)") }
        lines.note("end")
      }
      scheduler.advance(by: 1)
      task.cancel()
      scheduler.run()
    }
    #expect(lines.all == ["end"])
    #expect(source.cancelCount == source.subscriberCount)

    let unused = ManualSource<Int, Never>()
    do { _ = unused.values(policy).makeAsyncIterator() }
    #expect(unused.subscriberCount == 1)
    #expect(unused.cancelCount == 1)
  }

  /// apple/swift-async-algorithms#303, #131
  @Test func `a task was resumed under a lock that it needed, or a waiting sender was forgotten`() {
    let (lines, subject) = (Journal(), PassthroughSubject<Int, Never>())
    let bounded = BoundedSubject<Int, Never>(bounded: 1)
    let held = record(bounded, .none)
    scheduler.withVirtualWorld {
      let values = subject.values(bounded: .max, whenFull: .dropNewest)
      Task {
        for await value in values {
          lines.note("\(value)")
          if value < 3 { subject.send(value + 1) } else { subject.send(completion: .finished) }
        }
        lines.note("end")
      }
      scheduler.advance()
      subject.send(1)
      scheduler.advance()
      #expect(lines.all == ["1", "2", "3", "end"])

      let result = Journal()
      let sender = Task {
        do {
          for value in 1...3 {
            try await bounded.send(value)
            result.note("\(value)")
          }
        } catch {
          result.note("\(type(of: error))")
        }
      }
      scheduler.advance()
      #expect(result.all == ["1"])
      sender.cancel()
      scheduler.advance()
      #expect(result.all == ["1", "CancellationError"])
    }
    held.cancel()
  }

  /// apple/swift-async-algorithms#383, #387
  @Test(arguments: ValuesPolicy.all)
  func `a loop without a buffer waited for room, or lost a value for which it waited`(_ policy: ValuesPolicy) {
    let (source, lines) = (PassthroughSubject<Int, Never>(), Journal())
    let shared = source.share()
    scheduler.withVirtualWorld {
      let (first, second) = (shared.values(policy), shared.values(policy))
      Task { for await value in first { lines.note("a\(value)") } }
      let leaving = Task { for await value in second { lines.note("b\(value)") } }
      scheduler.advance()
      for value in 1...4 {
        source.send(value)
        scheduler.advance()
        if value == 2 {
          leaving.cancel()
          scheduler.advance()
        }
      }
    }
    #expect(lines.all.filter { $0.hasPrefix("a") } == ["a1", "a2", "a3", "a4"])
    #expect(lines.all.filter { $0.hasPrefix("b") } == ["b1", "b2"])
  }

  /// Kotlin/kotlinx.coroutines#2320, #2325
  @Test func `a fast loop was not resumed when the slow one made room`() {
    let (subject, lines) = (BoundedSubject<Int, Never>(bounded: 1), Journal())
    scheduler.withVirtualWorld {
      for (name, pause) in [("a", 1), ("b", 4)] {
        let values = subject.values
        Task {
          for await value in values {
            lines.note("\(name)\(value)")
            try? await scheduler.sleep(for: .seconds(pause))
          }
          lines.note("\(name) end")
        }
      }
      scheduler.advance()
      Task {
        for value in 0...5 { try await subject.send(value) }
        subject.send(completion: .finished)
      }
      scheduler.run()
    }
    for name in ["a", "b"] {
      #expect(lines.all.filter { $0.hasPrefix(name) } == (0...5).map { "\(name)\($0)" } + ["\(name) end"])
    }
  }
}
