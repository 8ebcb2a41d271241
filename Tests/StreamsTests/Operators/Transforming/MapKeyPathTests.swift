import Streams
import Testing

struct MapKeyPathTests {
  private struct Point {
    var x: Int
    var y: Int
    var z: Int
  }

  private let points = [Point(x: 1, y: 2, z: 3), Point(x: 4, y: 5, z: 6)].publisher

  @Test func `publishes one property`() {
    #expect(log(points.map(\.y)) == ["2", "5", "finished"])
  }

  @Test func `publishes two properties`() {
    #expect(log(points.map(\.x, \.y)) == ["(1, 2)", "(4, 5)", "finished"])
  }

  @Test func `publishes three properties`() {
    #expect(log(points.map(\.x, \.y, \.z)) == ["(1, 2, 3)", "(4, 5, 6)", "finished"])
  }

  @Test func `forwards demand, failures and cancellation`() {
    let source = ManualSource<String, TestError>()
    let recorder = record(source.map(\.count), .max(2))
    source.send("abc")
    source.fail(.first)
    #expect(source.requests == [.max(2)])
    #expect(recorder.log == ["3", "first"])

    record(source.map(\.count)).cancel()
    #expect(source.cancelCount == 1)
  }
}
