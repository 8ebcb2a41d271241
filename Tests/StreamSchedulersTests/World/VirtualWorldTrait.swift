import Dispatch
import Foundation
import StreamSchedulers
import Testing

// The article on virtual time shows the lines up to the end mark; a test sees to it.

/// Runs a test, or each test of a suite, in a virtual world of its own.
struct VirtualWorldTrait: TestTrait, SuiteTrait, TestScoping {
  /// The scheduler that moves the time of the test that is running.
  @TaskLocal static var scheduler = DispatchQueue.test

  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await MainActor.run {
      let scheduler = DispatchQueue.test
      try Self.$scheduler.withValue(scheduler) {
        try withoutActuallyEscaping(function) { function in
          try scheduler.runVirtualWorld { try await function() }
        }
      }
    }
  }
}

extension Trait where Self == VirtualWorldTrait {
  static var virtualWorld: Self { Self() }
}
// end

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

@Suite
struct VirtualWorldTraitArticleTests {
  @Test func `the trait of the article is this one`() throws {
    let file = URL(fileURLWithPath: #filePath)
    var package = file
    for _ in 0..<4 { package.deleteLastPathComponent() }
    let article = package.appendingPathComponent("Sources/StreamSchedulers/StreamSchedulers.docc/VirtualTime.md")
    let source = try String(contentsOf: file, encoding: .utf8)
    let start = try #require(source.range(of: "/// Runs a test, or each"))
    let end = try #require(source.range(of: "// end"))
    let trait = source[start.lowerBound..<end.lowerBound]
    #expect(try String(contentsOf: article, encoding: .utf8).contains(trait))
  }
}
