public import Hummingbird
public import Logging
public import NIOCore
public import ServiceLifecycle
public import StreamInspection

/// A web page that shows the live streams of this process.
///
/// ```swift
/// let group = ServiceGroup(services: [InspectorPage(port: 7070), server], logger: logger)
/// try await group.run()   // open http://localhost:7070
/// ```
///
/// The page lists the streams by the line of code that began them, with counts and rates. It shows the tree of each stream,
/// what waits in it and for what, and what is wrong. It compares two moments, and is updated every second.
///
/// - **Off by default:** Creating a page does nothing. ``run()`` and ``addRoutes(to:)`` begin to observe streams unless the
///   program has called `StreamInspector.start()`. Only streams that begin later are listed, so call that at the beginning of
///   `main` to see all.
/// - **Readers:** Everybody who can open a connection to the page's address can read it: by default, the users of this
///   machine. It has no authentication. It refuses requests whose `Host` isn't a name of the loopback or one that you've
///   given, and requests from pages of other origins.
/// - **Contents:** Places in the code, names of operators and types, counts and times. It never shows values.
/// - **Cost:** While no page is open, only what observing costs. While one is, the list of streams is read once a second on a
///   queue of its own, or less often, down to every five seconds, if that takes longer than a tenth of a second. Trees are
///   read only as far as they're on screen, for about a twentieth of a second each time.
public struct InspectorPage: Service {
  private let host: String
  private let port: Int
  private let names: Set<String>
  private let logger: Logger
  private let onServerRunning: @Sendable (any Channel) async -> Void
  private let inspector: Inspector

  /// Creates a page, which is served once you call ``run()`` or ``addRoutes(to:)``.
  ///
  /// - Parameters:
  ///   - host: The address at which ``run()`` listens. Any other than the loopback needs `names`, or ``run()`` throws.
  ///   - port: The port at which ``run()`` listens; with 0, the system chooses one.
  ///   - names: The names by which clients reach the page apart from `localhost`, `127.0.0.1` and `[::1]`, without a port. By
  ///     naming one, you make the page readable for everybody who can open a connection.
  ///   - lints: The thresholds from which something is found in a live stream, such as a queue that grows. While a page is
  ///     open, up to 200 streams are read ten times a second for this. With `nil`, nothing is looked for.
  ///   - logger: The logger of the server.
  ///   - onServerRunning: A closure that is called when ``run()`` listens, with the server's channel.
  public init(
    host: String = "127.0.0.1", port: Int = 7070, reachableAs names: Set<String> = [],
    lints: Inspection.Thresholds? = Inspection.Thresholds(), logger: Logger = Logger(label: "StreamsInspectorPage"),
    onServerRunning: @escaping @Sendable (any Channel) async -> Void = { _ in }
  ) {
    self.host = host
    self.port = port
    self.names = Set(names.map { $0.lowercased() })
    self.logger = logger
    self.onServerRunning = onServerRunning
    inspector = Inspector(lints: lints)
  }

  /// Serves the page until the service shuts down or the task is cancelled.
  ///
  /// It observes streams meanwhile, unless they're being observed already.
  ///
  /// - Throws: ``OpenAddressError`` if the address isn't the loopback and no names are given, or the error of the server, for
  ///   example if the port is in use.
  public func run() async throws {
    guard RequestCheck.isLoopback(host) || !names.isEmpty else { throw OpenAddressError(host: host) }
    let wasOn = StreamInspector.isOn
    defer { if !wasOn { StreamInspector.stop() } }
    let router = Router()
    addRoutes(to: router)
    let (host, logger, onServerRunning) = (host, logger, onServerRunning)
    let application = Application(
      router: router, configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
      onServerRunning: { channel in
        let name = host.contains(":") ? "[\(host)]" : host
        logger.info("The streams are at http://\(name):\(channel.localAddress?.port ?? 0)/")
        await onServerRunning(channel)
      }, logger: logger)
    try await application.run()
  }

  /// Adds the page to the routes of an existing server, and begins to observe streams unless they're being observed already.
  ///
  /// ```swift
  /// InspectorPage().addRoutes(to: router.group("streams"))   // open http://localhost:8080/streams/
  /// ```
  ///
  /// The address and the port of the page have no effect, but its names do: at any other than those of the loopback, requests
  /// are refused. Protect the group with a middleware if others can reach your server.
  ///
  /// - Parameter routes: The router, or a group of its routes.
  public func addRoutes<Context: RequestContext>(to routes: some RouterMethods<Context>) {
    if !StreamInspector.isOn { StreamInspector.start() }
    PageRoutes(inspector: inspector, check: RequestCheck(names: names)).add(to: routes)
  }

  /// The error that refuses to serve the page at an address that others can reach, because you haven't said so.
  public struct OpenAddressError: Error, CustomStringConvertible {
    /// The address.
    public let host: String

    /// A text that says what to do.
    public var description: String {
      "The inspector's page shows the inside of this process to everybody who can reach \(host). Listen at 127.0.0.1, or pass "
        + "the names by which it may be reached: InspectorPage(host:reachableAs:)."
    }
  }
}
