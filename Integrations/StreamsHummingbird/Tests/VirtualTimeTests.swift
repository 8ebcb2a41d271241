import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import StreamAlgorithms
import Streams
import Synchronization
import TestSupport
import Testing

@testable import StreamsHummingbird

/// Keep-alives and slow clients, on an event loop whose time the test advances.
@Suite(.timeLimit(.minutes(5)), .aloneInProcess)
struct VirtualTimeTests {
  /// A client that takes bytes only while its gate is open.
  private final class Client: Sendable {
    private struct State {
      var text = ""
      var isReading = true
      /// The number of buffers that each write had.
      var writes: [Int] = []
      var waiter: CheckedContinuation<Void, Never>?
    }
    private let state = Mutex(State())

    var text: String { state.withLock { $0.text } }
    var writes: [Int] { state.withLock { $0.writes } }
    var isWaiting: Bool { state.withLock { $0.waiter != nil } }

    func stopReading() { state.withLock { $0.isReading = false } }

    func read() {
      let waiter = state.withLock { state in
        state.isReading = true
        return state.waiter.take()
      }
      waiter?.resume()
    }

    func take(_ buffers: [ByteBuffer]) async throws {
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let isReading = state.withLock { state in
            if !state.isReading, !Task.isCancelled { state.waiter = continuation }
            return state.waiter == nil
          }
          if isReading { continuation.resume() }
        }
      } onCancel: {
        state.withLock { $0.waiter.take() }?.resume()
      }
      try Task.checkCancellation()
      state.withLock { state in
        state.writes.append(buffers.count)
        state.text += buffers.map { String(buffer: $0) }.joined()
      }
    }
  }

  private struct Writer: ResponseBodyWriter {
    let client: Client

    mutating func write(_ buffer: ByteBuffer) async throws { try await client.take([buffer]) }
    mutating func write(contentsOf buffers: some Sequence<ByteBuffer>) async throws {
      try await client.take(Array(buffers))
    }
    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
  }

  /// Sends the values of a subject to a client, while a closure runs.
  private func connect(
    unread limit: UnreadLimit = UnreadLimit(), sending text: @escaping @Sendable (Int) -> String = { "\($0)" },
    _ use: @escaping @Sendable (PassthroughSubject<Int, Never>, Client, NIOAsyncTestingEventLoop) async throws -> Void
  ) async throws -> (any Error)? {
    let loop = NIOAsyncTestingEventLoop()
    let context = ChannelContext(
      source: .init(channel: NIOAsyncTestingChannel(loop: loop), logger: Logger(label: "test")))
    let (numbers, client) = (PassthroughSubject<Int, Never>(), Client())
    // Without a request, since only a connection can make one whose end is noticed.
    let body = ResponseBody(
      writing: numbers.map { ServerSentEvent(data: text($0)) }, to: nil,
      waiting: WaitingValues(limit, of: context.channel) { $0.size }, keepAlive: .comments(every: .seconds(15)),
      drainingWithin: .seconds(5), context: context
    ) { $0.encoded() }
    let writing = Task { try await body.write(Writer(client: client)) }
    numbers.send(0)
    try await wait(for: "the client is connected") { client.text == "data: \(text(0))\n\n" }
    try await use(numbers, client, loop)
    numbers.send(completion: .finished)
    client.read()
    let result = await writing.result
    await loop.shutdownGracefully()
    if case .failure(let error) = result { return error }
    return nil
  }

  @Test func `a stream sends a comment after an interval without events`() async throws {
    let error = try await connect { numbers, client, loop in
      var text = client.text
      for number in 1...10 {
        // The event before is in this interval.
        await loop.advanceTime(by: .seconds(15))
        #expect(client.text == text)
        await loop.advanceTime(by: .milliseconds(14_999))
        #expect(client.text == text)
        await loop.advanceTime(by: .milliseconds(1))
        text += ":\n\n"
        try await wait(for: "the comment arrives") { client.text == text }
        numbers.send(number)
        text += "data: \(number)\n\n"
        try await wait(for: "the event arrives") { client.text == text }
      }
    }
    #expect(error == nil)
  }

  @Test func `a client that doesn't read for five seconds is cut off, and one that reads in time isn't`() async throws {
    let error = try await connect { numbers, client, loop in
      for round in 1...5 {
        client.stopReading()
        numbers.send(round)
        try await wait(for: "the event is being written") { client.isWaiting }
        await loop.advanceTime(by: .seconds(5))
        numbers.send(round)
        client.read()
        try await wait(for: "both arrive") { client.text.hasSuffix("data: \(round)\n\ndata: \(round)\n\n") }
      }
      client.stopReading()
      numbers.send(6)
      try await wait(for: "the event is being written") { client.isWaiting }
      await loop.advanceTime(by: .milliseconds(5_001))
      numbers.send(7)
      try await wait(for: "the write is cancelled") { !client.isWaiting }
    }
    #expect(error != nil)
  }

  @Test func `events that arrive while a client is busy are written together, up to 32 KB`() async throws {
    let error = try await connect(sending: { String(repeating: "x", count: $0) }) { sizes, client, _ in
      client.stopReading()
      sizes.send(1)
      try await wait(for: "the event is being written") { client.isWaiting }
      for size in [2, 3, 40_000, 4] { sizes.send(size) }
      client.read()
      try await wait(for: "all arrive") { client.text.hasSuffix("data: xxxx\n\n") }
      #expect(client.writes == [1, 1, 3, 1])
    }
    #expect(error == nil)
  }

  @Test func `a client that doesn't read is cut off although nothing more is sent`() async throws {
    let error = try await connect { numbers, client, loop in
      client.stopReading()
      numbers.send(1)
      try await wait(for: "the event is being written") { client.isWaiting }
      await loop.advanceTime(by: .seconds(15))
      try await wait(for: "the write is cancelled") { !client.isWaiting }
    }
    #expect(error != nil)
  }
}
