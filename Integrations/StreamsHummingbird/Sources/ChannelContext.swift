public import Hummingbird
public import NIOCore

/// A request context that keeps the channel that the request came from.
///
/// ```swift
/// let router = Router(context: ChannelContext.self)
/// router.get("prices") { request, context in
///   Response.serverSentEvents(to: request, prices, channel: context.channel)
/// }
/// ```
///
/// An event stream or a body then waits until the channel's event loop has taken what it has written, so that a client that doesn't
/// read is noticed early. If your routes need a context of their own, add the channel to it in the same way.
public struct ChannelContext: RequestContext {
  /// Hummingbird's own part of the context.
  public var coreContext: CoreRequestContextStorage

  /// The channel that the request came from.
  public let channel: any Channel

  /// Creates a context for a request.
  ///
  /// - Parameter source: The request's source.
  public init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
  }
}
