import StreamTesting
import Testing

@MainActor
@Suite(.virtualWorld)
struct VirtualWorldTraitTests {
  private let scheduler = VirtualWorldTrait.scheduler

  @Test func `a test of a suite runs in a world, in no time`() async throws {
    var log: [String] = []
    Task {
      try await scheduler.sleep(for: 3600)
      log.append("an hour later")
    }
    await scheduler.advance(by: 3599)
    #expect(log == [])
    await scheduler.advance(by: 1)
    #expect(log == ["an hour later"])
  }

  @Test(arguments: 1...3)
  func `each case has a scheduler of its own`(_ number: Int) async throws {
    #expect(VirtualWorldTrait.scheduler.elapsed == 0)
    try await VirtualWorldTrait.scheduler.sleep(for: .seconds(number))
    #expect(VirtualWorldTrait.scheduler.elapsed == .seconds(number))
  }
}

@MainActor
@Suite(.virtualWorld(order: .shuffled(seed: 3)))
struct ShuffledWorldTests {
  @Test func `a world runs what is due at the same moment in the order that the trait asks for`() async {
    let log = Log<Int>()
    for number in 0..<8 {
      Task.detached { log.append(number) }
    }
    await VirtualWorldTrait.scheduler.advance()
    #expect(log.all.sorted() == Array(0..<8))
    #expect(log.all != Array(0..<8))
  }
}
