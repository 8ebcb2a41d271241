import XCTest

extension XCTestCase {
  /// Whether the places in sources can be looked up on this platform, with this compiler.
  static var canLookUpPlaces: Bool {
    #if os(Linux) && compiler(>=6.3) && compiler(<6.4)
      true
    #else
      false
    #endif
  }
}
