internal import NIOCore
internal import StreamAlgorithms
internal import Streams
internal import Synchronization

/// The values of a publisher that wait for a client, and what happens if there are too many.
final class WaitingValues<Output, Failure: Error>: Sendable {
  private struct Unread {
    var count = 0
    var bytes = 0
    /// The last time at which the client took a value, or at which the first one arrived.
    var progress = NIODeadline.distantPast

    func isOverdue(_ limit: UnreadLimit, at now: NIODeadline) -> Bool {
      count > 0 && now - progress > TimeAmount(limit.time)
    }
  }

  private let bound: Int
  private let whenFull: OverflowStrategy<Failure>
  private let limit: UnreadLimit?
  private let size: @Sendable (Output) -> Int
  private let channel: (any Channel)?
  private let unread = Mutex(Unread())

  /// Bounds the number of values.
  init(bounded bound: Int, whenFull: OverflowStrategy<Failure>) {
    self.bound = bound
    self.whenFull = whenFull
    limit = nil
    channel = nil
    size = { _ in 0 }
  }

  /// Bounds the bytes of the values, and the time that they wait, which is that of the channel's event loop.
  init(_ limit: UnreadLimit, of channel: (any Channel)?, size: @escaping @Sendable (Output) -> Int) {
    bound = .max
    whenFull = .cancel
    self.limit = limit
    self.channel = channel
    self.size = size
  }

  /// Whether the client hasn't taken a value for too long.
  var isOverdue: Bool {
    guard let limit else { return false }
    let now = now
    return unread.withLock { $0.isOverdue(limit, at: now) }
  }

  private var now: NIODeadline { channel?.eventLoop.now ?? .now() }

  /// Notes that values have been written.
  func remove(_ values: some Collection<Output>) {
    guard limit != nil else { return }
    let (size, now) = (values.reduce(0) { $0 + self.size($1) }, now)
    unread.withLock { unread in
      unread.count -= values.count
      unread.bytes -= size
      unread.progress = now
    }
  }

  /// Buffers a publisher's values. If the client is to be cut off, calls a closure and finishes.
  ///
  /// A loop that writes doesn't notice that end before its client has read. The closure lets it end the connection earlier.
  func buffer(
    _ publisher: some Publisher<Output, Failure> & SendableMetatype, whenCut: @escaping @Sendable () -> Void
  ) -> some Publisher<Output, Failure> & SendableMetatype {
    let hasCompleted = Flag()
    return
      publisher
      .prefix { value in
        if self.admits(value) { return true }
        whenCut()
        return false
      }
      .handleEvents(receiveCompletion: { _ in hasCompleted.raise() })
      .buffer(bounded: bound, whenFull: whenFull)
      // Of all the strategies, only `.cancel` finishes a stream whose source hasn't completed.
      .handleEvents(receiveCompletion: { if case .finished = $0, !hasCompleted.isRaised { whenCut() } })
  }

  private func admits(_ value: Output) -> Bool {
    guard let limit else { return true }
    let (size, now) = (size(value), now)
    return unread.withLock { unread in
      if unread.count == 0 { unread.progress = now }
      unread.count += 1
      unread.bytes += size
      return unread.count == 1 || (unread.bytes <= limit.bytes && !unread.isOverdue(limit, at: now))
    }
  }
}

private final class Flag: Sendable {
  private let flag = Atomic(false)
  var isRaised: Bool { flag.load(ordering: .acquiring) }
  func raise() { flag.store(true, ordering: .releasing) }
}
