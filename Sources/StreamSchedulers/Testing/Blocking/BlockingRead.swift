internal import Streams
internal import Synchronization

/// A blocking read that is subscribing: test schedulers tell it that the stream depends on them.
///
/// A scheduler sees nothing of streams; it only knows that something was armed on the thread of the read. So it looks
/// whether there is any such read at all, which costs one load, and only then whether it is on this thread.
@usableFromInline
final class BlockingRead: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` says nothing of it: the lock protects the list.
  /// How many reads are subscribing in this process.
  static let count = Atomic<Int>(0)

  @TaskLocal static var current: BlockingRead?

  /// For each scheduler, whether something still waits there and nobody is moving time on.
  private let schedulers = Locked<[() -> Bool]>([])

  /// Runs the subscription of a read.
  func watch<Result>(_ subscribe: () -> Result) -> Result {
    Self.count.wrappingAdd(1, ordering: .relaxed)
    defer { Self.count.wrappingSubtract(1, ordering: .relaxed) }
    return Self.$current.withValue(self, operation: subscribe)
  }

  func add(isStuck: @escaping () -> Bool) { schedulers.withLock { $0.append(isStuck) } }

  /// Whether the stream waits for a scheduler in vain.
  var isStuck: Bool { schedulers.withLock { $0 }.contains { $0() } }
}

extension Timeline {
  /// Tells the blocking read of this thread, if there is one, that its stream depends on this timeline.
  @usableFromInline @inline(never)
  func tellBlockingRead() {
    BlockingRead.current?.add { [weak self] in
      self?.withLock { agenda, table in agenda.depth == 0 && table.liveCount > 0 } ?? false
    }
  }
}
