public import GRPCCore
public import StreamAlgorithms
public import Streams
public import SwiftProtobuf

/// When values of a resumable stream are acknowledged.
public enum StreamAcknowledgement: Hashable, Sendable {
  /// A value is acknowledged when it has been delivered.
  ///
  /// After a lost connection, the server sends the values that were lost with it. After a restart of your process, a log is read
  /// again from your stored index.
  case whenDelivered

  /// Your code acknowledges values with ``StreamPosition/acknowledge(_:)`` or the operator `acknowledge(to:)`.
  ///
  /// The server keeps the others, and waits as soon as its window is full of them. Acknowledge all values.
  case explicit
}

extension GRPCClient {
  /// Creates a publisher of the values of a resumable stream, which continues after a lost connection.
  ///
  /// ```swift
  /// let position = StreamPosition(after: store.lastIndex, of: store.source)
  /// client.resumableStream("orders", deserializer: OrderCoder(), position: position, scheduler: DispatchQueue.global())
  ///   .mapError { $0 as any Error }   // the closure below may throw any error
  ///   .map(maxTasks: 8) { delivery in
  ///     try await store.book(delivery.value, index: delivery.index)   // the effect and the index in one transaction
  ///   }
  ///   …
  /// ```
  ///
  /// **Demand.** The server is sent every request, and never sends more values than are requested.
  ///
  /// **Order.** Values arrive in their order, each index once, without gaps. If values are gone, the stream fails with `dataLoss`.
  ///
  /// **Reconnecting.** When the connection is lost, the server stops or a deadline passes, the stream is subscribed to again as the
  /// policy says. All other statuses are final: `aborted` if another client has taken the session, `dataLoss`, `notFound`,
  /// `resourceExhausted`, and the failure of the stream itself, whatever its status.
  ///
  /// **Thread.** A task delivers values. **Cancellation** cancels the call. The server keeps the session for a while, so another
  /// subscription with the same session and position continues it.
  ///
  /// - Parameters:
  ///   - stream: The name of the stream.
  ///   - deserializer: The deserializer of the values. If it throws, the stream fails with `invalidArgument`.
  ///   - session: The session, or `nil` for a new one for each subscription. Choose it if a restarted process shall continue the
  ///     session of the one before. It's no secret and no authentication.
  ///   - position: The position, or `nil` to begin each subscription with the first value.
  ///   - acknowledgement: When values are acknowledged.
  ///   - policy: The number of attempts to reconnect, and the delays before them. By default, the stream tries forever, at first
  ///     after 100 ms and finally every 10 s, with jitter.
  ///   - scheduler: The scheduler that measures the delays.
  ///   - options: The options of each call.
  /// - Returns: A publisher of the values and their indexes.
  public func resumableStream<Value: Sendable, Context: Scheduler & Sendable>(
    _ stream: String, deserializer: some MessageDeserializer<Value>, session: String? = nil,
    position: StreamPosition? = nil, acknowledging acknowledgement: StreamAcknowledgement = .whenDelivered,
    retry policy: StreamRetryPolicy = .exponentialBackoff(
      first: .milliseconds(100), longest: .seconds(10), maxRetries: .max, jitter: .full, resetsAfterValue: true),
    scheduler: Context, options: CallOptions = .defaults
  ) -> AnySendablePublisher<StreamDelivery<Value>, RPCError> {
    AnySendablePublisher {
      let (session, position) = (session ?? .randomIdentity, position ?? StreamPosition())
      return self.connection(to: stream, deserializer, session, position, acknowledgement, options)
        .retry(policy, scheduler: scheduler, where: \.isLostConnection)
    }
  }

  /// Creates a publisher of the messages of a resumable stream, which continues after a lost connection.
  ///
  /// - Parameters:
  ///   - stream: The name of the stream.
  ///   - type: The type of the messages.
  ///   - session: The session, or `nil` for a new one for each subscription.
  ///   - position: The position, or `nil` to begin each subscription with the first value.
  ///   - acknowledgement: When values are acknowledged.
  ///   - policy: The number of attempts to reconnect, and the delays before them.
  ///   - scheduler: The scheduler that measures the delays.
  ///   - options: The options of each call.
  /// - Returns: A publisher of the messages and their indexes. See
  ///   ``resumableStream(_:deserializer:session:position:acknowledging:retry:scheduler:options:)``.
  public func resumableStream<Value: SwiftProtobuf.Message, Context: Scheduler & Sendable>(
    _ stream: String, of type: Value.Type, session: String? = nil, position: StreamPosition? = nil,
    acknowledging acknowledgement: StreamAcknowledgement = .whenDelivered,
    retry policy: StreamRetryPolicy = .exponentialBackoff(
      first: .milliseconds(100), longest: .seconds(10), maxRetries: .max, jitter: .full, resetsAfterValue: true),
    scheduler: Context, options: CallOptions = .defaults
  ) -> AnySendablePublisher<StreamDelivery<Value>, RPCError> {
    resumableStream(
      stream, deserializer: ProtobufCoder<Value>(), session: session, position: position,
      acknowledging: acknowledgement, retry: policy, scheduler: scheduler, options: options)
  }

  /// One connection of a subscription.
  private func connection<Value: Sendable>(
    to stream: String, _ deserializer: some MessageDeserializer<Value>, _ session: String, _ position: StreamPosition,
    _ acknowledgement: StreamAcknowledgement, _ options: CallOptions
  ) -> AnySendablePublisher<StreamDelivery<Value>, RPCError> {
    AnySendablePublisher {
      let (outbox, received, source) = position.beginConnection()
      return RPCPublisher<StreamDelivery<Value>>(whenRequested: outbox.request) { subscription in
        var subscribe = SubscriberFrame()
        subscribe.subscribe.stream = stream
        subscribe.subscribe.session = session
        subscribe.subscribe.after = received
        subscribe.subscribe.source = source
        try await self.bidirectionalStreaming(
          request: StreamingClientRequest { [subscribe] writer in
            try await writer.write(subscribe)
            while let request = await outbox.next() {
              var frame = SubscriberFrame()
              frame.request = request
              try await writer.write(frame)
            }
          },
          descriptor: ResumableStreams.subscribe, serializer: ProtobufCoder<SubscriberFrame>(),
          deserializer: ProtobufCoder<PublisherFrame>(), options: options
        ) { response in
          defer { outbox.end() }
          var (index, isOpen) = (received, false)
          for try await frame in response.messages {
            guard isOpen else {
              isOpen = true
              position.open(frame.source)
              outbox.open(window: frame.window, bytes: frame.windowBytes)
              continue
            }
            index += 1
            guard frame.index == index else {
              throw RPCError(
                code: .dataLoss, message: "The server has sent the value \(frame.index) in place of \(index).")
            }
            let delivery = StreamDelivery(index: index, value: try value(of: frame, deserializer))
            try await subscription.deliver(delivery) {
              outbox.receive(bytes: frame.payload.count)
              position.receive(index)
            }
            if acknowledgement == .whenDelivered { position.acknowledge(index) }
          }
          guard isOpen else { throw RPCError(code: .unavailable, message: "The call ended before its first frame.") }
        }
      }
    }
  }
}

private func value<Value>(of frame: PublisherFrame, _ deserializer: some MessageDeserializer<Value>) throws -> Value {
  do {
    return try deserializer.deserialize(PayloadBytes(data: frame.payload))
  } catch {
    // A retry would get the same bytes.
    throw RPCError(
      code: .invalidArgument, message: "The value with the index \(frame.index) can't be deserialized.", cause: error)
  }
}
