/// What the streams of the tests fail with.
enum TestError: Error, Equatable, Codable {
  case first
  case second
}

/// An object whose end a test waits for.
final class TestObject {}
