#if canImport(Testing)
  internal import Testing
#endif

/// The testing library that runs the current test.
enum RunningLibrary {
  /// Indicates whether the caller belongs to a test of Swift Testing.
  static var isSwiftTesting: Bool {
    #if canImport(Testing)
      Test.current != nil
    #else
      false
    #endif
  }

  /// The name of the running test's function, `testRepeats` if it's unknown, or `nil` if the name is a raw identifier.
  static var nameOfTest: String? {
    #if canImport(Testing)
      guard let name = Test.current?.name.prefix(while: { $0 != "(" }), !name.isEmpty else { return "testRepeats" }
      return name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } ? String(name) : nil
    #else
      return "testRepeats"
    #endif
  }
}
