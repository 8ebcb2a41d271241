import ArgumentParser
import AsyncAlgorithms
import Hummingbird
import NIOCore
import StreamAlgorithms
import Streams
import StreamsHummingbird
import Synchronization

/// A way to send each message to all clients.
enum Broadcast: String, CaseIterable, ExpressibleByArgument {
  case streams
  case asyncStreams = "async-streams"
  case newest = "async-streams-newest"
  case noticing = "async-streams-noticing"
  case sharedSequence = "shared-sequence"

  private static let bound = 64

  var title: String {
    switch self {
    case .streams: "Streams, bounded: 64, .cancel"
    case .asyncStreams: "AsyncStream, default"
    case .newest: "AsyncStream, .bufferingNewest(64)"
    case .noticing: "AsyncStream, notices that a client leaves"
    case .sharedSequence: "AsyncAlgorithms share, .bounded(64)"
    }
  }

  func start() -> Sender {
    switch self {
    case .streams: startStreams()
    case .asyncStreams: startAsyncStreams(.unbounded)
    case .newest: startAsyncStreams(.bufferingNewest(Self.bound))
    case .noticing: startAsyncStreams(.unbounded, noticesLeaving: true)
    case .sharedSequence: startSharedSequence()
    }
  }

  private func startStreams() -> Sender {
    let messages = PassthroughSubject<ServerSentEvent, Never>()
    return Sender { request, context, subscribed in
      defer { subscribed() }
      return .serverSentEvents(to: request, messages, bounded: Self.bound, whenFull: .cancel, context: context)
    } send: { message in
      messages.send(message)
    }
  }

  private func startAsyncStreams(
    _ policy: AsyncStream<ServerSentEvent>.Continuation.BufferingPolicy, noticesLeaving: Bool = false
  ) -> Sender {
    let clients = Clients()
    return Sender { request, _, subscribed in
      let (messages, continuation) = AsyncStream.makeStream(of: ServerSentEvent.self, bufferingPolicy: policy)
      clients.add(continuation)
      defer { subscribed() }
      return response { writer in
        guard noticesLeaving else {
          for await message in messages { try await writer.write(message.bytes) }
          return
        }
        try await request.body.consumeWithCancellationOnInboundClose { _ in
          for await message in messages { try await writer.write(message.bytes) }
        }
      }
    } send: { message in
      for client in clients.all { client.yield(message) }
    }
  }

  private func startSharedSequence() -> Sender {
    let (messages, continuation) = AsyncStream.makeStream(of: ServerSentEvent.self)
    let shared = messages.share(bufferingPolicy: .bounded(Self.bound))
    return Sender { _, _, subscribed in
      response { writer in
        // The iterator subscribes.
        var iterator = shared.makeAsyncIterator()
        subscribed()
        while let message = await iterator.next(isolation: #isolation) { try await writer.write(message.bytes) }
      }
    } send: { message in
      continuation.yield(message)
    }
  }

  private func response(
    _ write: @escaping @Sendable (inout any ResponseBodyWriter) async throws -> Void
  ) -> Response {
    Response(
      status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-cache"],
      body: ResponseBody { writer in
        try await write(&writer)
        try await writer.finish(nil)
      })
  }
}

struct Sender: Sendable {
  /// Returns the response to a client's request, and calls a closure once no message can be missed.
  let respond: @Sendable (Request, ChannelContext, _ subscribed: @escaping @Sendable () -> Void) -> Response
  let send: @Sendable (ServerSentEvent) -> Void
}

extension ServerSentEvent {
  /// The event as one writes it by hand.
  fileprivate var bytes: ByteBuffer {
    let data = data ?? ""
    var bytes = ByteBuffer()
    bytes.reserveCapacity(data.utf8.count + 8)
    bytes.writeString("data: ")
    bytes.writeString(data)
    bytes.writeString("\n\n")
    return bytes
  }
}

/// The continuations of the clients that are connected.
private final class Clients: Sendable {
  private let continuations = Mutex<(next: Int, all: [Int: AsyncStream<ServerSentEvent>.Continuation])>((0, [:]))

  var all: some Sequence<AsyncStream<ServerSentEvent>.Continuation> { continuations.withLock { $0.all }.values }

  func add(_ continuation: AsyncStream<ServerSentEvent>.Continuation) {
    let number = continuations.withLock {
      $0.next += 1
      $0.all[$0.next] = continuation
      return $0.next
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.continuations.withLock { $0.all.removeValue(forKey: number) }
    }
  }
}
