public import AsyncHTTPClient
public import Dispatch
internal import NIOCore
internal import NIOHTTP1
public import StreamAlgorithms
public import Streams
internal import Synchronization

extension HTTPClient {
  /// Publishes the events of a `text/event-stream`, also after its connection was lost, as a browser's `EventSource` does.
  ///
  /// ```swift
  /// HTTPClient.shared.serverSentEvents(from: HTTPClientRequest(url: "https://example.com/prices"))
  ///   .sink { completion in … } receiveValue: { event in show(event.data) }
  /// ```
  ///
  /// Each subscriber opens a connection when it requests something. If the connection is lost or the response ends, the next attempt
  /// sends the ID of the last event in the header `Last-Event-ID`. Each event has the last ID that the server has sent until then.
  /// Comments, and events without data, aren't published.
  ///
  /// **Reconnecting.** The policy decides when to try again, and how often. A delay from the server (`retry`) replaces the policy's
  /// first one. The statuses from 500 to 599 count as lost connections, because a proxy sends them while its server restarts.
  ///
  /// **Completion.** The stream finishes if the server sends the status 204. It fails with an ``EventStreamRefused`` for any other
  /// status and for another type of content, with an ``EventTooLarge``, and with the last error if the policy allows no more retries,
  /// such as an ``EventStreamLost``.
  ///
  /// **Demand.** A part of the response is read when its events are requested, so TCP makes a fast server wait.
  ///
  /// **Cancellation** closes the connection.
  ///
  /// - Parameters:
  ///   - request: The request. The header fields `Accept` and `Last-Event-ID` are replaced.
  ///   - lastEventID: The ID of the last event that you know, such as one from your database.
  ///   - policy: When to connect again.
  ///   - limit: How long a server may take until its response begins. The client tries to connect all that time.
  ///   - silence: How long a connection may bring nothing, not even a comment, before it counts as lost, or `nil` if you rely on TCP to
  ///     notice a server that has vanished. Choose more than the server's interval for keep-alives.
  ///   - maximumSize: The number of bytes that an event may have.
  ///   - scheduler: The scheduler that measures the delays and the silence.
  public func serverSentEvents<Context: Scheduler & Sendable>(
    from request: HTTPClientRequest, after lastEventID: String? = nil,
    reconnecting policy: RetryPolicy = .delay(.seconds(3), maxRetries: .max, jitter: .equal, resetsAfterValue: true),
    answeringWithin limit: Duration = .seconds(10), silence: Duration? = nil, maximumSize: Int = 1 << 20,
    scheduler: Context = DispatchQueue.global()
  ) -> AnySendablePublisher<ServerSentEvent, any Error>
  where Context: SendableMetatype, Context.SchedulerTimeType.Stride: Sendable {
    AnySendablePublisher {
      EventStream(after: lastEventID, policy, silence, maximumSize, scheduler).events { lastEventID in
        var request = request
        request.headers.replaceOrAdd(name: "Accept", value: "text/event-stream")
        request.headers.remove(name: "Last-Event-ID")
        if let lastEventID, !lastEventID.isEmpty { request.headers.add(name: "Last-Event-ID", value: lastEventID) }
        return self.parts(of: request, within: limit)
      }
    }
  }

  /// Publishes the parts of a response, then fails. If the server asks the client not to connect again, it finishes.
  private func parts(of request: HTTPClientRequest, within limit: Duration) -> AnyPublisher<ByteBuffer, any Error> {
    Deferred { Future<HTTPClientResponse, any Error> { try await self.execute(request, timeout: TimeAmount(limit)) } }
      .flatMap(maxPublishers: .max(1)) { response -> AnyPublisher<ByteBuffer, any Error> in
        let type = response.headers.first(name: "Content-Type") ?? ""
        switch response.status.code {
        case 204: return Empty().eraseToAnyPublisher()
        case 200 where type.lowercased().hasPrefix("text/event-stream"):
          return response.body.publisher.append(Fail(error: EventStreamLost() as any Error)).eraseToAnyPublisher()
        case let status:
          return Fail(error: EventStreamRefused(status: Int(status), contentType: type)).eraseToAnyPublisher()
        }
      }
      .eraseToAnyPublisher()
  }
}

