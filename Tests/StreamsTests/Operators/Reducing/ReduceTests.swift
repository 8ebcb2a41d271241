import Streams
import Testing

struct ReduceTests {
  @Test func `publishes the reduced value of all values`() {
    #expect(log([1, 2, 3].publisher.reduce("0") { "\($0)\($1)" }) == ["0123", "finished"])
    #expect(log([1, 2, 3].publisher.tryReduce("0") { "\($0)\($1)" }) == ["0123", "finished"])
  }

  @Test func `publishes the initial result when upstream is empty`() {
    #expect(log(Empty<Int, Never>().reduce(7, +)) == ["7", "finished"])
    #expect(log(Empty<Int, Never>().tryReduce(7, +)) == ["7", "finished"])
  }

  @Test func `starts with the initial result for every subscriber`() {
    let publisher = [1, 2].publisher.reduce(0, +)
    #expect([collect(publisher), collect(publisher)] == [[3], [3]])
  }
}
