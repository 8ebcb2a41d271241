public import Hummingbird
public import NIOCore

/// A request context that keeps the channel that the request came from.
///
/// An event stream or a body that gets your context then waits until the channel's event loop has taken what it has written, so that
/// a client that doesn't read is noticed early. If your routes need a context of their own, conform it:
///
/// ```swift
/// struct AppContext: ChannelRequestContext {
///   var coreContext: CoreRequestContextStorage
///   let channel: any Channel
///   var user: User?
///
///   init(source: Source) {
///     coreContext = .init(source: source)
///     channel = source.channel
///   }
/// }
/// ```
public protocol ChannelRequestContext: RequestContext {
  /// The channel that the request came from.
  var channel: any Channel { get }
}

/// A request context that keeps the channel that the request came from, and nothing else.
///
/// ```swift
/// let router = Router(context: ChannelContext.self)
/// router.get("prices") { request, context in
///   Response.serverSentEvents(to: request, prices, context: context)
/// }
/// ```
public struct ChannelContext: ChannelRequestContext {
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
