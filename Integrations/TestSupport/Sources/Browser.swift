import AsyncHTTPClient
package import Foundation
import NIOCore
import NIOHTTP1

/// A Chromium without a window, which is driven by WebDriver.
///
/// ```swift
/// try await Browser.run { browser in
///   try await browser.open("http://localhost:8080/")
///   #expect(try await browser.evaluate("document.title", as: String.self) == "Streams")
/// }
/// ```
package struct Browser: Sendable {
  /// The path of `chromedriver`, if it's installed.
  package static let driver = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
    .map { "\($0)/chromedriver" }.first { FileManager.default.isExecutableFile(atPath: $0) }

  /// A text for tests that are skipped without it.
  package static let isMissing = "chromedriver isn't installed (Debian: apt-get install chromium-driver)"

  private let session: String

  /// Runs a closure with a browser of its own, which is closed afterwards.
  package static func run<Result>(
    width: Int = 1_280, height: Int = 800, _ body: (Browser) async throws -> Result
  ) async throws -> Result {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: driver ?? "/usr/bin/chromedriver")
    process.arguments = ["--port=0"]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    // It inherits a thread's blocked signals, so it wouldn't see a milder one.
    defer { kill(process.processIdentifier, SIGKILL) }
    let port = try await port(in: output.fileHandleForReading)
    let options: [String: Any] = [
      "args": ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=\(width),\(height)"]
    ]
    let created: Created = try await send(
      "http://127.0.0.1:\(port)/session",
      [
        "capabilities": [
          "alwaysMatch": [
            "browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": ["browser": "ALL"],
          ]
        ]
      ])
    let browser = Browser(session: "http://127.0.0.1:\(port)/session/\(created.sessionId)")
    do {
      let result = try await body(browser)
      try await browser.close()
      return result
    } catch {
      try? await browser.close()
      throw error
    }
  }

  /// The line of `chromedriver` that says at which port it listens.
  private static func port(in output: FileHandle) async throws -> Int {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        var text = ""
        while true {
          let data = output.availableData
          if data.isEmpty { break }
          text += String(decoding: data, as: UTF8.self)
          guard let range = text.range(of: "successfully on port ") else { continue }
          let digits = text[range.upperBound...].prefix(while: \.isNumber)
          guard digits.endIndex < text.endIndex, let port = Int(digits) else { continue }
          continuation.resume(returning: port)
          // What else it writes isn't needed, but it must not block.
          while !output.availableData.isEmpty {}
          return
        }
        continuation.resume(throwing: Failure(message: "chromedriver didn't start: \(text)"))
      }
    }
  }

  private func close() async throws { let _: Nothing? = try await Self.send(session, nil, method: "DELETE") }

  // MARK: Commands

  /// Loads a page.
  package func open(_ address: String) async throws {
    let _: Nothing? = try await Self.send("\(session)/url", ["url": address])
  }

  /// Returns the value of a JavaScript expression, which may be a promise.
  package func evaluate<Value: Decodable>(_ expression: String, as type: Value.Type = Value.self) async throws -> Value
  {
    try await Self.send("\(session)/execute/sync", ["script": "return (\(expression))", "args": [Any]()])
  }

  /// Runs JavaScript.
  package func run(_ script: String) async throws {
    let _: Nothing? = try await Self.send(
      "\(session)/execute/sync", ["script": "\(script); return null", "args": [Any]()])
  }

  /// Waits until a JavaScript expression is true.
  ///
  /// - Throws: ``Failure`` after the limit, with the values of what it describes.
  package func wait(
    until expression: String, describing description: String = "document.body.innerText.slice(0, 2000)",
    limit: Duration = .seconds(60)
  ) async throws {
    let deadline = ContinuousClock.now + limit
    while ContinuousClock.now < deadline {
      if try await evaluate("!!(\(expression))", as: Bool.self) { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    let text = try await evaluate("String(\(description))", as: String.self)
    throw Failure(message: "\(expression) isn't true after \(limit): \(text)")
  }

  /// Presses keys one after another: characters, or a key such as ``Key/enter``.
  package func press(_ keys: String...) async throws {
    let actions = keys.flatMap { key in ["keyDown", "keyUp"].map { ["type": $0, "value": key] } }
    let _: Nothing? = try await Self.send(
      "\(session)/actions", ["actions": [["type": "key", "id": "keyboard", "actions": actions]]])
  }

  /// Clicks the middle of the first element that a selector matches.
  package func click(_ selector: String) async throws {
    let element: [String: String] = try await Self.send(
      "\(session)/element", ["using": "css selector", "value": selector])
    let id = element.values.first ?? ""
    let _: Nothing? = try await Self.send("\(session)/element/\(id)/click", [:])
  }

  /// Sets the size of the page, and whether its reader prefers dark colors.
  package func show(width: Int, height: Int, isDark: Bool) async throws {
    let _: Nothing? = try await command(
      "Emulation.setDeviceMetricsOverride",
      ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": false])
    let _: Nothing? = try await command(
      "Emulation.setEmulatedMedia",
      ["features": [["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"]]])
  }

  /// Sends a command of the Chrome DevTools Protocol.
  private func command<Value: Decodable>(_ name: String, _ parameters: [String: Any]) async throws -> Value {
    try await Self.send("\(session)/goog/cdp/execute", ["cmd": name, "params": parameters])
  }

  /// The page as it's on screen, as PNG.
  package func screenshot() async throws -> Data {
    let text: String = try await Self.send("\(session)/screenshot", nil, method: "GET")
    return Data(base64Encoded: text) ?? Data()
  }

  /// What the browser has written to its console since the last call, such as errors and what a security policy forbids.
  package func messages() async throws -> [String] {
    struct Entry: Decodable { let level: String, message: String }
    let entries: [Entry] = try await Self.send("\(session)/se/log", ["type": "browser"])
    return entries.map { "\($0.level) \($0.message)" }
  }

  /// Keys that have no character.
  package enum Key {
    package static let enter = "\u{E007}"
    package static let escape = "\u{E00C}"
    package static let down = "\u{E015}"
    package static let up = "\u{E013}"
    package static let left = "\u{E012}"
    package static let right = "\u{E014}"
    package static let end = "\u{E010}"
    package static let home = "\u{E011}"
  }

  package struct Failure: Error, CustomStringConvertible {
    let message: String
    package var description: String { message }
  }

  // MARK: Protocol

  private struct Created: Decodable { let sessionId: String }

  /// Any value, or none.
  private struct Nothing: Decodable { init(from decoder: any Decoder) {} }

  private struct Answer<Value: Decodable>: Decodable { let value: Value }

  private static func send<Value: Decodable>(
    _ address: String, _ body: [String: Any]?, method: String = "POST"
  ) async throws -> Value {
    var request = HTTPClientRequest(url: address)
    request.method = .RAW(value: method)
    if let body { request.body = .bytes(try JSONSerialization.data(withJSONObject: body)) }
    request.headers.add(name: "Content-Type", value: "application/json")
    let response = try await HTTPClient.shared.execute(request, timeout: .minutes(2))
    let data = Data(try await response.body.collect(upTo: 64 << 20).readableBytesView)
    guard response.status == .ok else { throw Failure(message: String(decoding: data.prefix(2_000), as: UTF8.self)) }
    return try JSONDecoder().decode(Answer<Value>.self, from: data).value
  }
}
