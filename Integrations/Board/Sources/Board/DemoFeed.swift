import Foundation
public import Logging
import NIOCore
import NIOExtras
import NIOPosix
public import ServiceLifecycle
import StreamAlgorithms
import StreamSchedulers
import Streams
import StreamsNIO
import StreamsService

/// A feed with sensors that don't exist, for trying a board out.
///
/// After a connection, it continues where the board's database ends. If the connection is lost, it connects again.
public struct DemoFeed: Service {
  private let port: Int
  private let batchesPerSecond: Double
  private let logger: Logger

  /// Creates a feed.
  ///
  /// - Parameters:
  ///   - port: The port of the board.
  ///   - batchesPerSecond: How often each of the four sensors is read.
  ///   - logger: The logger.
  public init(port: Int, batchesPerSecond: Double = 10, logger: Logger) {
    (self.port, self.batchesPerSecond, self.logger) = (port, batchesPerSecond, logger)
  }

  /// Sends readings until the service shuts down.
  ///
  /// - Throws: A `CancellationError` if the task is cancelled.
  public func run() async throws {
    try await StreamService("demo feed") { stop in
      Deferred { Future { try await connect() } }
        .flatMap { send(over: $0) }
        .handleEvents(receiveCompletion: { [logger] in logger.info("The connection to the board has ended: \($0)") })
        .append(Fail(error: ChannelError.eof as any Error))
        .retry(
          .exponentialBackoff(
            first: .milliseconds(100), longest: .seconds(5), maxRetries: .max, jitter: .full, resetsAfterValue: true),
          scheduler: DispatchQueue.global()
        )
        .finish(when: stop)
    }.run()
  }

  private func connect() async throws -> ChannelPublisher<ByteBuffer> {
    try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup).connect(host: "127.0.0.1", port: port) {
      channel in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(LineBasedFrameDecoder()))
        return try ChannelPublisher(wrappingChannelSynchronously: channel, of: ByteBuffer.self)
      }
    }
  }

  /// Sends readings over a connection, and publishes the board's acknowledgements.
  private func send(over connection: ChannelPublisher<ByteBuffer>) -> some Publisher<Int64, any Error> {
    let acknowledgements = connection.compactMap { Int64(String(buffer: $0)) }.share()
    acknowledgements
      .prefix(1)
      .flatMap { readings(after: $0) }
      .tryMap { ByteBuffer(bytes: try JSONEncoder().encode($0) + Data("\n".utf8)) }
      .prepend(ByteBuffer(string: "demo\n"))
      .subscribe(ChannelSubscriber(connection.channel))
    return acknowledgements
  }

  /// Readings of four sensors, whose values go up and down.
  private func readings(after last: Int64) -> some Publisher<Submission, any Error> {
    DispatchQueue.global().timerPublisher(every: Duration.seconds(1 / batchesPerSecond)).autoconnect()
      .scan(0) { count, _ in count + 1 }
      .flatMap { tick in
        ["boiler", "pump", "turbine", "outside"].enumerated().map { index, sensor in
          let phase = Double(tick) / batchesPerSecond / Double(3 + 4 * index) + Double(index)
          let value = 50 + 30 * sin(phase) + Double.random(in: -2...2)
          return Submission(
            sequence: last + Int64(4 * tick - 3 + index), sensor: sensor, value: (value * 100).rounded() / 100)
        }.publisher
      }
      .setFailureType(to: (any Error).self)
  }
}
