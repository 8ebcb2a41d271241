public import HTTPTypes
public import Hummingbird
internal import NIOCore
public import StreamAlgorithms
public import Streams

extension Response {
  /// Creates a response that sends a publisher's events to a client until the publisher completes or the client leaves.
  ///
  /// ```swift
  /// let prices = PassthroughSubject<Double, Never>()
  /// router.get("prices") { request, context in
  ///   Response.serverSentEvents(to: request, prices.map { ServerSentEvent(data: "\($0)") }, context: context)
  /// }
  /// ```
  ///
  /// It subscribes immediately, so a client that has received the head of the response misses nothing that you send later.
  /// It requests everything, and events are written as the client reads them. Those that wait are written together, up to 32 KB.
  /// Clients share the bytes of an event if it's created once for all of them, as when you send it to a `PassthroughSubject` of
  /// events. A `map` in the route creates one for each client.
  ///
  /// If a client leaves more unread than `unread` allows, or for longer, its connection is cut: by default 1 MB, or 5 seconds
  /// without taking an event. To keep only the latest events, or to make the publisher as slow as its client, use
  /// ``serverSentEvents(to:_:bounded:whenFull:keepAlive:drainInterval:context:headers:)``.
  ///
  /// - **Completion:** When the publisher finishes, the waiting events are written and the body ends. When it fails, they're
  ///   written and the connection is cut without the proper end of the body. The client notices both and reconnects. To end its
  ///   attempts, respond with the status 204.
  /// - **Leaving:** When the client closes the connection, or only its sending side, the subscription is cancelled, even if no
  ///   event is ever sent. If the response is never written, it's cancelled when the response is released.
  /// - **Shutdown:** A graceful shutdown of the server cancels the subscription and lets waiting events through. A client that
  ///   hasn't read them within `drainInterval` is cut off.
  /// - **Idle streams:** If nothing has been written during an interval of `keepAlive`, a comment is. Without one, a server
  ///   doesn't notice a client whose network has vanished.
  ///
  /// Your publisher's values are encoded by a task of the response, not on the thread that sends. Don't read the request's body
  /// after you've called this method. The request must come from a server unedited: `consumeWithInboundCloseHandler`, which
  /// detects that the client leaves, stops the program if a middleware has replaced its body by another sequence.
  ///
  /// - Parameters:
  ///   - request: The request to respond to.
  ///   - events: The events to send. It may capture only what is sendable.
  ///   - limit: What the client may leave unread.
  ///   - keepAlive: The interval after which an idle stream sends a comment, or `nil` for none.
  ///   - drainInterval: The time that waiting events have to be written once the server shuts down.
  ///   - context: The context of the request. The inspector and reports name the stream by its route then, such as
  ///     `GET /rooms/{room}`. If your server doesn't run on NIO's shared event loops, pass a ``ChannelRequestContext``.
  ///   - headers: Header fields to add to the response.
  /// - Returns: A response with the status 200 and the content type `text/event-stream`.
  public static func serverSentEvents<Events: Publisher & SendableMetatype>(
    to request: Request, _ events: sending Events, unread limit: UnreadLimit = UnreadLimit(),
    keepAlive: Duration? = .seconds(15), drainInterval: Duration = .seconds(5), context: (any RequestContext)? = nil,
    headers: HTTPFields = [:]
  ) -> Response where Events.Output == ServerSentEvent {
    let body = ResponseBody(
      writing: events, to: request, waiting: WaitingValues(limit, of: context?.connection) { $0.size },
      keepAlive: .comments(every: keepAlive),
      drainingWithin: drainInterval, context: context
    ) { $0.encoded() }
    return eventStream(headers, body)
  }

