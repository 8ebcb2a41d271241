import Streams
import Testing

struct CountTests {
  @Test(arguments: [0, 1, 3]) func `publishes the number of values`(count: Int) {
    #expect(log((0..<count).publisher.count()) == ["\(count)", "finished"])
  }

  @Test func `publishers with equal upstreams are equal`() {
    func count(_ numbers: [Int]) -> Publishers.Count<Publishers.Sequence<[Int], Never>> { numbers.publisher.count() }
    #expect(count([1]) == count([1]))
    #expect(count([1]) != count([2]))
  }
}
