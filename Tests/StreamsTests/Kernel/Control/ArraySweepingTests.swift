import Testing

@testable import Streams

// `@testable`: a helper of the kernel, whose number of moves no stream shows.

struct ArraySweepingTests {
  @Test func `a full array removes and returns what is over, and keeps the rest in order`() {
    var (array, removed): ([Int], [Int]) = ([], [])
    for number in 0..<1_000 { removed += array.append(number) { !$0.isMultiple(of: 3) } }

    #expect((array + removed).sorted() == Array(0..<1_000))
    #expect(array == array.sorted())
    #expect(array.filter { $0.isMultiple(of: 3) } == Array(stride(from: 0, to: 1_000, by: 3)))
    #expect(removed.count > 333)
  }

  @Test func `appending takes constant time on average, even if one element is over each time`() {
    final class Item { var isOver = false }
    var (array, looks): ([Item], Int) = ([], 0)
    func append() {
      _ = array.append(Item()) {
        looks += 1
        return $0.isOver
      }
    }
    while array.count < 1_000 || array.count < array.capacity { append() }
    let count = array.count
    #expect(looks <= 2 * count)
    looks = 0
    for index in 0..<100 {
      array[2 * index].isOver = true
      append()
    }

    #expect(looks <= 2 * count)
  }
}
