import ArgumentParser
import Foundation

/// Runs two servers and a client in three processes, kills and stops them, and prints what happens.
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "demo")

  @Option(help: "The number of readings of each of the two partitions.") var total = 1_000

  func run() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "readings-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let base = Int.random(in: 20_000..<30_000)
    let stored = folder.appending(path: "client.sqlite").path()
    let store = try ReadingStore(path: stored)

    func startServer(_ partition: Int) throws -> Process {
      try start([
        "server", "--partition", "\(partition)", "--port", "\(base + partition)",
        "--database", folder.appending(path: "server\(partition).sqlite").path(), "--total", "\(total)",
      ])
    }
    func startClient() throws -> Process {
      try start(["client", "--port", "\(base)", "--port", "\(base + 1)", "--database", stored])
    }
    func waitForReadings(_ part: Double) async throws {
      while try store.counts().reduce(0, { $0 + $1.readings }) < Int(part * Double(2 * total)) {
        try await Task.sleep(for: .milliseconds(20))
      }
    }
    func report(_ text: String) throws {
      let counts = try store.counts().map { "\($0.readings) of partition \($0.partition)" }.joined(separator: ", ")
      print("\(text). Stored: \(counts.isEmpty ? "nothing" : counts)")
    }

    var servers = [try startServer(0), try startServer(1)]
    var client = try startClient()
    defer { for process in servers + [client] where process.isRunning { kill(process.processIdentifier, SIGKILL) } }
    try report("Two servers and a client run")
    try await waitForReadings(0.15)

    kill(servers[0].processIdentifier, SIGKILL)
    servers[0].waitUntilExit()
    try report("Server 0 was killed")
    try await Task.sleep(for: .milliseconds(500))
    servers[0] = try startServer(0)
    try report("Server 0 is back")
    try await waitForReadings(0.4)

    client.terminate()
    client.waitUntilExit()
    try report("The client got SIGTERM and has ended with status \(client.terminationStatus)")
    client = try startClient()
    try await waitForReadings(0.6)

    kill(client.processIdentifier, SIGKILL)
    client.waitUntilExit()
    try report("The client was killed")
    client = try startClient()
    try await waitForReadings(0.8)

    servers[1].terminate()
    servers[1].waitUntilExit()
    try report("Server 1 got SIGTERM and has ended with status \(servers[1].terminationStatus)")
    servers[1] = try startServer(1)

    client.waitUntilExit()
    try report("The client has received everything")
    for server in servers {
      server.terminate()
      server.waitUntilExit()
    }
    let counts = try store.counts()
    let isRight = counts.count == 2 && counts.allSatisfy { $0.readings == total && $0.indexes == total }
    print(isRight ? "Each reading was stored once." : "Readings are missing or were stored twice: \(counts)")
    if !isRight { throw ExitCode.failure }
  }

  private func start(_ arguments: [String]) throws -> Process {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = arguments
    try process.run()
    return process
  }
}
