internal import Streams
public import Synchronization

/// A blocking read that is subscribing: test schedulers tell it that the stream depends on them.
///
/// A scheduler sees nothing of streams; it only knows that something was armed on the thread of the read. So it looks
/// whether there is any such read at all, which costs one load, and only then whether it is on this thread.
@usableFromInline
final class BlockingRead: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` says nothing of it: the lock protects the list.
  struct Dependency {
    let description: String

    /// Whether something still waits there and nobody is moving time on.
    let isStuck: () -> Bool
  }

  /// How many reads are subscribing in this process.
  @usableFromInline static let count = Atomic<Int>(0)

  @TaskLocal static var current: BlockingRead?

  private let dependencies = Locked<[Dependency]>([])

  /// Runs the subscription of a read.
  func watch<Result>(_ subscribe: () -> Result) -> Result {
    Self.count.wrappingAdd(1, ordering: .relaxed)
    defer { Self.count.wrappingSubtract(1, ordering: .relaxed) }
    return Self.$current.withValue(self, operation: subscribe)
  }

  func add(_ dependency: Dependency) { dependencies.withLock { $0.append(dependency) } }

  /// The first scheduler that the stream waits for in vain.
  var whatNobodyAdvances: String? {
    dependencies.withLock { $0 }.first { $0.isStuck() }?.description
  }
}

extension Timeline {
  /// Tells the blocking read of this thread, if there is one, that its stream depends on this timeline.
  @usableFromInline @inline(never)
  func tellBlockingRead() {
    guard let read = BlockingRead.current else { return }
    let description = "a test scheduler that was made at \(place.description)"
    read.add(
      BlockingRead.Dependency(description: description) { [weak self] in
        guard let self else { return false }
        return withLock { agenda, table in agenda.depth == 0 && table.liveCount > 0 }
      })
  }
}
