import ArgumentParser
import Dispatch
import Foundation
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import StreamAlgorithms
import StreamSchedulers
import Streams
import StreamsGRPC

/// Stores the readings of all partitions.
struct ClientCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "client")

  @Option(help: "The ports of the servers, one for each partition.") var port: [Int]
  @Option(help: "The database.") var database: String

  func run() async throws {
    let store = try ReadingStore(path: database)
    let stop = CurrentValueSubject<Bool, Never>(false)
    let stopping = onSIGTERM { stop.send(true) }
    defer { stopping.cancel() }
    let readings = try port.enumerated().map { partition, port in try self.readings(partition, port, store) }
    let merged = AnySendablePublisher { Publishers.MergeMany(readings) }
    // A reading whose transaction has begun is stored before the end.
    for try await _ in merged.finish(when: stop.filter { $0 }).values {}
  }

  /// Stores the readings of a partition, and publishes their indexes.
  private func readings(_ partition: Int, _ port: Int, _ store: ReadingStore) throws -> AnySendablePublisher<
    UInt64, any Error
  > {
    let position = try store.position(of: partition)
    let transport = try HTTP2ClientTransport.Posix(
      target: .ipv4(address: "127.0.0.1", port: port), transportSecurity: .plaintext,
      config: .defaults { config in
        config.backoff = .init(initial: .milliseconds(100), max: .seconds(1), multiplier: 1.6, jitter: 0.2)
        config.connection.keepalive = .init(time: .seconds(10), timeout: .seconds(2), allowWithoutCalls: true)
      })
    let client = GRPCClient(transport: transport)
    Task { try await client.runConnections() }
    return AnySendablePublisher {
      client.resumableStream(
        "readings", deserializer: ReadingCoder(), position: position, acknowledging: .explicit,
        scheduler: DispatchQueue.global()
      )
      .mapError { $0 as any Error }
      .map(maxTasks: 1) { delivery in
        try await store.add(delivery, partition: partition, source: position.source)
        return delivery.index
      }
      .acknowledge(to: position)
    }
  }
}
