internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// Keeps a task that writes from running ahead of its event loop.
///
/// NIO's asynchronous writer waits while the channel isn't writable, but the channel notices what was written only when its
/// event loop gets to it. Until then, a task could write any number of bytes.
final class WritingPace: Sendable {
  /// The number of bytes that may be written before the event loop has taken them. NIO's channels have the same low watermark.
  static let limit = 1 << 15

  private let eventLoops: [any EventLoop]
  private let written = Atomic(0)

  /// Creates the pace of a channel. If it isn't known, each of NIO's shared event loops may be its own.
  init(of channel: (any Channel)?) {
    eventLoops = channel.map { [$0.eventLoop] } ?? Array(MultiThreadedEventLoopGroup.singleton.makeIterator())
  }

  /// Waits for the event loop if enough bytes have been written.
  func keep(afterWriting count: Int) async throws {
    guard written.add(count, ordering: .relaxed).newValue >= Self.limit else { return }
    written.store(0, ordering: .relaxed)
    let passages = eventLoops.map { $0.submit {} }
    for passage in passages { try await passage.get() }
  }
}
