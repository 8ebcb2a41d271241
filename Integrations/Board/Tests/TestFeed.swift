import Board
import Foundation
import NIOCore
import NIOExtras
import NIOPosix
import StreamAlgorithms
import Streams
import StreamsNIO
import Testing

/// A feed that waits for acknowledgements.
final class TestFeed {
  /// The last sequence number that the board has acknowledged.
  private(set) var acknowledged: Int64 = 0
  /// The last one that has been sent.
  private(set) var sent: Int64 = 0

  private let lines: PassthroughSubject<ByteBuffer, Never>
  private var acknowledgements: AsyncPublisher<AnyPublisher<Int64, any Error>>.Iterator

  /// Connects to a board, and continues after what it has stored.
  init(port: Int, name: String = "test") async throws {
    let connection = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(LineBasedFrameDecoder()))
          return try ChannelPublisher(wrappingChannelSynchronously: channel, of: ByteBuffer.self)
        }
      }
    lines = PassthroughSubject()
    lines.buffer(bounded: 1_000_000, whenFull: .cancel)
      .subscribe(ChannelSubscriber(connection.channel, closingWhenFinished: .all))
    acknowledgements = connection.compactMap { Int64(String(buffer: $0)) }.eraseToAnyPublisher()
      .values(bounded: 64, whenFull: .wait).makeAsyncIterator()
    lines.send(ByteBuffer(string: name + "\n"))
    acknowledged = try #require(try await acknowledgements.next())
    sent = acknowledged
  }

  deinit { lines.send(completion: .finished) }

  /// Sends readings without waiting.
  func send(_ count: Int, sensor: String = "boiler") throws {
    var bytes = ByteBuffer()
    for sequence in sent + 1...sent + Int64(count) {
      let submission = Submission(sequence: sequence, sensor: sensor, value: Double(sequence % 100))
      bytes.writeBytes(try JSONEncoder().encode(submission))
      bytes.writeString("\n")
    }
    sent += Int64(count)
    lines.send(bytes)
  }

  func send(line: String) { lines.send(ByteBuffer(string: line + "\n")) }

  /// Waits for the next acknowledgement. Returns `false` if the connection has ended.
  func receive() async -> Bool {
    guard let next = try? await acknowledgements.next() else { return false }
    acknowledged = next
    return true
  }

  /// Waits until everything is acknowledged.
  func settle() async throws { while acknowledged < sent { try #require(await receive()) } }
}