/// The error of a response that is no event stream.
public struct EventStreamRefused: Error, Hashable, CustomStringConvertible {
  /// The status of the response.
  public let status: Int

  /// The type of its content.
  public let contentType: String

  /// The message.
  public var description: String {
    status == 200
      ? "The response has the content type \"\(contentType)\" in place of text/event-stream."
      : "The server has answered with the status \(status) in place of an event stream."
  }
}

/// The error of an event that is larger than it may be.
public struct EventTooLarge: Error, Hashable, CustomStringConvertible {
  /// The number of bytes that an event may have.
  public let maximumSize: Int

  /// The message.
  public var description: String { "An event has more than the \(maximumSize) bytes that are allowed." }
}

/// The error of an event stream that the server has ended, or that was silent for too long.
public struct EventStreamLost: Error, Hashable, CustomStringConvertible {
  /// The message.
  public var description: String { "The server has ended the event stream, or was silent for too long." }
}

/// The events of one subscriber, over one connection after another.
final class EventStream<Context: Scheduler>: Sendable where Context: Sendable, Context: SendableMetatype {
  private struct State: Sendable {
    var decoder: ServerSentEventDecoder
    /// The number of attempts since the last event.
    var attempts = 0
  }

  private let state: Mutex<State>
  private let policy: RetryPolicy
  private let silence: Duration?
  private let scheduler: Context

  init(
    after lastEventID: String?, _ policy: RetryPolicy, _ silence: Duration?, _ maximumSize: Int, _ scheduler: Context
  ) {
    state = Mutex(State(decoder: ServerSentEventDecoder(after: lastEventID, maximumSize: maximumSize)))
    self.policy = policy
    self.silence = silence
    self.scheduler = scheduler
  }

  /// Publishes the events of the parts that a closure brings for the last known ID. A connection that finishes is the last one.
  func events(
    _ connect: @escaping (_ lastEventID: String?) -> AnyPublisher<ByteBuffer, any Error>
  ) -> AnyPublisher<ServerSentEvent, any Error> {
    Deferred { self.withoutSilence(connect(self.state.withLock { $0.decoder.begin() })) }
      .map(decode)
      .flatMap(maxPublishers: .max(1)) { $0.publisher.setFailureType(to: (any Error).self) }
      .tryMap { event in try event.get() }
      .retry(when: { failures in
        failures.setFailureType(to: (any Error).self)
          .flatMap(maxPublishers: .max(1)) { error -> AnyPublisher<Void, any Error> in
            guard let delay = self.delay(after: error) else { return Fail(error: error).eraseToAnyPublisher() }
            return Just(()).delay(for: .duration(delay), scheduler: self.scheduler)
              .setFailureType(to: (any Error).self).eraseToAnyPublisher()
          }
      })
      .eraseToAnyPublisher()
  }

  private func withoutSilence(_ parts: AnyPublisher<ByteBuffer, any Error>) -> AnyPublisher<ByteBuffer, any Error> {
    guard let silence else { return parts }
    return parts.timeout(.duration(silence), scheduler: scheduler, customError: { EventStreamLost() })
      .eraseToAnyPublisher()
  }

  private func decode(_ part: ByteBuffer) -> [Result<ServerSentEvent, EventTooLarge>] {
    state.withLock { state in
      let events = state.decoder.decode(part)
      if !events.isEmpty, policy.resetsAfterValue { state.attempts = 0 }
      return events
    }
  }

  /// Returns the time before the next connection, or `nil` if there is to be none.
  private func delay(after error: any Error) -> Duration? {
    if error is EventTooLarge { return nil }
    if let refused = error as? EventStreamRefused, !(500...599).contains(refused.status) { return nil }
    return state.withLock { state in
      guard state.attempts < policy.maxRetries else { return nil }
      state.attempts += 1
      let current = state.decoder.retry.map(policy.beginning) ?? policy
      return current.delay(beforeRetry: state.attempts, random: Double.random(in:))
    }
  }
}

extension RetryPolicy {
  fileprivate func beginning(with delay: Duration) -> RetryPolicy {
    RetryPolicy(
      maxRetries: maxRetries, firstDelay: delay, factor: factor, longestDelay: max(longestDelay, delay), jitter: jitter,
      resetsAfterValue: resetsAfterValue)
  }
}
