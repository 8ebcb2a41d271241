public import GRPCCore
public import StreamAlgorithms
public import Streams

extension StreamingServerResponse {
  /// Creates a response of a publisher's values.
  ///
  /// ```swift
  /// func watch(
  ///   request: ServerRequest<Symbol>, context: ServerContext
  /// ) async throws -> StreamingServerResponse<Price> {
  ///   StreamingServerResponse { prices(of: request.message) }
  /// }
  /// ```
  ///
  /// **Demand.** The response requests as many values as fit into its buffer, and more as the transport takes them. The transport
  /// waits for a client that doesn't read only when HTTP/2's window is full, and buffers several megabytes before that.
  ///
  /// **Completion.** When the publisher finishes, the call ends with the status `ok`. If it fails with an `RPCError` or an
  /// `RPCErrorConvertible`, the client gets that status and its metadata. Any other failure becomes `unknown` without a message,
  /// because the text of an error may not be meant for clients.
  ///
  /// **Cancellation.** The subscription ends with the call, even while no value is sent: when the client cancels it, its deadline
  /// passes, its connection is lost or the server begins a graceful shutdown. The status is then `unavailable`, and waiting values
  /// are dropped. To send the last values before a stop, finish the publisher yourself.
  ///
  /// - Parameters:
  ///   - metadata: The metadata to send before the first value.
  ///   - bound: The maximum number of values that wait for the transport, which takes up to 16 at a time. A number below one stops
  ///     the program with a message.
  ///   - whenFull: The strategy for handling a value when there's no room for it. By default, the publisher waits.
  ///   - publisher: A closure that returns the publisher. It's called in a task of the call.
  public init<P: Publisher & SendableMetatype>(
    metadata: Metadata = [:], bounded bound: Int = 64, whenFull: OverflowStrategy<P.Failure> = .wait,
    _ publisher: @escaping @Sendable () -> P
  ) where P.Output == Message {
    self.init(metadata: metadata) { writer in
      try await endingWithCall {
        do {
          try await write(publisher(), bounded: bound, whenFull: whenFull, to: writer)
        } catch {
          throw RPCError(ofPublisher: error)
        }
      }
      return [:]
    }
  }
}

extension StreamingClientRequest {
  /// Creates a request of a publisher's values.
  ///
  /// ```swift
  /// try await stub.record(request: StreamingClientRequest { readings })
  /// ```
  ///
  /// The request takes values as the server reads them. It finishes with the publisher. A failure of the publisher fails the call,
  /// and cancelling the call cancels the subscription.
  ///
  /// - Parameters:
  ///   - metadata: The metadata to send before the first value.
  ///   - bound: The maximum number of values that wait for the transport, which takes up to 16 at a time. A number below one stops
  ///     the program with a message.
  ///   - whenFull: The strategy for handling a value when there's no room for it. By default, the publisher waits.
  ///   - publisher: A closure that returns the publisher. It's called in a task of the call.
  public init<P: Publisher & SendableMetatype>(
    metadata: Metadata = [:], bounded bound: Int = 64, whenFull: OverflowStrategy<P.Failure> = .wait,
    _ publisher: @escaping @Sendable () -> P
  ) where P.Output == Message {
    self.init(metadata: metadata) { writer in
      do {
        try await write(publisher(), bounded: bound, whenFull: whenFull, to: writer)
      } catch {
        throw RPCError(ofCall: error)
      }
    }
  }
}

private func write<P: Publisher>(
  _ publisher: P, bounded bound: Int, whenFull: OverflowStrategy<P.Failure>, to writer: RPCWriter<P.Output>
) async throws {
  var values = publisher.values(bounded: bound, whenFull: whenFull).makeAsyncIterator()
  while let value = try await values.next() {
    var batch = [value]
    while batch.count < 16, let value = values.nextIfAvailable() { batch.append(value) }
    try await writer.write(contentsOf: batch)
  }
  try Task.checkCancellation()
}
