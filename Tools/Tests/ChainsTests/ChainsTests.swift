import Testing
import ToolsSupport

@testable import chains

@Suite struct ChainsTests {
  private let streams = Configuration(name: "Streams", modules: ["Streams"], flags: [])
  private let reference = Configuration(name: "OpenCombine", modules: ["OpenCombine"], flags: [])
  private let all = Configuration(name: "all modules", modules: ["Streams", "StreamTesting"], flags: [])

  private func comparison(
    _ outcomes: [Configuration: [Outcome]],
    chains: [Chain] = [.init(links: [".x", ".y"]), .init(links: [".z", ".y"])]
  ) -> Comparison {
    Comparison(
      chains: chains, configurations: [reference, streams, all],
      limits: [
        .init(configuration: streams, other: reference, most: 0.8),
        .init(configuration: all, other: streams, most: 1.1),
      ], outcomes: outcomes)
  }

  @Test func `the generator gives the numbers of SplitMix64`() {
    var generator = SplitMix64(seed: 1_234_567)
    #expect(generator.next() == 6_457_827_717_110_365_317)
    #expect(generator.next() == 3_203_168_211_198_807_973)
  }

  @Test func `chains are the same for the same seed, and others for another`() {
    func chains(seed: UInt64) -> [Chain] {
      var generator = SplitMix64(seed: seed)
      return Group(count: 200, links: 3...5).chains(of: KnownLinks.common, using: &generator)
    }
    #expect(chains(seed: 1) == chains(seed: 1))
    #expect(chains(seed: 1) != chains(seed: 2))
    #expect(Set(chains(seed: 1).map(\.links.count)) == [3, 4, 5])
  }

  @Test func `no link is in the lists twice`() {
    let links = KnownLinks.common + KnownLinks.additional
    #expect(Set(links).count == links.count)
  }

