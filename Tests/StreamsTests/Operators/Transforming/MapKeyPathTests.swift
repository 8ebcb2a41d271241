import Streams
import Testing

struct MapKeyPathTests {
  private struct Point {
    var x: Int
    var y: Int
    var z: Int
  }

  private let points = [Point(x: 1, y: 2, z: 3), Point(x: 4, y: 5, z: 6)].publisher

  @Test func `passes one property on`() {
    #expect(log(points.map(\.y)) == ["2", "5", "finished"])
  }

  @Test func `passes two properties on`() {
    #expect(log(points.map(\.x, \.y)) == ["(1, 2)", "(4, 5)", "finished"])
  }

  @Test func `passes three properties on`() {
    #expect(log(points.map(\.x, \.y, \.z)) == ["(1, 2, 3)", "(4, 5, 6)", "finished"])
  }

  @Test func `passes demand, failures and cancellation through`() {
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
