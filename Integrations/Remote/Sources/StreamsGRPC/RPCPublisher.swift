public import GRPCCore
public import Streams

/// A publisher that makes a call for each subscriber and publishes the messages of the response.
///
/// The closure makes the call with a generated stub. Pass its argument on as `onResponse`:
///
/// ```swift
/// let prices = RPCPublisher { receive in try await stub.watch(symbol, onResponse: receive) }
/// prices.sink { completion in … } receiveValue: { price in show(price) }
/// ```
///
/// **Demand.** The call begins with the first request. While nothing is requested, one message is held and no other is taken from
/// the transport. HTTP/2's window then makes the server wait, as soon as it's full. With the default window, that's after several
/// megabytes. ``GRPCCore/GRPCClient/resumableStream(_:of:session:position:acknowledging:retry:scheduler:options:)`` limits the
/// number of values instead.
///
/// **Thread.** A task delivers the values one after the other. It has the task-local values of the code that made the first
/// request.
///
/// **Completion.** The stream finishes with the call. It fails with the status and the metadata that the server has sent, such as
/// `deadlineExceeded` if the options of the call have a timeout. Neither needs demand. An error that the closure throws becomes
/// the code `unknown`, unless it's an `RPCError` or an `RPCErrorConvertible`.
///
/// **Cancellation** cancels the call. Nothing is delivered afterwards.
public struct RPCPublisher<Output: Sendable>: Publisher, Sendable {
  public typealias Failure = RPCError

  /// A closure that takes the response of a call.
  public typealias Receive = @Sendable (_ response: StreamingClientResponse<Output>) async throws -> Void

  private let call: @Sendable (RPCSubscription<Output>) async throws -> Void
  private let whenRequested: (@Sendable (Subscribers.Demand) -> Void)?

  /// Creates a publisher of the messages of a response.
  ///
  /// - Parameter call: A closure that makes the call and passes its argument on as `onResponse`.
  public init(_ call: @escaping @Sendable (_ receive: @escaping Receive) async throws -> Void) {
    self.init(whenRequested: nil) { subscription in
      try await call { response in
        for try await message in response.messages { try await subscription.deliver(message) }
      }
    }
  }

  /// Creates a publisher of the values that a closure delivers.
  ///
  /// - Parameters:
  ///   - whenRequested: A closure that's called with all demand, before the call can notice it.
  ///   - call: A closure that delivers values to the subscription and returns at the end of the stream.
  init(
    whenRequested: (@Sendable (Subscribers.Demand) -> Void)?,
    _ call: @escaping @Sendable (RPCSubscription<Output>) async throws -> Void
  ) {
    self.call = call
    self.whenRequested = whenRequested
  }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == RPCError {
    let subscription = RPCSubscription(subscriber, whenRequested, call)
    subscriber.receive(subscription: subscription)
    subscription.begin()
  }
}
