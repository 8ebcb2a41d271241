/// The failure of the streams in the tests.
package enum TestError: Error, Equatable, Codable {
  case first
  case second
}

/// An object whose deallocation a test waits for.
package final class TestObject {
  package init() {}
}
