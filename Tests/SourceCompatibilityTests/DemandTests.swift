import Combine
import Foundation
import Testing

private typealias Demand = Subscribers.Demand

struct DemandTests {
  @Test func `values`() {
    #expect(Demand.none == .max(0))
    #expect(Demand.max(2).max == 2)
    #expect(Demand.unlimited.max == nil)
    #expect(Demand.unlimited.description == "unlimited")
    #expect("\(Demand.max(2))" == "max(2)")
    #expect(Set([Demand.max(1), .max(1)]).count == 1)
  }

  @Test func `arithmetic`() {
    var demand = Demand.max(1)
    demand += 2
    demand += .max(1)
    demand -= 1
    demand -= .max(1)
    demand *= 3
    #expect(demand == .max(6))
    #expect((Demand.max(1) + 2, Demand.max(1) + .max(2)) == (.max(3), .max(3)))
    #expect((Demand.max(3) - 2, Demand.max(3) - .max(2), Demand.max(2) * 3) == (.max(1), .max(1), .max(6)))
    #expect(Demand.max(1) - .max(2) == .none)
    #expect(Demand.max(1) - 2 == .none)
    #expect(Demand.max(1) + -2 == .none)
    #expect(Demand.max(1) * -2 == .none)
    #expect(Demand.max(1) - .unlimited == .none)
    #expect(Demand.max(.max) + 1 == .unlimited)
    #expect(Demand.max(.max) * 2 == .unlimited)
    var unlimited = Demand.unlimited
    unlimited += Int.min
    unlimited -= .unlimited
    unlimited *= 0
    #expect(unlimited == .unlimited)
  }

  @Test func `comparisons`() {
    let (one, two) = (Demand.max(1), Demand.max(2))
    #expect(one < two && one <= two && two > one && two >= one && one != two)
    #expect(one < 2 && one <= 2 && two > 1 && two >= 1 && one != 2 && one == 1)
    #expect(1 < two && 1 <= two && 2 > one && 2 >= one && 1 != two && 1 == one)
    #expect(Demand.unlimited > Int.max && Int.max < Demand.unlimited && Demand.unlimited > .max(.max))
    #expect([two, .unlimited, one].sorted() == [one, two, .unlimited])
  }

  @Test func `coding`() throws {
    let data = try JSONEncoder().encode([Demand.max(2), .unlimited])
    #expect(String(decoding: data, as: UTF8.self) == "[2,9223372036854775808]")
    #expect(try JSONDecoder().decode([Demand].self, from: data) == [.max(2), .unlimited])
  }
}
