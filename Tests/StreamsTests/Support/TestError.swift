/// The failure of the streams in the tests.
enum TestError: Error, Equatable, Codable {
  case first
  case second
}

/// An object whose deallocation a test waits for.
final class TestObject {}
