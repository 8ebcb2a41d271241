import Combine
import Testing

/// Chains that the compiler must check in linear time. If it tried two operators at each place, this file would take more
/// than a minute to compile, or be an error.
struct LongChainTests {
  private let numbers = PassthroughSubject<Int, Never>()

  @Test func `sixteen operators of one kind, with stated types`() {
    let mapped =
      numbers
      .map { (x: Int) -> Int in x + 1 }.map { (x: Int) -> Int in x + 1 }
      .map { (x: Int) -> Int in x + 1 }.map { (x: Int) -> Int in x + 1 }
      .map { (x: Int) -> Int in x + 1 }.map { (x: Int) -> Int in x + 1 }
      .map { (x: Int) -> Int in x + 1 }.map { (x: Int) -> Int in x + 1 }
      .map { (x: Int) -> Int in x + 1 }.map { (x: Int) -> Int in x + 1 }
      .map { (x: Int) -> Int in x + 1 }.map { (x: Int) -> Int in x + 1 }
      .map { (x: Int) -> Int in x + 1 }.map { (x: Int) -> Int in x + 1 }
      .map { (x: Int) -> Int in x + 1 }.map { (x: Int) -> Int in x + 1 }
    let filtered =
      numbers
      .filter { $0 > 1 }.filter { $0 > 2 }.filter { $0 > 3 }.filter { $0 > 4 }
      .filter { $0 > 1 }.filter { $0 > 2 }.filter { $0 > 3 }.filter { $0 > 4 }
      .filter { $0 > 1 }.filter { $0 > 2 }.filter { $0 > 3 }.filter { $0 > 4 }
      .filter { $0 > 1 }.filter { $0 > 2 }.filter { $0 > 3 }.filter { $0 > 4 }
    let compacted =
      numbers
      .compactMap { (x: Int) -> Int? in x > 0 ? x : nil }.compactMap { (x: Int) -> Int? in x > 1 ? x : nil }
      .compactMap { (x: Int) -> Int? in x > 2 ? x : nil }.compactMap { (x: Int) -> Int? in x > 3 ? x : nil }
      .compactMap { (x: Int) -> Int? in x > 0 ? x : nil }.compactMap { (x: Int) -> Int? in x > 1 ? x : nil }
      .compactMap { (x: Int) -> Int? in x > 2 ? x : nil }.compactMap { (x: Int) -> Int? in x > 3 ? x : nil }
      .compactMap { (x: Int) -> Int? in x > 0 ? x : nil }.compactMap { (x: Int) -> Int? in x > 1 ? x : nil }
      .compactMap { (x: Int) -> Int? in x > 2 ? x : nil }.compactMap { (x: Int) -> Int? in x > 3 ? x : nil }
      .compactMap { (x: Int) -> Int? in x > 0 ? x : nil }.compactMap { (x: Int) -> Int? in x > 1 ? x : nil }
      .compactMap { (x: Int) -> Int? in x > 2 ? x : nil }.compactMap { (x: Int) -> Int? in x > 3 ? x : nil }
    var received: [Int] = []
    let cancellables = [
      mapped.sink { received.append($0) }, filtered.sink { received.append($0) },
      compacted.sink { received.append($0) },
    ]
    numbers.send(5)
    #expect(received == [21, 5, 5])
    withExtendedLifetime(cancellables) {}
  }

  @Test func `two operators of one kind are two, unless their type is required`() {
    typealias Numbers = PassthroughSubject<Int, Never>
    let two = numbers.map { (x: Int) -> Int in x + 1 }.map { (x: Int) -> Int in x * 2 }
    #expect(type(of: two) == Publishers.Map<Publishers.Map<Numbers, Int>, Int>.self)
    let one: Publishers.Map<Numbers, Int> = numbers.map { $0 + 1 }.map { $0 * 2 }
    let filter: Publishers.Filter<Numbers> = numbers.filter { $0 > 1 }.filter { $0 > 2 }
    let compact: Publishers.CompactMap<Numbers, Int> = numbers.compactMap { Int?($0) }.compactMap { Int?($0) }
    var received: [Int] = []
    let cancellables = [
      two.sink { received.append($0) }, one.sink { received.append($0) }, filter.sink { received.append($0) },
      compact.sink { received.append($0) },
    ]
    numbers.send(3)
    #expect(received == [8, 8, 3, 3])
    withExtendedLifetime(cancellables) {}
  }
}
