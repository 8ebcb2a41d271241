import StreamAlgorithms
import Streams
import Testing

/// Cycles of waiting that stand still in Reactor and not here, so that other forms of them are planted.
@Suite struct FlowingFormsTests {
  @Test func moreGroupsOfAFiniteSourceThanSlots() {
    var arrays: [[Int]] = []
    let cancellable = [1, 2, 3, 4, 5, 11, 12, 13, 14, 15].publisher
      .groupBy({ $0 % 10 }, maxGroups: 100, bufferSize: 16)
      .flatMap(maxPublishers: .max(4)) { $0.collect() }
      .sink { arrays.append($0) }
    #expect(arrays == [[1, 11], [2, 12], [3, 13], [4, 14], [5, 15]])
    cancellable.cancel()
  }

  @Test func groupsThatNobodySubscribesTo() {
    var groups = 0
    var isFinished = false
    let cancellable = (1...100).publisher.groupBy({ $0 % 10 }, maxGroups: 10, bufferSize: 1)
      .sink(receiveCompletion: { _ in isFinished = true }, receiveValue: { _ in groups += 1 })
    #expect(groups == 10)
    #expect(isFinished)
    cancellable.cancel()
  }

  @Test func anInnerThatWaitsForALaterValueOfASharedSource() {
    let source = PassthroughSubject<Int, Never>()
    let shared = source.share()
    var values: [Int] = []
    let cancellable = shared.flatMap(maxPublishers: .max(1)) { value in shared.first { $0 > value } }
      .sink { values.append($0) }
    for value in 1...8 { source.send(value) }
    #expect(values == [2, 4, 6, 8])
    cancellable.cancel()
  }

  @Test func anInnerThatWaitsForALaterValueThatFits() {
    let source = BoundedSubject<Int, Never>(bounded: 1)
    var values: [Int] = []
    let cancellable = source.flatMap(maxPublishers: .max(1)) { value in source.first { $0 > value } }
      .sink { values.append($0) }
    #expect((1...8).allSatisfy { source.offer($0) })
    #expect(values == [2, 3, 4, 5, 6, 7, 8])
    cancellable.cancel()
  }

  @Test func aZipOfASharedSourceWithASlowerCopy() {
    let source = PassthroughSubject<Int, Never>()
    let shared = source.share()
    var values: [Int] = []
    let cancellable = shared.zip(shared.collect(4).map { $0[0] }).flatMap(maxPublishers: .max(1)) { Just($0) }
      .sink { values.append($0.0) }
    for value in 1...16 { source.send(value) }
    #expect(values == [1, 5, 9, 13])
    cancellable.cancel()
  }

  @Test func aZipWithASlowerCopyUnderUnlimitedDemand() {
    let source = BoundedSubject<Int, Never>(bounded: 2)
    var values: [Int] = []
    let cancellable = source.zip(source.collect(4)).sink { values.append($0.0) }
    #expect((1...12).allSatisfy { source.offer($0) })
    #expect(values == [1, 2, 3])
    cancellable.cancel()
  }

  @Test func aLimitedRepetitionOfAReplayedValue() {
    let page = Just(1).share(replay: 1)
    var values: [Int] = []
    let cancellable = [1, 2, 3].publisher.flatMap(maxPublishers: .max(1)) { factor in page.repeat(2).map { $0 * factor }
    }
    .sink { values.append($0) }
    #expect(values == [1, 1, 2, 2, 3, 3])
    cancellable.cancel()
  }
}
