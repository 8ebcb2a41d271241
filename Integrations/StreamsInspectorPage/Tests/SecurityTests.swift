import Foundation
import Hummingbird
import Logging
import NIOHTTP1
import ServiceLifecycle
import StreamInspection
import StreamsInspectorPage
import Testing

/// Expects a status.
private func expect(
  _ status: UInt, at address: String, _ headers: [(String, String)] = [],
  sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  let response = try await respond(to: address, headers)
  #expect(response.status == status, "\(address) \(headers)", sourceLocation: sourceLocation)
}

extension InspectorPageTests {
  @Test func `nothing is observed until the page is run`() async throws {
    StreamInspector.stop()
    let page = InspectorPage(port: 0)
    _ = page
    #expect(!StreamInspector.isOn)
    let wasOn = try await serve { _ in StreamInspector.isOn }
    #expect(wasOn)
    #expect(!StreamInspector.isOn)
  }

  @Test(arguments: ["0.0.0.0", "::", "192.168.0.1", "127.0.0.1.example.com", "example.com"])
  func `an address that others can reach is refused unless there are names`(_ host: String) async throws {
    StreamInspector.stop()
    await #expect(throws: InspectorPage.OpenAddressError.self) { try await InspectorPage(host: host, port: 0).run() }
    #expect(!StreamInspector.isOn)
  }

  @Test func `an address that others can reach is served under the names that are given`() async throws {
    try await serve { logger, onRunning in
      InspectorPage(
        host: "0.0.0.0", port: 0, reachableAs: ["Inspector.internal"], logger: logger, onServerRunning: onRunning)
    } _: { address in
      try await expect(200, at: address, [("Host", "inspector.internal:7070")])
      try await expect(403, at: address, [("Host", "other.internal:7070")])
    }
  }

  @Test func `requests under other names are refused`() async throws {
    try await serve { address in
      for path in ["", "inspector.js", "inspector.css", "icon.svg", "events"] {
        for host in [
          "evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "10.0.0.1", "[::2]:80", "",
          "[::1].evil.example", "[::1]evil", "[::1", "127.0.0.+1", "127.0.0.-0", "127.0.0.01", "localhost:evil.example",
          "localhost:80:evil",
          "127.0.0.1:80@evil.example", "localhost@evil.example",
        ] {
          try await expect(403, at: address + path, [("Host", host)])
        }
        for host in ["localhost", "LOCALHOST:1", "127.0.0.1", "127.1.2.3:80", "[::1]:7070"] {
          try await expect(200, at: address + path, [("Host", host)])
        }
      }
    }
  }

  @Test func `requests of pages of other origins are refused`() async throws {
    try await serve { address in
      let own = String(address.dropLast())
      for path in ["inspector.js", "events"] {
        for origin in ["http://evil.example", "http://127.0.0.1:1", "null", "http://localhost"] {
          try await expect(403, at: address + path, [("Origin", origin)])
        }
        try await expect(200, at: address + path, [("Origin", own)])
        for site in ["cross-site", "same-site"] {
          try await expect(403, at: address + path, [("Sec-Fetch-Site", site)])
          // Not even as the document of a window or a frame.
          let headers = [("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", "navigate")]
          try await expect(403, at: address + path, headers)
        }
      }
      // A link may lead to the page.
      let headers = [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")]
      try await expect(200, at: address, headers)
    }
  }

  @Test func `a change needs JSON and a page that is connected`() async throws {
    try await serve { address in
      let json = [("Content-Type", "application/json")]
      func post(_ path: String, _ body: String, _ headers: [(String, String)]) async throws -> UInt {
        try await respond(to: address + path, method: "POST", body: body, headers).status
      }
      #expect(try await post("marks", "{}", [("Content-Type", "text/plain")]) == 415)
      #expect(try await post("marks", "{}", json + [("Origin", "http://evil.example")]) == 403)
      #expect(try await post("marks", "{}", json) == 201)
      #expect(try await post("views/guess", "{}", json) == 400)
      let reader = try await EventReader(address)
      #expect(try await post("views/\(reader.session)", "[1, 2", json) == 400)
      #expect(try await post("views/\(reader.session)", String(repeating: " ", count: 4 << 20), json) == 413)
      #expect(try await reader.show(0..<10) == 204)
      // Numbers that make no sense are cut down.
      #expect(try await reader.show(Int.max - 1..<Int.max) == 204)
      #expect(try await reader.rows().rows.isEmpty)
    }
  }

  @Test func `every response has a policy that allows nothing from elsewhere, and no file needs any`() async throws {
    try await serve { address in
      for path in ["", "inspector.js", "inspector.css", "icon.svg"] {
        let (status, headers, text) = try await respond(to: address + path)
        #expect(status == 200)
        let policy = headers["Content-Security-Policy"].joined()
        #expect(policy.hasPrefix("default-src 'none';") && !policy.contains("unsafe") && !policy.contains("*"))
        #expect(headers["X-Content-Type-Options"] == ["nosniff"] && headers["Cache-Control"] == ["no-store"])
        // The names of the SVG language are no addresses.
        let others = text.replacing("http://www.w3.org/2000/svg", with: "")
        #expect(!others.contains("http:") && !others.contains("https:") && !others.contains("@import"), "\(path)")
        #expect(!text.contains("innerHTML") && !text.contains("eval("))
      }
      let page = try await respond(to: address).text
      #expect(!page.contains("<style") && !page.contains("style=") && !page.contains("onclick"))
      #expect(page.components(separatedBy: "<script").count == 2 && page.contains("<script src=\"inspector.js\""))
    }
  }

  @Test func `a group of an existing server serves the page below its path`() async throws {
    defer { StreamInspector.stop() }
    try await serve { logger, onRunning in
      let router = Router()
      router.get("hello") { _, _ in "hello" }
      InspectorPage().addRoutes(to: router.group("streams"))
      return Application(
        router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)), onServerRunning: onRunning,
        logger: logger)
    } _: { address in
      #expect(StreamInspector.isOn)
      let hello = try await respond(to: address + "hello").text
      #expect(hello == "hello")
      let page = try await respond(to: address + "streams/").text
      #expect(page.contains("<title>Streams</title>"))
      try await expect(200, at: address + "streams/inspector.js")
      let reader = try await EventReader(address + "streams/")
      #expect(try await reader.next("summary", as: SummaryEvent.self).isObserving)
    }
  }
}
