internal import Foundation

/// The newest values of a stream, which a client may ask for again.
struct RetainedWindow: Sendable {
  /// The frames. Those before `head` have been forgotten.
  private var frames: [PublisherFrame] = []
  private var head = 0
  /// The index of the newest value that was ever kept.
  private(set) var lastIndex: UInt64
  /// The sum of the sizes of the values.
  private(set) var bytes = 0

  /// Creates a window for the values after an index.
  init(after index: UInt64) { lastIndex = index }

  var count: Int { frames.count - head }

  /// The index of the oldest value that's kept, or of the next one if there's none.
  var firstIndex: UInt64 { lastIndex + 1 - UInt64(count) }

  mutating func append(_ payload: Data) {
    lastIndex += 1
    bytes += payload.count
    var frame = PublisherFrame()
    (frame.index, frame.payload) = (lastIndex, payload)
    frames.append(frame)
  }

  /// Forgets the values up to an index.
  mutating func forget(upTo index: UInt64) {
    let first = firstIndex
    guard index >= first else { return }
    let end = head + Int(min(index - first + 1, UInt64(count)))
    for position in head..<end {
      bytes -= frames[position].payload.count
      frames[position] = PublisherFrame()
    }
    head = end
    if head > 64, head * 2 > frames.count {
      frames.removeFirst(head)
      head = 0
    }
  }

  /// Returns values from an index on.
  ///
  /// - Parameters:
  ///   - index: The index of the first value. It's kept, or the next one.
  ///   - count: The maximum number of values.
  ///   - bytes: The size after which no other value is added.
  func frames(from index: UInt64, count: Int, bytes: Int) -> ArraySlice<PublisherFrame> {
    let start = head + Int(index - firstIndex)
    var (end, size) = (start, 0)
    while end < min(frames.count, start + count), size < bytes {
      size += frames[end].payload.count
      end += 1
    }
    return frames[start..<end]
  }
}
