import StreamAlgorithms
import Streams
import Testing

struct MergeTests {
  private let sources = (0..<8).map { _ in ManualSource<Int, TestError>() }
  private var a: ManualSource<Int, TestError> { sources[0] }
  private var b: ManualSource<Int, TestError> { sources[1] }

  @Test func `publishes the values of both as they arrive`() {
    let recorder = record(a.merge(with: b))
    a.send(1)
    b.send(2)
    a.send(3)
    #expect(recorder.log == ["1", "2", "3"])
  }

  @Test func `finishes when both have finished`() {
    let recorder = record(a.merge(with: b))
    a.finish()
    b.send(1)
    #expect(recorder.log == ["1"])
    b.finish()
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func `fails as soon as one fails, and cancels the other`() {
    let recorder = record(a.merge(with: b))
    b.fail(.first)
    a.send(1)
    #expect(recorder.log == ["first"])
    #expect(a.cancelCount == 1)
  }

  @Test func `cancels all publishers on cancellation`() {
    record(Publishers.MergeMany(sources)).cancel()
    #expect(sources.allSatisfy { $0.cancelCount == 1 })
  }

  @Test func `requests one value at a time from each source while demand is limited`() {
    let recorder = record(a.merge(with: b), .max(2))
    #expect(a.requests == [.max(1)])
    #expect(b.requests == [.max(1)])
    a.send(1)
    b.send(2)
    #expect(recorder.log == ["1", "2"])
    #expect(a.demand == 2)
    recorder.request(.unlimited)
    #expect(a.requests.last == .unlimited)
  }

  @Test func `requests nothing without demand`() {
    record(a.merge(with: b), .none)
    #expect(a.subscriberCount + b.subscriberCount == 2)
    #expect(a.requests + b.requests == [])
  }

  @Test func `shares limited demand fairly among its sources`() {
    let recorder = record([1, 2, 3].publisher.merge(with: [10, 20, 30].publisher.map { $0 }), .none)
    for _ in 0..<6 { recorder.request(.max(1)) }
    #expect(recorder.values.sorted() == [1, 2, 3, 10, 20, 30])
    // At most one value of each source is buffered, so that no source gets further ahead.
    #expect(recorder.values.prefix(3).contains { $0 >= 10 })
    #expect(recorder.values.prefix(3).contains { $0 < 10 })
    #expect(recorder.completions == [.finished])
  }

  @Test func `subscribes to no further source when it is cancelled while a value is being delivered`() {
    let recorder = SignalRecorder<Int, Never>()
    let second = ManualSource<Int, Never>()
    recorder.onValue = { _ in
      recorder.cancel()
      return .none
    }
    [1, 2].publisher.merge(with: second).subscribe(recorder)
    #expect(recorder.log == ["1"])
    #expect(second.subscriberCount == 0)
  }

  /// Returns the signals of a merge of `count` sources, each of which sends its number and then finishes or fails.
  private func run(
    _ publisher: AnyPublisher<Int, TestError>, _ sources: [ManualSource<Int, TestError>], failing: Int?
  ) -> [String] {
    let recorder = record(publisher)
    for (number, source) in sources.enumerated() { source.send(number) }
    for (number, source) in sources.enumerated().reversed() {
      if number == failing { source.fail(.first) } else { source.finish() }
    }
    return recorder.log
  }

  private static func merged(
    _ s: [ManualSource<Int, TestError>]
  ) -> AnyPublisher<Int, TestError> {
    switch s.count {
    case 2: s[0].map { $0 }.merge(with: s[1]).eraseToAnyPublisher()
    case 3: s[0].merge(with: s[1], s[2]).eraseToAnyPublisher()
    case 4: s[0].merge(with: s[1], s[2], s[3]).eraseToAnyPublisher()
    case 5: s[0].merge(with: s[1], s[2], s[3], s[4]).eraseToAnyPublisher()
    case 6: s[0].merge(with: s[1], s[2], s[3], s[4], s[5]).eraseToAnyPublisher()
    case 7: s[0].merge(with: s[1], s[2], s[3], s[4], s[5], s[6]).eraseToAnyPublisher()
    default: s[0].merge(with: s[1], s[2], s[3], s[4], s[5], s[6], s[7]).eraseToAnyPublisher()
    }
  }

  @Test(arguments: 2...8, [nil, 0, 1])
  func `of many equals nested merges of two`(count: Int, failing: Int?) {
    let flat = (0..<count).map { _ in ManualSource<Int, TestError>() }
    let nested = (0..<count).map { _ in ManualSource<Int, TestError>() }
    let nestedPublisher = nested.dropFirst().reduce(nested[0].eraseToAnyPublisher()) {
      Publishers.Merge($0, $1).eraseToAnyPublisher()
    }
    let expected = run(nestedPublisher, nested, failing: failing)
    #expect(run(Self.merged(flat), flat, failing: failing) == expected)
    #expect(flat.map(\.cancelCount) == nested.map(\.cancelCount))
  }

  @Test func `merge(with:) on a merge adds sources to it`() {
    let s = sources
    let two = Publishers.Merge(s[0], s[1])
    let three: Publishers.Merge3 = two.merge(with: s[2])
    let four: Publishers.Merge4 = three.merge(with: s[3])
    let five: Publishers.Merge5 = four.merge(with: s[4])
    let six: Publishers.Merge6 = five.merge(with: s[5])
    let seven: Publishers.Merge7 = six.merge(with: s[6])
    let eight: Publishers.Merge8 = seven.merge(with: s[7])
    let again: Publishers.Merge8 = two.merge(with: s[2], s[3], s[4], s[5], s[6], s[7])
    #expect([eight.a, eight.d, eight.h].elementsEqual([s[0], s[3], s[7]], by: ===))
    #expect([again.a, again.d, again.h].elementsEqual([s[0], s[3], s[7]], by: ===))
  }

  @Test func `of two publishers of the same type is MergeMany`() {
    let publisher: Publishers.MergeMany = Just(1).merge(with: Just(2))
    #expect(log(publisher.merge(with: Just(3))) == ["1", "2", "3", "finished"])
  }

  @Test func `MergeMany takes any number of publishers`() {
    #expect(log(Publishers.MergeMany(Just(1), Just(2), Just(3))) == ["1", "2", "3", "finished"])
    #expect(collect(Publishers.MergeMany((0..<100).map { Just($0) })) == Array(0..<100))
  }

  @Test func `MergeMany of none finishes at once`() {
    #expect(record(Publishers.MergeMany([Just<Int>]()), .none).log == ["finished"])
  }

  @Test func `a value sent while another is being delivered comes after it, unlike Combine`() {
    let first = PassthroughSubject<Int, Never>()
    let second = PassthroughSubject<Int, Never>()
    var log: [String] = []
    let cancellable = first.map { $0 }.merge(with: second).sink {
      log.append("begin \($0)")
      if $0 == 1 { second.send(2) }
      log.append("end \($0)")
    }
    first.send(1)
    #expect(log == ["begin 1", "end 1", "begin 2", "end 2"])
    cancellable.cancel()
  }

  @Test func `is stopped from downstream while its sources are infinite`() {
    let publisher = (1...).publisher.merge(with: (1...).publisher.map { -$0 })
    #expect(log(publisher.prefix(3)) == ["1", "2", "3", "finished"])
    let recorder = record(publisher, .none)
    for _ in 0..<10 { recorder.request(.max(1)) }
    #expect(recorder.values.contains { $0 < 0 })
  }
}
