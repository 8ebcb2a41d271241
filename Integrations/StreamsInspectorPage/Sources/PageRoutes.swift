internal import HTTPTypes
internal import Hummingbird
internal import ServiceLifecycle
internal import StreamsHummingbird

/// What the page and its scripts request.
struct PageRoutes: Sendable {
  let inspector: Inspector
  let check: RequestCheck

  func add<Context: RequestContext>(to routes: some RouterMethods<Context>) {
    routes.get("") { request, _ in
      if let refused = refuse(request, isDocument: true) { return refused }
      // The paths of its files are relative to it.
      guard request.uri.path.hasSuffix("/") else {
        return Response(status: .permanentRedirect, headers: [.location: request.uri.path + "/"])
      }
      return Self.file(PackageResources.inspector_html, "text/html; charset=utf-8")
    }
    addFile("inspector.css", PackageResources.inspector_css, "text/css; charset=utf-8", to: routes)
    addFile("inspector.js", PackageResources.inspector_js, "text/javascript; charset=utf-8", to: routes)
    addFile("icon.svg", PackageResources.icon_svg, "image/svg+xml", to: routes)
    routes.get("events") { request, _ in refuse(request) ?? events(to: request) }
    routes.post("views/:session") { request, context in
      if let refused = refuse(request, isJSON: true) { return refused }
      let view = try await request.decode(as: PageView.self, context: context)
      let isKnown = inspector.show(view, in: context.parameters.get("session") ?? "")
      return Response(status: isKnown ? .noContent : .notFound)
    }
    routes.post("marks") { request, _ in
      if let refused = refuse(request, isJSON: true) { return refused }
      return Self.text("\(await inspector.mark())", status: .created)
    }
  }

  private func addFile<Context: RequestContext>(
    _ name: String, _ bytes: [UInt8], _ type: String, to routes: some RouterMethods<Context>
  ) {
    routes.get(RouterPath(name)) { request, _ in refuse(request) ?? Self.file(bytes, type) }
  }

  private func refuse(_ request: Request, isDocument: Bool = false, isJSON: Bool = false) -> Response? {
    if let reason = check.refusal(of: request, isDocument: isDocument) { return Self.text(reason, status: .forbidden) }
    // A form of another page can't have this type.
    if isJSON, request.headers[.contentType]?.hasPrefix("application/json") != true {
      return Self.text("The body must be JSON.", status: .unsupportedMediaType)
    }
    return nil
  }

  // MARK: Responses

  private static let headers: HTTPFields = {
    var headers: HTTPFields = [
      .cacheControl: "no-store",
      .contentSecurityPolicy: "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        + "require-trusted-types-for 'script'",
      .xContentTypeOptions: "nosniff",
    ]
    headers[HTTPField.Name("Referrer-Policy")!] = "no-referrer"
    headers[HTTPField.Name("Cross-Origin-Resource-Policy")!] = "same-origin"
    headers[HTTPField.Name("Cross-Origin-Opener-Policy")!] = "same-origin"
    return headers
  }()

  private static func file(_ bytes: [UInt8], _ type: String) -> Response {
    var headers = headers
    headers[.contentType] = type
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  private static func text(_ text: String, status: HTTPResponse.Status) -> Response {
    var headers = headers
    headers[.contentType] = "text/plain; charset=utf-8"
    return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }

  /// The events of a page. They're written by a loop instead of a publisher, because the page would list that itself.
  ///
  /// What has changed is put into words when the client has read the last events, so that nothing waits for a slow one.
  private func events(to request: Request) -> Response {
    var headers = Self.headers
    headers[.contentType] = "text/event-stream"
    guard let session = inspector.begin() else {
      // A browser doesn't show its script what a response with an error says.
      let refusal = ServerSentEvent(
        data: "\"\(Inspector.sessionLimit) pages are open, which is the most. Close one: this page tries again.\"",
        event: "refused", retry: .seconds(5))
      return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: refusal.encoded()))
    }
    return Response(
      status: .ok, headers: headers,
      body: ResponseBody { writer in
        // Unchecked: only the closure that writes uses it, and this one waits for its end.
        nonisolated(unsafe) var writer = writer
        try await request.body.droppingRest {
          try await withGracefulShutdownHandler {
            try await writer.write(session.greeting.encoded())
            for await _ in session.wakeUps {
              for event in await inspector.render(session) { try await writer.write(event.encoded()) }
            }
            try await writer.finish(nil)
          } onGracefulShutdown: {
            session.end()
          }
        } onInboundClosed: {
          session.end()
        }
      })
  }
}
