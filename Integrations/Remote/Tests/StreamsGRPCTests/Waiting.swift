import Testing

/// A condition wasn't met in time.
struct ConditionNotMet: Error {}

/// Waits until a condition is met. The limit only ends a hang.
func wait(
  for expectation: Comment, within limit: Duration = .seconds(60), sourceLocation: SourceLocation = #_sourceLocation,
  until condition: () async throws -> Bool
) async throws {
  let deadline = ContinuousClock.now + limit
  while try await !condition() {
    guard ContinuousClock.now < deadline else {
      Issue.record(expectation, sourceLocation: sourceLocation)
      throw ConditionNotMet()
    }
    try await Task.sleep(for: .milliseconds(1))
  }
}
