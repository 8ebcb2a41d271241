import StreamSchedulers
import Streams
import Testing

/// The messages of mistakes that stop a program, even in release builds, where `precondition` prints nothing.
///
/// These tests are run in release builds too.
struct BadInputTests {
  /// Expects that a program printed a message before it stopped.
  private func expect(
    _ result: ExitTest.Result?, says message: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains(message), sourceLocation: sourceLocation)
  }

  @Test func `a request of none`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Subscriptions.empty.request(.none)
    }
    expect(
      result,
      says: "request(.none): a subscriber must ask for at least one value. To ask for nothing, do not call request(_:)."
    )
  }

  @Test func `a negative demand`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Subscribers.Demand.max(-1)
    }
    expect(
      result,
      says: "Subscribers.Demand.max(-1): the number cannot be negative. Use zero or a positive number.")
  }

  @Test func `prefix with a negative count`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = [1].publisher.prefix(-1)
    }
    expect(
      result,
      says: "prefix(-1): the number cannot be negative. Use zero or a positive number.")
  }

  @Test func `prefix with a negative count of one value`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Just(1).prefix(-1)
    }
    expect(
      result,
      says: "prefix(-1): the number cannot be negative. Use zero or a positive number.")
  }

  @Test func `prefix with a negative count of an optional`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Int?.none.publisher.prefix(-1)
    }
    expect(
      result,
      says: "prefix(-1): the number cannot be negative. Use zero or a positive number.")
  }

  @Test func `dropFirst with a negative count`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = [1].publisher.dropFirst(-1)
    }
    expect(
      result,
      says: "dropFirst(-1): the number cannot be negative. Use zero or a positive number.")
  }

  @Test func `dropFirst with a negative count of one value`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Just(1).dropFirst(-2)
    }
    expect(
      result,
      says: "dropFirst(-2): the number cannot be negative. Use zero or a positive number.")
  }

  @Test func `dropFirst with a negative count of an optional`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Int?.none.publisher.dropFirst(-1)
    }
    expect(
      result,
      says: "dropFirst(-1): the number cannot be negative. Use zero or a positive number.")
  }

  @Test func `output at a negative position`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = [1].publisher.output(at: -1)
    }
    expect(
      result,
      says: "output(at: -1): the number cannot be negative. Use zero or a positive number.")
  }

  @Test func `output at a negative position of one value`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Just(1).output(at: -1)
    }
    expect(
      result,
      says: "output(at: -1): the number cannot be negative. Use zero or a positive number.")
  }

  @Test func `output at a negative position of an optional`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Int?.none.publisher.output(at: -1)
    }
    expect(
      result,
      says: "output(at: -1): the number cannot be negative. Use zero or a positive number.")
  }

  @Test func `a range with a negative lower bound`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = [1].publisher.output(in: -1...3)
    }
    expect(
      result,
      says: "output(in: -1...3): positions are counted from zero. Leave out the negative ones.")
  }

  @Test func `a range with a negative upper bound`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = [1].publisher.output(in: ...(-3))
    }
    expect(
      result,
      says: "positions are counted from zero. Leave out the negative ones.")
  }

  @Test func `a range of a publisher with a negative lower bound`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Publishers.Output(upstream: Just(1), range: -1..<3)
    }
    expect(
      result,
      says: "output(in: -1..<3): positions are counted from zero. Leave out the negative ones.")
  }

  @Test func `collect with a count of zero`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = [1].publisher.collect(0)
    }
    expect(
      result,
      says: "collect(0): an array must have room for a value. Collect at least one value at a time.")
  }

  @Test func `collect by time with a count of zero`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = [1].publisher.collect(.byTimeOrCount(ImmediateScheduler.shared, 1, 0))
    }
    expect(
      result,
      says: "collect(.byTimeOrCount(…, 0)): an array must have room for a value. Collect at least one value at a time.")
  }

  @Test func `buffer with a size of zero`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = [1].publisher.buffer(size: 0, prefetch: .keepFull, whenFull: .dropNewest)
    }
    expect(
      result,
      says: "buffer(size: 0): there must be room for a value. Make the size at least one.")
  }

  @Test func `retry with a negative number of attempts`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = [1].publisher.map { $0 }.retry(-1)
    }
    expect(
      result,
      says: "retry(-1): the number cannot be negative. Use zero or a positive number.")
  }

  @Test func `flatMap with maxPublishers of none`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = [1].publisher.flatMap(maxPublishers: .none) { Just($0) }
    }
    expect(
      result,
      says: "flatMap(maxPublishers: .none): without a publisher, nothing can come. Allow at least one with .max(1).")
  }

  @Test func `flatMap with a maxTasks of zero`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = [1].publisher.flatMap(maxTasks: 0) { $0 }
    }
    expect(result, says: "flatMap(maxTasks: 0): without a task, nothing can come. Allow at least one.")
  }

  @Test func `map with a maxTasks of zero`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = [1].publisher.map(maxTasks: -1) { $0 }
    }
    expect(result, says: "map(maxTasks: -1): without a task, nothing can come. Allow at least one.")
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
      says: "Record.Recording.receive(_:): a value cannot follow the completion. Record the completion last.")
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
      says: "Record.Recording.receive(completion:): there is a completion already. Record one, after all values.")
  }
}
