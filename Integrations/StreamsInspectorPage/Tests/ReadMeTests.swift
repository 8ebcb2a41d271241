import Hummingbird
import Logging
import ServiceLifecycle
import StreamInspection
import Streams
import StreamsInspectorPage
import Testing
import UnixSignals

/// The code of the README.
private func runServer() async throws {
  StreamInspector.start()  // at the beginning, so that it sees all streams

  let router = Router()
  router.get("hello") { _, _ in "hello" }
  let server = Application(router: router)

  let group = ServiceGroup(
    services: [server, InspectorPage(port: 7070)], gracefulShutdownSignals: [.sigterm, .sigint],
    logger: Logger(label: "server"))
  try await group.run()
}

private func addToServer(_ router: Router<BasicRequestContext>) {
  InspectorPage().addRoutes(to: router.group("streams"))  // http://localhost:8080/streams/
}

private func openToNetwork() -> InspectorPage {
  InspectorPage(host: "0.0.0.0", port: 7070, reachableAs: ["inspector.internal"])
}

extension InspectorPageTests {
  @Test func `the code of the README compiles`() {
    // Another suite may have left it on.
    StreamInspector.stop()
    let functions: (() async throws -> Void, (Router<BasicRequestContext>) -> Void) = (runServer, addToServer)
    _ = (functions, openToNetwork())
    #expect(!StreamInspector.isOn)
  }
}
