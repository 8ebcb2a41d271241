import Hummingbird
import Logging
import ServiceLifecycle
import Testing

/// Runs an application for the time of a closure.
func serve<Responder: HTTPResponder>(
  _ application: Application<Responder>, _ body: @escaping @Sendable (Int) async throws -> Void
) async throws where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
  var application = application
  let (ports, port) = AsyncStream.makeStream(of: Int.self)
  application.logger = .quiet
  let running = Application(
    responder: application.responder, server: application.server, configuration: application.configuration,
    onServerRunning: { port.yield($0.localAddress?.port ?? 0) }, logger: .quiet)
  let group = ServiceGroup(services: [running], logger: .quiet)
  try await withThrowingTaskGroup { tasks in
    tasks.addTask { try await group.run() }
    var iterator = ports.makeAsyncIterator()
    try await body(try #require(await iterator.next()))
    await group.triggerGracefulShutdown()
    try await tasks.waitForAll()
  }
}

extension Logger {
  /// A logger for tests in which errors are expected.
  static var quiet: Logger {
    var logger = Logger(label: "guide")
    logger.logLevel = .critical
    return logger
  }
}
