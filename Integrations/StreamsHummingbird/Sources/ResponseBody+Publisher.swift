public import Hummingbird
public import NIOCore
public import StreamAlgorithms
public import Streams

extension ResponseBody {
  /// Creates a body of the chunks that a publisher sends.
  ///
  /// ```swift
  /// router.get("log") { request, _ in
  ///   Response(status: .ok, body: ResponseBody(lines.map { ByteBuffer(string: $0 + "\n") }, to: request))
  /// }
  /// ```
  ///
  /// It subscribes immediately and writes each chunk when the client has room for it. While it has none, up to `bound` chunks
  /// wait, then `whenFull` decides. `.wait` requests no more than fit, so that a publisher that waits for demand becomes as slow
  /// as its client. For a subject, use ``init(_:to:unread:context:)``.
  ///
  /// When the publisher finishes, the waiting chunks are written and the body ends. When it fails, they're written and the
  /// connection is cut without the proper end of the body, so that the client notices. A graceful shutdown of the server
  /// doesn't end the publisher: the body is written to its end.
  ///
  /// If you pass the request, its body is consumed, and the subscription is cancelled as soon as the client leaves. Otherwise,
  /// that happens at the next write. Don't pass it if you read its body while you respond.
  ///
  /// - Parameters:
  ///   - chunks: The chunks to write. It may capture only what is sendable.
  ///   - request: The request to respond to, or `nil` if you read its body.
  ///   - bound: The maximum number of chunks that wait. A number below one stops the program with a message.
  ///   - whenFull: The strategy for a chunk for which there's no room.
  ///   - context: The context of the request. The inspector and reports name the stream by its route then, such as
  ///     `GET /rooms/{room}`. If your server doesn't run on NIO's shared event loops, pass a ``ChannelRequestContext``.
  public init<Chunks: Publisher & SendableMetatype>(
    _ chunks: sending Chunks, to request: Request? = nil, bounded bound: Int = 16,
    whenFull: sending OverflowStrategy<Chunks.Failure> = .wait, context: (any RequestContext)? = nil
  ) where Chunks.Output == ByteBuffer {
    self.init(
      writing: chunks, to: request, waiting: WaitingValues(bounded: bound, whenFull: whenFull), keepAlive: nil,
      drainingWithin: nil, context: context
    ) { $0 }
  }

  /// Creates a body of the chunks that a publisher sends, and cuts off a client that doesn't read them.
  ///
  /// It's for publishers that don't wait for demand, such as subjects. Everything else is as in
  /// ``init(_:to:bounded:whenFull:context:)``.
  ///
  /// - Parameters:
  ///   - chunks: The chunks to write. It may capture only what is sendable.
  ///   - request: The request to respond to, or `nil` if you read its body.
  ///   - limit: What the client may leave unread.
  ///   - context: The context of the request, which names the stream by its route.
  public init<Chunks: Publisher & SendableMetatype>(
    _ chunks: sending Chunks, to request: Request? = nil, unread limit: UnreadLimit,
    context: (any RequestContext)? = nil
  ) where Chunks.Output == ByteBuffer {
    self.init(
      writing: chunks, to: request, waiting: WaitingValues(limit, of: context?.connection) { $0.readableBytes },
      keepAlive: nil,
      drainingWithin: nil, context: context
    ) { $0 }
  }
}
