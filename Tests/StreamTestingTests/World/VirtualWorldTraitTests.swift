import StreamTesting
import Testing

@MainActor
@Suite(.virtualWorld)
struct VirtualWorldTraitTests {
  private let scheduler = VirtualWorldTrait.scheduler

  @Test func `a test of the suite runs in a world without waiting`() async throws {
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
  func `each test case has its own scheduler`(_ number: Int) async throws {
    #expect(VirtualWorldTrait.scheduler.elapsed == 0)
    try await VirtualWorldTrait.scheduler.sleep(for: .seconds(number))
    #expect(VirtualWorldTrait.scheduler.elapsed == .seconds(number))
  }
}

@MainActor
@Suite(.virtualWorld(order: .shuffled(seed: 3)))
struct ShuffledWorldTests {
  @Test func `a world runs simultaneous work in the order that the trait selects`() async {
    let log = Log<Int>()
    for number in 0..<8 {
      Task.detached { log.append(number) }
    }
    await VirtualWorldTrait.scheduler.advance()
    #expect(log.all.sorted() == Array(0..<8))
    #expect(log.all != Array(0..<8))
  }
}
