import StreamAlgorithms
import StreamSchedulers
import Streams
import SuiteSupport
import Testing

/// The messages of mistakes that stop a program, even in release builds, where `precondition` prints nothing.
///
/// These tests are run in release builds too.
@Suite(.exits) struct BadInputTests {
  /// Expects that a program printed a message before it stopped.
  private func expect(
    _ result: ExitTest.Result?, says message: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains(message), sourceLocation: sourceLocation)
  }

  @Test func `a request of none is ignored, and reported once in a debug build`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let sink = Subscribers.Sink<Int, Never>(receiveCompletion: { _ in }, receiveValue: { _ in })
      PassthroughSubject<Int, Never>().subscribe(sink)
      for _ in 0..<3 { Subscriptions.empty.request(.none) }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    var isDebug = false
    assert(
      {
        isDebug = true
        return true
      }())
    #expect(text.ranges(of: "request(_:) with a demand of .none").count == (isDebug ? 1 : 0))
  }

  @Test func `a negative demand`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Subscribers.Demand.max(-1)
    }
    expect(
      result,
      says: "Subscribers.Demand.max(_:) requires a number of at least 0, got -1.")
  }

  @Test func `prefix with a negative count`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = [1].publisher.prefix(-1)
    }
    expect(
      result,
      says: "prefix(_:) requires a maximum length of at least 0, got -1.")
  }

  @Test func `prefix with a negative count of one value`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Just(1).prefix(-1)
    }
    expect(
      result,
      says: "prefix(_:) requires a maximum length of at least 0, got -1.")
  }

  @Test func `prefix with a negative count of an optional`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Int?.none.publisher.prefix(-1)
    }
    expect(
      result,
      says: "prefix(_:) requires a maximum length of at least 0, got -1.")
  }

  @Test func `dropFirst with a negative count`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = [1].publisher.dropFirst(-1)
    }
    expect(
      result,
      says: "dropFirst(_:) requires a count of at least 0, got -1.")
  }

  @Test func `dropFirst with a negative count of one value`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Just(1).dropFirst(-2)
    }
    expect(
      result,
      says: "dropFirst(_:) requires a count of at least 0, got -2.")
  }

  @Test func `dropFirst with a negative count of an optional`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Int?.none.publisher.dropFirst(-1)
    }
    expect(
      result,
      says: "dropFirst(_:) requires a count of at least 0, got -1.")
  }

  @Test func `output at a negative position`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = PassthroughSubject<Int, Never>().output(at: -1)
    }
    expect(
      result,
      says: "output(at:) requires an index of at least 0, got -1.")
  }

  @Test func `output at a negative position of one value`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Just(1).output(at: -1)
    }
    expect(
      result,
      says: "output(at:) requires an index of at least 0, got -1.")
  }

  @Test func `output at a negative position of an optional`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Int?.none.publisher.output(at: -1)
    }
    expect(
      result,
      says: "output(at:) requires an index of at least 0, got -1.")
  }

  @Test func `a range with a negative lower bound`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = [1].publisher.output(in: -1...3)
    }
    expect(
      result,
      says: "output(in:) requires positions of at least 0, got -1...3.")
  }

  @Test func `a range with a negative upper bound`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = [1].publisher.output(in: ...(-3))
    }
    expect(
      result,
      says: "output(in:) requires positions of at least 0, got ")
  }

  @Test func `a range of a publisher with a negative lower bound`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Publishers.Output(upstream: Just(1), range: -1..<3)
    }
    expect(
      result,
      says: "output(in:) requires positions of at least 0, got -1..<3.")
  }

  @Test func `collect with a count of zero`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = [1].publisher.collect(0)
    }
    expect(
      result,
      says: "collect(_:) requires a count of at least 1, got 0.")
  }

  @Test func `collect by time with a count of zero`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = [1].publisher.collect(.byTimeOrCount(ImmediateScheduler.shared, 1, 0))
    }
    expect(
      result,
      says: "collect(.byTimeOrCount) requires a count of at least 1, got 0.")
  }

  @Test func `buffer with a negative size`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = [1].publisher.buffer(size: -1, prefetch: .keepFull, whenFull: .dropNewest)
    }
    expect(
      result,
      says: "buffer(size:prefetch:whenFull:) requires a size of at least 0, got -1.")
  }

  @Test func `flatMap with maxPublishers of none`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = [1].publisher.flatMap(maxPublishers: .none) { Just($0) }
    }
    expect(
      result,
      says:
        "flatMap(maxPublishers:) requires a maximum of at least 1, got .none. Use .max(1) for one publisher at a time.")
  }

  @Test func `flatMap with a maxTasks of zero`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = [1].publisher.flatMap(maxTasks: 0) { $0 }
    }
    expect(result, says: "flatMap(maxTasks:) requires a maximum of at least 1, got 0.")
  }

  @Test func `map with a maxTasks of zero`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = [1].publisher.map(maxTasks: -1) { $0 }
    }
    expect(result, says: "map(maxTasks:) requires a maximum of at least 1, got -1.")
  }

  @Test func `a recorded value after the completion`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Record<Int, Never> {
        $0.receive(completion: .finished)
        $0.receive(1)
      }
    }
    expect(
      result,
      says: "Record.Recording.receive(_:) was called after the completion. Record all values before the completion.")
  }

  @Test func `a second recorded completion`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Record<Int, Never> {
        $0.receive(completion: .finished)
        $0.receive(completion: .finished)
      }
    }
    expect(
      result,
      says: "Record.Recording.receive(completion:) was called twice. Record one completion, after all values.")
  }
}
