import Streams
import Testing

struct ComparisonTests {
  @Test(arguments: [[1, 3, 2], [3, 2, 1], [1, 2, 3], [2, 2]]) func `publish the maximum and minimum`(values: [Int]) {
    let greatest = ["\(values.max()!)", "finished"]
    let least = ["\(values.min()!)", "finished"]
    #expect(log(values.publisher.max()) == greatest)
    #expect(log(values.publisher.max { $0 < $1 }) == greatest)
    #expect(log(values.publisher.tryMax { $0 < $1 }) == greatest)
    #expect(log(values.publisher.min()) == least)
    #expect(log(values.publisher.min { $0 < $1 }) == least)
    #expect(log(values.publisher.tryMin { $0 < $1 }) == least)
  }

  @Test func `publish the first of several equal values, as sequences do`() {
    let words = ["a1", "b1", "b2", "a2"]
    #expect(collect(words.publisher.max { $0.first! < $1.first! }) == ["b1"])
    #expect(collect(words.publisher.min { $0.first! < $1.first! }) == ["a1"])
  }

  @Test func `publish nothing when upstream is empty`() {
    #expect(log(Empty<Int, Never>().max()) == ["finished"])
    #expect(log(Empty<Int, Never>().min()) == ["finished"])
    #expect(log(Empty<Int, Never>().tryMax { $0 < $1 }) == ["finished"])
  }

  @Test func `do not call the closure for a single value`() {
    #expect(log([1].publisher.tryMax { _, _ in throw TestError.first }) == ["1", "finished"])
    #expect(log([1].publisher.tryMin { _, _ in throw TestError.first }) == ["1", "finished"])
  }

  @Test func `finish without demand when there is no value`() {
    #expect(record(Empty<Int, Never>().max(), .none).log == ["finished"])
    #expect(record(Empty<Int, Never>().min(), .none).log == ["finished"])
  }
}
