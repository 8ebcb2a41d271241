import Foundation
import Streams
import SuiteSupport
import Testing

struct DemandTests {
  private typealias Demand = Subscribers.Demand

  @Test func `none is a demand of zero`() { #expect(Demand.none == .max(0)) }

  @Test func `max has its number of values`() {
    #expect(Demand.max(3).max == 3)
    #expect(Demand.max(.max).max == .max)
  }

  @Test func `unlimited has no number`() { #expect(Demand.unlimited.max == nil) }

  @Test func `describes itself`() {
    #expect(Demand.unlimited.description == "unlimited")
    #expect(Demand.max(3).description == "max(3)")
  }

  @Test(.exits) func `stops the program on a negative number`() async {
    await #expect(processExitsWith: .failure) { _ = Subscribers.Demand.max(-1) }
  }

  @Test func `adds up`() {
    #expect(Demand.max(2) + .max(3) == .max(5))
    #expect(Demand.max(2) + 3 == .max(5))
    var demand = Demand.max(1)
    demand += 2
    demand += .max(3)
    #expect(demand == .max(6))
  }

  @Test func `overflows to unlimited`() {
    #expect(Demand.max(.max) + .max(1) == .unlimited)
    #expect(Demand.max(.max) + 1 == .unlimited)
    #expect(Demand.max(.max) * 2 == .unlimited)
  }

  @Test func `stays unlimited after any addition`() {
    #expect(Demand.unlimited + .max(1) == .unlimited)
    #expect(Demand.max(1) + .unlimited == .unlimited)
    #expect(Demand.unlimited + Int.min == .unlimited)
  }

  @Test func `stays unlimited after any subtraction`() {
    #expect(Demand.unlimited - .max(1) == .unlimited)
    #expect(Demand.unlimited - .unlimited == .unlimited)
    #expect(Demand.unlimited - 5 == .unlimited)
  }

  @Test func `stays unlimited after any multiplication`() {
    #expect(Demand.unlimited * 0 == .unlimited)
    #expect(Demand.unlimited * -2 == .unlimited)
    #expect(Demand.unlimited * 2 == .unlimited)
  }

  @Test func `never goes below none`() {
    #expect(Demand.max(1) - .max(2) == .none)
    #expect(Demand.max(1) - 2 == .none)
    #expect(Demand.max(1) + -2 == .none)
    #expect(Demand.max(1) * -2 == .none)
    #expect(Demand.max(1) - .unlimited == .none)
  }

  @Test func `subtracts and multiplies`() {
    var demand = Demand.max(5)
    demand -= .max(1)
    demand -= 1
    demand *= 3
    #expect(demand == .max(9))
  }

  @Test func `overflows to unlimited when a negative number is subtracted`() {
    #expect(Demand.max(.max) - Int.min == .unlimited)
    #expect(Demand.max(.max) - -1 == .unlimited)
    #expect(Demand.none - Int.min == .unlimited)
    #expect(Demand.max(1) - -2 == .max(3))
  }

  @Test(arguments: [Int.min, -1, 0, 1, Int.max]) func `every operator agrees with exact arithmetic`(number: Int) {
    /// The demand for an exact result, which has more than 64 bits.
    func clamped(_ result: Int128) -> Demand {
      result > Int128(Int.max) ? .unlimited : .max(Int(Swift.max(0, result)))
    }
    func changed(_ demand: Demand, _ change: (inout Demand) -> Void) -> Demand {
      var demand = demand
      change(&demand)
      return demand
    }
    for left in [0, 1, Int.max - 1, Int.max] {
      let (demand, exact, other) = (Demand.max(left), Int128(left), Int128(number))
      #expect(demand + number == clamped(exact + other))
      #expect(demand - number == clamped(exact - other))
      #expect(demand * number == clamped(exact * other))
      #expect(changed(demand) { $0 += number } == demand + number)
      #expect(changed(demand) { $0 -= number } == demand - number)
      #expect(changed(demand) { $0 *= number } == demand * number)
      guard number >= 0 else { continue }
      #expect(demand + .max(number) == clamped(exact + other))
      #expect(demand - .max(number) == clamped(exact - other))
      #expect(changed(demand) { $0 += .max(number) } == demand + number)
      #expect(changed(demand) { $0 -= .max(number) } == demand - number)
    }
  }

  @Test func `compares with demands`() {
    #expect(Demand.max(1) < .max(2))
    #expect(Demand.max(2) <= .max(2))
    #expect(Demand.unlimited > .max(.max))
    #expect(Demand.unlimited >= .unlimited)
    #expect(!(Demand.unlimited < .unlimited))
    #expect(Demand.max(1) != .max(2))
  }

  @Test func `compares with numbers`() {
    #expect(Demand.max(1) < 2)
    #expect(Demand.max(2) <= 2)
    #expect(Demand.max(3) > 2)
    #expect(Demand.max(2) >= 2)
    #expect(Demand.max(2) == 2)
    #expect(Demand.max(2) != 3)
    #expect(Demand.max(0) > -1)
  }

  @Test func `compares numbers with demands`() {
    #expect(1 < Demand.max(2))
    #expect(2 <= Demand.max(2))
    #expect(3 > Demand.max(2))
    #expect(2 >= Demand.max(2))
    #expect(2 == Demand.max(2))
    #expect(3 != Demand.max(2))
  }

  @Test func `unlimited is greater than any number`() {
    #expect(Demand.unlimited > Int.max)
    #expect(Demand.unlimited >= Int.max)
    #expect(!(Demand.unlimited <= Int.max))
    #expect(Demand.unlimited != Int.max)
    #expect(Int.max < Demand.unlimited)
    #expect(!(Int.max >= Demand.unlimited))
  }

  @Test func `decrements by one value at a time`() {
    var demand = Demand.max(1)
    let first = demand.spend()
    let second = demand.spend()

    #expect(first)
    #expect(!second)
    #expect(demand == .none)
  }

  @Test func `stays unlimited when it is decremented`() {
    var demand = Demand.unlimited
    let isSpent = demand.spend()

    #expect(isSpent)
    #expect(demand == .unlimited)
  }

  @Test func `encodes itself as one number`() throws {
    #expect(try JSONEncoder().encode([Demand.max(3), .unlimited]) == Data("[3,9223372036854775808]".utf8))
  }

  @Test(arguments: [Subscribers.Demand.none, .max(1), .max(.max), .unlimited])
  func `decodes an encoded demand`(_ demand: Subscribers.Demand) throws {
    let data = try JSONEncoder().encode([demand])
    #expect(try JSONDecoder().decode([Subscribers.Demand].self, from: data) == [demand])
  }

  @Test func `fails to decode a number that is no demand`() {
    let data = Data("[9223372036854775809]".utf8)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([Subscribers.Demand].self, from: data) }
  }

  @Test func `has equal hashes for equal demands`() {
    #expect(Set([Demand.none, .max(0), .unlimited, .max(1)]).count == 3)
  }
}
