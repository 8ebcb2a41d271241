import Streams
import Testing

private struct WriteError: Error {}
private struct ReadError: Error {}

/// A publisher whose values a closure consumes in the caller's task.
struct RunTests {
  @Test func `the closure is called with each value, in order, and the call returns at the end`() async {
    var received: [Int] = []
    await [1, 2, 3].publisher.run { value in
      await Task.yield()
      received.append(value)
    }
    #expect(received == [1, 2, 3])
  }

  @Test func `one value is requested at a time, after the closure has returned`() async {
    var isBusy = false
    var requested: [Subscribers.Demand] = []
    await [1, 2, 3].publisher.handleEvents(receiveRequest: { requested.append($0) }).run { _ in
      #expect(!isBusy)
      isBusy = true
      await Task.yield()
      #expect(requested.count <= 3)
      isBusy = false
    }
    #expect(requested.allSatisfy { $0 == .max(1) })
  }

  @Test func `an error of the closure cancels the stream, and keeps its type`() async {
    var isCancelled = false
    let source = (1...).publisher.handleEvents(receiveCancel: { isCancelled = true })
    do {
      try await source.run { value throws(WriteError) in if value == 3 { throw WriteError() } }
      Issue.record("It did not throw.")
    } catch {
      let _: WriteError = error
    }
    #expect(isCancelled)
  }

  @Test func `a failure of the publisher keeps its type`() async {
    let source = [1].publisher.setFailureType(to: ReadError.self).append(Fail(error: ReadError()))
    var count = 0
    do {
      try await source.run { _ in count += 1 }
      Issue.record("It did not throw.")
    } catch {
      let _: ReadError = error
    }
    #expect(count == 1)
    await #expect(throws: WriteError.self) { try await source.run { _ in throw WriteError() } }
  }

  @Test func `the stream is cancelled together with the task`() async {
    let subject = PassthroughSubject<Int, Never>()
    let (cancelled, continuation) = AsyncStream.makeStream(of: Void.self)
    let (started, starting) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      await subject
        .handleEvents(receiveCancel: { continuation.yield() }, receiveRequest: { _ in starting.yield() })
        .run { _ in }
    }
    for await _ in started.prefix(1) {}
    task.cancel()
    await task.value
    for await _ in cancelled.prefix(1) {}
  }

  @MainActor @Test func `the closure runs on the caller's actor`() async {
    var received: [Int] = []
    await [1, 2].publisher.run { value in
      MainActor.assertIsolated()
      received.append(value)
    }
    #expect(received == [1, 2])
  }
}
