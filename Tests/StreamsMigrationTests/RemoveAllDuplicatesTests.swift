import Streams
import StreamsMigration
import Testing

struct RemoveAllDuplicatesTests {
  /// Equatable, but not hashable.
  private struct Point: Equatable {
    let x: Int
  }

  @Test func `publishes each value once, in the order of first appearance`() {
    let points = [1, 2, 1, 3, 2, 1].map { Point(x: $0) }
    #expect(collect(points.publisher.removeAllDuplicates()) == [Point(x: 1), Point(x: 2), Point(x: 3)])
    let letters = ["a", "B", "A", "c", "b"].publisher.removeAllDuplicates { $0.lowercased() == $1.lowercased() }
    for _ in 0..<2 { #expect(collect(letters) == ["a", "B", "c"]) }
  }

  @Test func `passes the published value first and the new one second`() {
    var compared: [[Int]] = []
    _ = collect(
      [1, 2, 3].publisher.removeAllDuplicates {
        compared.append([$0, $1]); return $1 == 2
      })
    #expect(compared == [[1, 2], [1, 3]])
  }

  @Test func `returns the demand of a dropped value`() {
    let source = ManualSource<Int, TestError>()
    let recorder = record(source.removeAllDuplicates(by: ==), .max(2))
    source.send(1)
    source.send(1)
    source.send(2)
    #expect(source.demand == .max(3))
    source.fail(.first)
    #expect(recorder.log == ["1", "2", "first"])
  }
}
