import Foundation
import StreamFoundation
import StreamTesting
import Testing

/// The example as a user runs it: a program that reads queries from its input and sends them to a server.
///
/// Snippets are built with the tests, into the same folder; where they are missing, the tests are disabled.
@Suite(.ownThread, .enabled(if: RunningExample.program != nil))
struct IncrementalSearchTests {
  @Test func `sends the typed query to the server, and a newer query closes the earlier connection`()
    async throws
  {
    let server = LoopbackServer { request in
      switch request.target {
      case "/search?q=stri": .text("strict\r\nstride\r\nstring\r\n")
      case "/search?q=a%20b%26c": .text(#"["one \"line\""]"#, fields: ["Cache-Control: no-store"])
      case "/search?q=lost": .notFound("strange\n")
      default: .later
      }
    }
    let example = try RunningExample(arguments: ["--live", "http://127.0.0.1:\(server.port)/search?q={query}"])
    example.type("str")
    #expect(await server.requests.first(1).map(\.target) == ["/search?q=str"])
    example.type("stri")
    #expect(await server.abandoned.first(1) == ["/search?q=str"])
    #expect(await example.output.next(4) == ["\"stri\": 3 lines", "  strict", "  stride", "  string"])
    example.type("a b&c")
    #expect(await example.output.next(2) == ["\"a b&c\": 1 line", "  one \"line\""])
    example.type("lost")
    #expect(await example.output.next() == "\"lost\": the server answered with status 404")
    example.type("stri")
    #expect(await example.output.next(4).first == "\"stri\": 3 lines")
    #expect(try await example.end() == 0)
    #expect(server.abandoned.all == ["/search?q=str"])
  }

  @Test func `an unreachable server prints a message and does not end the program`() async throws {
    let socket = LoopbackSocket()
    let example = try RunningExample(arguments: ["--live", "http://127.0.0.1:\(socket.port)/{query}"])
    for text in ["a", "b"] {
      example.type(text)
      #expect(await example.output.next()?.hasPrefix("\"\(text)\": ") == true)
    }
    #expect(try await example.end() == 0)
  }

  @Test func `without a server, the program searches the files of the folder`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("search-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try "one\n  two\nthree".write(to: folder.appendingPathComponent("numbers"), atomically: true, encoding: .utf8)
    let example = try RunningExample(arguments: ["--live"], folder: folder)
    example.type("t")
    #expect(await example.output.next(3) == ["\"t\": 2 lines", "  numbers:2: two", "  numbers:3: three"])
    example.type("four")
    #expect(await example.output.next() == "\"four\": 0 lines")
    #expect(try await example.end() == 0)
  }

  @Test(
    arguments: [
      ["--dead"], ["--live", "http://host/"], ["--live", "file:///{query}"], ["--live", "--record"],
      ["--record", "file"],
    ])
  func `invalid arguments end the program`(_ arguments: [String]) async throws {
    let example = try RunningExample(arguments: arguments)
    #expect(try await example.end() == 2)
  }
}

/// The example, while it runs.
private final class RunningExample {
  static let program: URL? = {
    let program = Bundle.main.executableURL?.deletingLastPathComponent().appendingPathComponent("IncrementalSearch")
    return program.flatMap { FileManager.default.isExecutableFile(atPath: $0.path) ? $0 : nil }
  }()

  /// The lines that it prints.
  let output: Recorder<String, FileLinesPublisher.LineError, ImmediateTime.Stride>

  private let process = Process()
  private let keyboard = Pipe()
  private let ends = Log<Int32>()

  init(arguments: [String], folder: URL? = nil) throws {
    // A program that has ended unexpectedly fails its test, but writing to its input does not end this process.
    signal(SIGPIPE, SIG_IGN)
    let screen = Pipe()
    process.executableURL = Self.program
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.standardInput = keyboard
    process.standardOutput = screen
    process.standardError = FileHandle.nullDevice
    process.terminationHandler = { [ends] in ends.append($0.terminationStatus) }
    output = screen.fileHandleForReading.linePublisher().record()
    try process.run()
  }

  deinit { if process.isRunning { process.terminate() } }

  func type(_ line: String) { keyboard.fileHandleForWriting.write(Data((line + "\n").utf8)) }

  /// Closes the program's input, and waits for its end.
  func end() async throws -> Int32 {
    try keyboard.fileHandleForWriting.close()
    return await ends.first(1)[0]
  }
}
