import ArgumentParser
import Dispatch
import Foundation
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import StreamsGRPC

/// Measures the readings of a partition, and serves them.
struct ServerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "server")

  @Option(help: "The number of the partition.") var partition: Int
  @Option(help: "The port.") var port: Int
  @Option(help: "The database.") var database: String
  @Option(help: "The number of readings.") var total = 1_000

  func run() async throws {
    let log = try ReadingLog(path: database, total: total)
    let streams = ResumableStreams()
    streams.add("readings", identity: "partition \(partition)", serializer: ReadingCoder()) { log.readings(after: $0) }
    let server = GRPCServer(
      transport: .http2NIOPosix(address: .ipv4(host: "127.0.0.1", port: port), transportSecurity: .plaintext),
      services: [streams])
    let stopping = onSIGTERM { server.beginGracefulShutdown() }
    defer { stopping.cancel() }
    let measuring = Task { [partition, total] in
      // A sensor, which belongs to a partition by its number.
      for number in try log.count()..<max(total, try log.count()) {
        try log.add(Reading(sensor: "sensor \(number % 8 * 2 + partition)", celsius: 20 + Double(number % 50) / 10))
        try await Task.sleep(for: .milliseconds(2))
      }
    }
    try await server.serve()
    measuring.cancel()
  }
}

/// Calls a closure when the process is asked to stop.
func onSIGTERM(_ body: @escaping @Sendable () -> Void) -> any DispatchSourceSignal {
  signal(SIGTERM, SIG_IGN)
  let source = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
  source.setEventHandler(handler: body)
  source.resume()
  return source
}
