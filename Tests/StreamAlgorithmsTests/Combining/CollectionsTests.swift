import Streams
import Testing

struct CollectionsTests {
  private let sources = (0..<3).map { _ in ManualSource<Int, TestError>() }

  @Test func `merge publishes the values of all publishers`() {
    let recorder = record(sources.merge())
    for (number, source) in sources.enumerated() { source.send(number) }
    for source in sources { source.finish() }
    #expect(recorder.log == ["0", "1", "2", "finished"])
  }

  @Test func `zip combines one value of each publisher`() {
    let recorder = record(sources.zip())
    sources[0].send(1)
    sources[1].send(2)
    sources[0].send(3)
    sources[2].send(4)
    sources[1].send(5)
    sources[2].send(6)
    #expect(recorder.log == ["[1, 2, 4]", "[3, 5, 6]"])
    sources[1].finish()
    #expect(recorder.log.last == "finished")
    #expect(sources[0].cancelCount == 1)
  }

  @Test func `combineLatest publishes the latest values of all publishers`() {
    let recorder = record(sources.combineLatest())
    for source in sources { source.send(1) }
    sources[1].send(2)
    sources[2].fail(.first)
    #expect(recorder.log == ["[1, 1, 1]", "[1, 2, 1]", "first"])
    #expect(sources[0].cancelCount == 1)
  }

  @Test func `a single publisher takes a collection of others`() {
    let numbers = [[3, 4].publisher, [5, 6].publisher]
    #expect(collect([1, 2].publisher.zip(with: numbers)) == [[1, 3, 5], [2, 4, 6]])
    #expect(collect([1, 2].publisher.merge(with: numbers)) == [1, 2, 3, 4, 5, 6])
    #expect(collect([1].publisher.combineLatest(with: [[3].publisher, [5].publisher])) == [[1, 3, 5]])
  }

  @Test func `operators on an empty collection finish at once`() {
    let none: [Just<Int>] = []
    #expect(log(none.merge()) == ["finished"])
    #expect(log(none.zip()) == ["finished"])
    #expect(log(none.combineLatest()) == ["finished"])
  }

  // The capacity of one engine, one more, and enough for groups of groups.
  @Test(arguments: [1, 63, 64, 200, 4000])
  func `any number of publishers can be combined`(_ count: Int) {
    let subjects = (0..<count).map { _ in PassthroughSubject<Int, Never>() }
    let zipped = record(subjects.zip().map { $0.reduce(0, +) })
    let latest = record(subjects.combineLatest().map { $0.reduce(0, +) })
    for (number, subject) in subjects.enumerated() { subject.send(number) }
    let sum = (0..<count).reduce(0, +)
    #expect(zipped.values == [sum])
    #expect(latest.values == [sum])
    subjects[count / 2].send(0)
    #expect(latest.values == [sum, sum - count / 2])
    for subject in subjects { subject.send(completion: .finished) }
    #expect(zipped.log.last == "finished")
    #expect(latest.log.last == "finished")
  }

  @Test func `zip and combineLatest of many publishers keep their order`() {
    let publishers = (0..<200).map { Just($0) }
    #expect(collect(publishers.zip()) == [Array(0..<200)])
    #expect(collect(publishers.combineLatest()) == [Array(0..<200)])
  }

  @Test func `zip of many publishers forwards demand`() {
    let sources = (0..<130).map { _ in ManualSource<Int, Never>() }
    record(sources.zip(), .max(2))
    #expect(sources.allSatisfy { $0.requests == [.max(2)] })
  }

  @Test func `cancellation cancels all publishers`() {
    let sources = (0..<130).map { _ in ManualSource<Int, Never>() }
    record(sources.combineLatest()).cancel()
    #expect(sources.allSatisfy { $0.cancelCount == 1 })
  }
}