  @Test func `errors and times belong to the chain of their line or method`() throws {
    let file = ChainFile(
      [Chain(links: [".x()"]), Chain(links: [".y()", ".z()"])], importing: ["Streams", "StreamTesting"])
    let line = 1 + file.text.split(separator: "\n").firstIndex { $0.contains("a.y().z().sink") }!
    let outcomes = try file.outcomes(
      from: """
        /tmp/F.swift:\(line - 4):8: warning: instance method 'f0()' took 12ms to type-check (limit: 1ms)
        /tmp/F.swift:\(line):5: error: the compiler is unable to type-check this expression in reasonable time
        /tmp/F.swift:\(line):5: error: another
        /tmp/F.swift:\(line - 1):8: warning: instance method 'f1()' took 4321ms to type-check (limit: 1ms)
        """)
    #expect(
      outcomes == [
        Outcome(error: nil, milliseconds: 12),
        Outcome(
          error: "the compiler is unable to type-check this expression in reasonable time", milliseconds: 4321),
      ])
  }

  @Test func `an error outside of the chains stops the tool`() {
    let file = ChainFile([Chain(links: [".x()"])], importing: ["Streams"])
    #expect(throws: Failure.self) { try file.outcomes(from: "/tmp/F.swift:1:8: error: no such module 'Streams'") }
    #expect(throws: Failure.self) { try file.outcomes(from: "/tmp/F.swift:900:8: error: something") }
  }

  @Test func `the shorter time of each chain counts`() {
    let first = comparison([
      reference: [Outcome(milliseconds: 100), Outcome(milliseconds: 100)],
      streams: [Outcome(milliseconds: 40), Outcome(milliseconds: 90)],
      all: [Outcome(milliseconds: 40), Outcome(milliseconds: 120)],
    ])
    #expect(first.mistakes.count == 1)
    let second = comparison([
      reference: [Outcome(milliseconds: 90), Outcome(milliseconds: 110)],
      streams: [Outcome(milliseconds: 80), Outcome(milliseconds: 80)],
      all: [Outcome(milliseconds: 50), Outcome(milliseconds: 85)],
    ])
    let quicker = first.quicker(of: second)
    #expect(quicker.mistakes.isEmpty)
    #expect(
      [reference, streams, all].map { quicker.outcomes[$0]!.map(\.milliseconds) } == [[90, 100], [40, 80], [40, 85]])
  }

  @Test func `what a configuration compiles and the one compared with it doesn't is a difference`() {
    let fails = Outcome(error: "too complex")
    let found = comparison([reference: [fails, Outcome()], streams: [Outcome(), fails], all: [fails, fails]])
      .differences
    #expect(
      found.map(\.sentence) == [
        "a.x.y compiles with Streams, and not with all modules",
        "a.z.y compiles with OpenCombine, and not with Streams",
      ])
    // What is gained is none.
    #expect(
      comparison([reference: [fails, fails], streams: [fails, Outcome()], all: [fails, Outcome()]]).differences.isEmpty)
  }

  @Test func `times that exceed a limit are a mistake, without the chains that nothing compiles`() {
    func outcomes(_ milliseconds: Int) -> [Outcome] {
      [Outcome(milliseconds: milliseconds), Outcome(error: "too complex", milliseconds: 90_000 / milliseconds)]
    }
    #expect(comparison([reference: outcomes(100), streams: outcomes(80), all: outcomes(88)]).mistakes.isEmpty)
    #expect(
      comparison([reference: outcomes(100), streams: outcomes(81), all: outcomes(90)]).mistakes == [
        "chains take 0.81 times as long with Streams as with OpenCombine, and may take 0.80",
        "chains take 1.11 times as long with all modules as with Streams, and may take 1.10",
      ])
  }

  @Test func `each chain gets one more link, in turn`() {
    var generator = SplitMix64(seed: 1)
    let chains = (0..<30).map { Chain(links: [".a\($0)", ".b"]) }
    let planted = chains.planting([".x", ".y"], using: &generator)
    #expect(planted.map { $0.links.filter { ![".x", ".y"].contains($0) } } == chains.map(\.links))
    #expect(
      planted.map { $0.links.filter([".x", ".y"].contains) } == (0..<30).map { $0.isMultiple(of: 2) ? [".x"] : [".y"] })
    #expect(Set(planted.map { $0.links.firstIndex { [".x", ".y"].contains($0) } }) == [0, 1, 2])
  }

  @Test func `the time until mistakes are named counts, with those that the compiler gives up on`() {
    let givenUp = Outcome(
      error: "the compiler is unable to type-check this expression in reasonable time; try breaking up",
      milliseconds: 800)
    let named = Outcome(error: "no such member", milliseconds: 200)
    func diagnosis(_ milliseconds: Int, most: Double) -> Diagnosis {
      Diagnosis(reference: [givenUp, named], outcomes: [givenUp, Outcome(milliseconds: milliseconds)], most: most)
    }
    #expect(
      diagnosis(300, most: 1.1).line
        == "2 chains with a mistake take 1.0 s with OpenCombine, which gives up on 1, and 1.1 s with Streams, "
        + "which gives up on 1: 1.10")
    #expect(diagnosis(300, most: 1.1).mistakes.isEmpty)
    let slow = diagnosis(300, most: 1.05)
    #expect(
      slow.mistakes == [
        "chains with a mistake take 1.10 times as long with Streams as with OpenCombine, and may take 1.05"
      ])
    // In another run, the machine did less besides.
    #expect(slow.quicker(of: diagnosis(250, most: 1.05)).mistakes.isEmpty)
  }

  @Test func `a link that the reference doesn't compile by itself is a mistake`() {
    let outcome = [Outcome(error: "no such member", milliseconds: 1)]
    let mistakes = comparison(
      [reference: outcome, streams: outcome, all: outcome], chains: [Chain(links: [".x"])]
    ).mistakes
    #expect(mistakes == [".x doesn't compile by itself with OpenCombine: no such member"])
  }

  @Test func `a difference is shrunk to the links that it needs`() {
    let difference = Difference(
      chain: Chain(links: [".a", ".b", ".a", ".c", ".b", ".d"]), compiling: reference, losing: streams)
    let shrunk = difference.shrunk { $0.links.contains(".c") && $0.links.filter { $0 == ".b" }.count > 1 }
    #expect(shrunk.chain.links == [".b", ".c", ".b"])
  }

  @Test func `numbers of links are written as a range`() {
    #expect(Chains.Lengths(argument: "3...5")?.range == 3...5)
    for argument in ["3", "5...3", "0...2", "a...b"] { #expect(Chains.Lengths(argument: argument) == nil) }
  }

  @Test func `results have the order of their jobs`() async throws {
    #expect(try await Compiler.atOnce(Array(0..<20)) { $0 * 2 } == (0..<20).map { $0 * 2 })
  }

  @Test func `a missing build of OpenCombine is explained`() {
    #expect(throws: Failure.self) { try Configuration.openCombine(in: "/nowhere") }
  }
}
