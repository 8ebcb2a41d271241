import Streams
import Testing

struct GroupByTests {
  private let source = ManualSource<Int, TestError>()

  private func grouped(
    maxGroups: Int = 10, bufferSize: Int = 2
  ) -> GroupByPublisher<ManualSource<Int, TestError>, Int> {
    source.groupBy({ $0 % 3 }, maxGroups: maxGroups, bufferSize: bufferSize)
  }

  @Test func `publishes values in the group of their key, which opens with its first value`() {
    let recorder = record(grouped().flatMap { group in group.map { "\(group.key): \($0)" } })
    for value in [3, 1, 4, 6] { source.send(value) }
    source.finish()
    #expect(recorder.log == ["0: 3", "1: 1", "1: 4", "0: 6", "finished"])
  }

  @Test func `groups finish with upstream`() {
    let recorder = record(grouped().flatMap { $0.collect() })
    for value in 1...6 { source.send(value) }
    source.finish()
    #expect(recorder.values == [[1, 4], [2, 5], [3, 6]])
    #expect(recorder.log.last == "finished")
  }

  @Test func `groups fail with upstream`() {
    let recorder = record(grouped())
    source.send(1)
    let group = record(recorder.values[0])
    source.fail(.first)
    #expect(group.log == ["1", "first"])
    #expect(recorder.log.last == "first")
  }

  @Test func `finishes the oldest group to make room for another`() {
    let recorder = record(grouped(maxGroups: 2).flatMap { group in group.collect().map { "\(group.key): \($0)" } })
    for value in [3, 1, 6, 2] { source.send(value) }
    #expect(recorder.log == ["0: [3, 6]"])
    // The key of the finished group opens a new one, for which the group of key 1 finishes.
    source.send(9)
    #expect(recorder.log == ["0: [3, 6]", "1: [1]"])
  }

  /// A sequence sends its values on subscription.
  @Test func `a subscriber that requests at once receives every group of a sequence`() {
    let groups = (1...5).publisher.groupBy({ $0 % 4 }, maxGroups: 1, bufferSize: 1)
    #expect(record(groups.flatMap { $0 }).values == [1, 2, 3, 4, 5])
  }

  @Test func `a group replays its latest values to a late subscriber`() {
    let recorder = record(grouped())
    for value in [1, 4, 7] { source.send(value) }
    let late = record(recorder.values[0])
    #expect(late.log == ["4", "7"])
    source.send(10)
    #expect(late.log == ["4", "7", "10"])
  }

  @Test func `requests unlimited demand, and buffers at most maxGroups groups`() {
    let recorder = record(grouped(maxGroups: 2), .none)
    #expect(source.requests == [.unlimited])
    for value in 0..<3 { source.send(value) }
    recorder.request(.max(5))
    #expect(recorder.values.map(\.key) == [1, 2])
  }

  @Test func `cancels upstream on cancellation, and its groups publish nothing more`() {
    let recorder = record(grouped())
    source.send(1)
    let group = record(recorder.values[0])
    recorder.cancel()
    #expect(source.cancelCount == 1)
    source.ignoresCancellation = true
    source.send(4)
    #expect(group.log == ["1"])
  }

  @Test func `a key may send a value while it is hashed`() {
    let subject = PassthroughSubject<Key, Never>()
    let recorder = record(
      subject.groupBy({ $0 }, maxGroups: 10, bufferSize: 1).flatMap { $0.map(\.number) })
    let key = Key(1)
    key.onHash = { [unowned key] in
      key.onHash = {}
      subject.send(Key(2))
    }
    subject.send(key)
    #expect(recorder.values == [1, 2])
  }

  private final class Key: Hashable {
    let number: Int
    var onHash: () -> Void = {}

    init(_ number: Int) { self.number = number }

    static func == (one: Key, other: Key) -> Bool { one.number == other.number }

    func hash(into hasher: inout Hasher) {
      onHash()
      hasher.combine(number)
    }
  }
}