  /// Creates a response that sends a publisher's events to a client, of which only some may wait.
  ///
  /// ```swift
  /// Response.serverSentEvents(to: request, positions, bounded: 1, whenFull: .dropOldest)  // Only the latest one.
  /// Response.serverSentEvents(to: request, rows, bounded: 16, whenFull: .wait)  // A source that waits for demand.
  /// ```
  ///
  /// While the client doesn't read, up to `bound` events wait, then `whenFull` decides what happens to the next one. `.wait`
  /// requests no more than fit, so use it with publishers that wait for demand. `.cancel` cuts the connection, and so it can cut a
  /// client that reads: events that are sent at the same moment, such as the elements of an array, all count. What's
  /// being written, up to 32 KB, and one further event are beside them. The connection itself keeps what NIO's and the system's
  /// buffers hold.
  ///
  /// Everything else is as in ``serverSentEvents(to:_:unread:keepAlive:drainInterval:context:headers:)``.
  ///
  /// - Parameters:
  ///   - request: The request to respond to.
  ///   - events: The events to send. It may capture only what is sendable.
  ///   - bound: The maximum number of events that wait. A number below one stops the program with a message.
  ///   - whenFull: The strategy for an event for which there's no room.
  ///   - keepAlive: The interval after which an idle stream sends a comment, or `nil` for none.
  ///   - drainInterval: The time that waiting events have to be written once the server shuts down.
  ///   - context: The context of the request, which names the stream by its route.
  ///   - headers: Header fields to add to the response.
  /// - Returns: A response with the status 200 and the content type `text/event-stream`.
  public static func serverSentEvents<Events: Publisher & SendableMetatype>(
    to request: Request, _ events: sending Events, bounded bound: Int,
    whenFull: sending OverflowStrategy<Events.Failure>, keepAlive: Duration? = .seconds(15),
    drainInterval: Duration = .seconds(5), context: (any RequestContext)? = nil, headers: HTTPFields = [:]
  ) -> Response where Events.Output == ServerSentEvent {
    let body = ResponseBody(
      writing: events, to: request, waiting: WaitingValues(bounded: bound, whenFull: whenFull),
      keepAlive: .comments(every: keepAlive), drainingWithin: drainInterval, context: context
    ) { $0.encoded() }
    return eventStream(headers, body)
  }

  /// Creates a response that sends the events of a log to a client until it leaves, without a gap and without a double.
  ///
  /// ```swift
  /// let log = MemoryEventLog(capacity: 1_000)
  /// router.get("prices") { request, context in
  ///   try await Response.serverSentEvents(to: request, from: log, context: context)
  /// }
  /// ```
  ///
  /// Each event gets an ID. A browser that reconnects says which one it has received last, and gets everything after it. A new
  /// client gets what is added from now on, after the `latest` events before.
  ///
  /// - **Gaps:** If the log doesn't hold the next event for a client any more, or the ID isn't its own, the client gets `gap`, then
  ///   what the log holds. So it can load what it has missed in another way.
  /// - **Slow clients:** Events are read from the log as the client reads them, up to 128 at a time, and those are written
  ///   together. Nothing waits for a slow client, and it's never cut off. If it falls behind more than the log holds, it gets a gap.
  /// - **Shutdown:** A graceful shutdown ends the response after the events that have been read from the log. The client resumes
  ///   after them.
  ///
  /// It ends when the log's `additions` do. The inspector's page lists each client under the route. `client` tells them apart. Leaving, idle streams and what is asked of the request are the same as with a publisher.
  ///
  /// - Parameters:
  ///   - request: The request to respond to.
  ///   - log: The log.
  ///   - latest: The number of events that a new client gets of those that the log holds.
  ///   - gap: The event that says that events are missing. Its ID is set for it.
  ///   - client: A name of the client for the inspector's page, or `nil`. With a publisher of your own, it's a `checkpoint`.
  ///   - keepAlive: The interval after which an idle stream sends a comment, or `nil` for none.
  ///   - drainInterval: The time that events have to be written once the server shuts down.
  ///   - context: The context of the request, which names the stream by its route.
  ///   - headers: Header fields to add to the response.
  /// - Returns: A response with the status 200 and the content type `text/event-stream`.
  /// - Throws: An error of the log.
  public static func serverSentEvents<Log: EventLog>(
    to request: Request, from log: Log, latest: Int = 0, gap: ServerSentEvent = ServerSentEvent(data: "", event: "gap"),
    client: String? = nil, keepAlive: Duration? = .seconds(15), drainInterval: Duration = .seconds(5),
    context: (any RequestContext)? = nil,
    headers: HTTPFields = [:]
  ) async throws -> Response {
    let reader = try await EventLogReader(log, after: request.lastEventID, latest: latest, gap: gap)
    let body = ResponseBody(
      writing: AnySendablePublisher {
        let pages = AsyncThrowingStream { try await reader.page() }.publisher
        return client.map { pages.checkpoint($0).eraseToAnyPublisher() } ?? pages.eraseToAnyPublisher()
      },
      to: request, waiting: WaitingValues(bounded: 1, whenFull: .wait), keepAlive: .comments(every: keepAlive),
      drainingWithin: drainInterval, context: context
    ) { events in
      var bytes = ByteBuffer()
      for event in events { bytes.writeImmutableBuffer(event.encoded()) }
      return bytes
    }
    return eventStream(headers, body)
  }

  private static func eventStream(_ headers: HTTPFields, _ body: ResponseBody) -> Response {
    var fields = headers
    fields[.contentType] = "text/event-stream"
    if fields[.cacheControl] == nil { fields[.cacheControl] = "no-cache" }
    return Response(status: .ok, headers: fields, body: body)
  }
}
