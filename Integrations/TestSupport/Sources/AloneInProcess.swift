package import Testing

/// Lets the tests of a suite run while no other suite does.
///
/// All tests of the package are in one process. The live streams of the process would be those of all suites, and a server that
/// is stopped under load would compete with a browser for two cores.
package struct AloneInProcess: SuiteTrait, TestScoping {
  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await ProcessLock.shared.enter()
    do {
      try await function()
    } catch {
      await ProcessLock.shared.leave()
      throw error
    }
    await ProcessLock.shared.leave()
  }
}

extension Trait where Self == AloneInProcess {
  /// The suite runs while no other one does.
  package static var aloneInProcess: Self { Self() }
}

/// Admits one suite at a time.
private actor ProcessLock {
  static let shared = ProcessLock()

  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func enter() async {
    if isTaken { await withCheckedContinuation { waiting.append($0) } }
    isTaken = true
  }

  func leave() {
    if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
  }
}
