import ArgumentParser
import Dispatch
import Foundation
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import StreamAlgorithms
import StreamSchedulers
import Streams
import StreamsGRPC

/// A server and a client of numbered values, which tests kill.
@main struct Peer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(subcommands: [ServerCommand.self, ClientCommand.self])
}

/// Serves the numbers from one on, as a log. Its first line is its port.
struct ServerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "server")

  @Option var port = 0
  @Option var count: Int

  func run() async throws {
    let streams = ResumableStreams()
    streams.add("values", identity: "log", serializer: BytesCoder()) { [count] index in
      (Int(index)..<count).publisher.map { number in withUnsafeBytes(of: UInt64(number + 1)) { Array($0) } }
    }
    let transport = HTTP2ServerTransport.Posix(
      address: .ipv4(host: "127.0.0.1", port: port), transportSecurity: .plaintext)
    let server = GRPCServer(transport: transport, services: [streams])
    async let serving: Void = server.serve()
    guard let port = try await transport.listeningAddress.ipv4?.port else { throw ExitCode.failure }
    print(port)
    fflush(nil)
    try await serving
  }
}

/// Adds each value to a file, behind those of the processes before. The length of the file is the stored index, so an effect and its
/// index are one write.
struct ClientCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "client")

  @Option var port: Int
  @Option var file: String

  func run() async throws {
    let handle = try FileHandle(forUpdating: URL(filePath: file))
    let position = StreamPosition(after: try handle.seekToEnd() / 8, of: "log")
    let transport = try HTTP2ClientTransport.Posix(
      target: .ipv4(address: "127.0.0.1", port: port), transportSecurity: .plaintext,
      config: .defaults { config in
        config.backoff = .init(initial: .milliseconds(20), max: .milliseconds(200), multiplier: 1.6, jitter: 0.2)
      })
    try await withGRPCClient(transport: transport, stoppingWithin: .seconds(1)) { client in
      let values = client.resumableStream(
        "values", deserializer: BytesCoder(), session: "client", position: position, acknowledging: .explicit,
        retry: .exponentialBackoff(
          first: .milliseconds(20), longest: .milliseconds(200), maxRetries: .max, jitter: .full,
          resetsAfterValue: true),
        scheduler: DispatchQueue.global())
      for try await delivery in values.values(bounded: 64, whenFull: .wait) {
        try handle.write(contentsOf: delivery.value)
        position.acknowledge(delivery.index)
      }
    }
  }
}
