import Dispatch
import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams
import SuiteSupport
import Synchronization
import Testing

struct AcknowledgeTests {
  private let source = ManualSource<Int, TestError>()
  private let target = RecordedTarget()

  /// A target that remembers what it's told.
  private final class RecordedTarget: AcknowledgementTarget {
    private let state = Mutex<[Int]>([])

    var indexes: [Int] { state.withLock { $0 } }

    func acknowledge(_ index: Int) { state.withLock { $0.append(index) } }
  }

  @Test func `acknowledges each index before publishing it`() {
    let recorder = record(source.acknowledge(to: target))
    recorder.onValue = { [target] index in
      #expect(target.indexes.last == index)
      return .none
    }
    source.send(1)
    source.send(4)
    source.finish()
    #expect(target.indexes == [1, 4])
    #expect(recorder.log == ["1", "4", "finished"])
  }

  @Test func `doesn't acknowledge an index that's no higher than an earlier one`() {
    let recorder = record(source.acknowledge(to: target))
    for index in [1, 3, 2, 3, 4] { source.send(index) }
    #expect(target.indexes == [1, 3, 4])
    #expect(recorder.log == ["1", "3", "2", "3", "4"])
  }

  @Test func `in any order, acknowledges the highest index below which all have arrived`() {
    let recorder = record(source.acknowledge(to: target, after: 0))
    source.send(2)
    source.send(3)
    #expect(target.indexes == [])
    source.send(1)
    #expect(target.indexes == [3])
    source.send(5)
    source.send(4)
    #expect(target.indexes == [3, 5])
    #expect(recorder.log == ["2", "3", "1", "5", "4"])
  }

  @Test func `in any order, an index that arrives again changes nothing`() {
    record(source.acknowledge(to: target, after: 6))
    for index in [6, 8, 8, 7, 7, 8, 1, 9] { source.send(index) }
    #expect(target.indexes == [8, 9])
  }

  @Test func `counts for each subscriber separately`() {
    let publisher = [1, 2].publisher.acknowledge(to: target, after: 0)
    #expect(collect(publisher) == [1, 2])
    #expect(collect(publisher) == [1, 2])
    #expect(target.indexes == [1, 2, 1, 2])
  }

  @Test func `forwards demand, failures and cancellation`() {
    let recorder = record(source.acknowledge(to: target), .max(1))
    #expect(source.requests == [.max(1)])
    recorder.onValue = { _ in .max(3) }
    #expect(source.send(1) == .max(3))
    source.fail(.first)
    #expect(recorder.log == ["1", "first"])
    #expect(target.indexes == [1])

    record(source.acknowledge(to: target, after: 0)).cancel()
    #expect(source.cancelCount == 1)
    source.send(1)
    #expect(target.indexes == [1])
  }

  @MainActor @Test func `tasks that end in any order are acknowledged in order`() {
    let scheduler = DispatchQueue.test
    scheduler.withVirtualWorld {
      let (any, ordered) = (RecordedTarget(), RecordedTarget())
      let clock = scheduler.clock
      let work = { @Sendable (index: Int) in
        try? await clock.sleep(for: .seconds(index == 1 ? 5 : 1))
        return index
      }
      let first = (1...4).publisher.flatMap(maxTasks: 4) { await work($0) }.acknowledge(to: any, after: 0).sink { _ in }
      let second = (1...4).publisher.map(maxTasks: 4) { await work($0) }.acknowledge(to: ordered).sink { _ in }
      scheduler.advance(by: .seconds(4))
      #expect(any.indexes == [])
      #expect(ordered.indexes == [])
      scheduler.advance(by: .seconds(2))
      #expect(any.indexes == [4])
      #expect(ordered.indexes == [1, 2, 3, 4])
      withExtendedLifetime((first, second)) {}
    }
  }
}
