import Foundation
import Streams
import Testing

/// Streams do what their specification says: the same values at the same times, with the same demand, nothing left to do
/// and nothing retained. `STREAMS_CHAINS` is the number of random streams, and `STREAMS_FIRST_CHAIN` the seed of the first.
@Suite struct SpecificationTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let count = environment["STREAMS_CHAINS"].flatMap(Int.init) ?? 300
  private static let first = environment["STREAMS_FIRST_CHAIN"].flatMap(UInt64.init) ?? 0
  private static let shards: UInt64 = 8

  @Test(arguments: 0..<shards) func `random streams do what the specification says`(shard: UInt64) {
    var failures = 0
    for seed in Self.first..<Self.first + UInt64(Self.count) where seed % Self.shards == shard && failures < 3 {
      var generator = CaseGenerator(seed: seed)
      let made = generator.makeCase()
      guard made.difference() != nil else { continue }
      failures += 1
      let simplest = made.shrunk()
      Issue.record("seed \(seed): \(simplest)\n\(simplest.difference() ?? "")")
    }
  }

  @Test(arguments: Case.found.indices) func `streams that once differed do not any more`(index: Int) {
    let (reason, test) = Case.found[index]
    #expect(test.difference() == nil, "\(reason)")
  }

  /// A specification that says something else is found, and the stream is reduced to what matters.
  @Test func `a difference is found and made simple`() {
    struct Wrong: Operator {
      func publisher(of source: some Source, in world: World) -> any Source { source.map { $0 + 1 } }
    }
    let test = Case(
      chain: .apply(
        Map(plus: 2), to: .erased(.apply(Wrong(), to: .combine(Merge(isOfMany: false), .source(0), .source(1))))),
      sources: [.subject(.passthrough), .sequence([1, 2, 3], .finished)], demand: 3, more: 1,
      reactions: [.init(2, .request(1))], script: [.init(1, .send(5, to: 0)), .init(3, .end(.failed, source: 0))])
    let simplest = test.shrunk()
    #expect("\(simplest.chain)" == ".apply(Wrong(), to: .source(0))")
    #expect(simplest.script.count == 1 && simplest.reactions.isEmpty)
    #expect(simplest.difference()?.contains("source 0: 5") == true)
  }
}
