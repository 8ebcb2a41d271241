internal import Streams

/// The Swift Testing or XCTest test that is running in this process.
enum RunningTest {
  /// Fails the running test with an issue. Returns `false` if no test accepted it.
  static func record(_ issue: ReportedIssue, filePath: StaticString) -> Bool {
    if SwiftTesting.isRunningTest || runsSwiftTestingOnly { return SwiftTesting.record(issue) }
    if XCTest.record(issue, filePath: filePath) { return true }
    #if canImport(ObjectiveC)
      // Xcode runs both libraries in one process. If no XCTest case is running, a Swift Testing test may have caused
      // the issue on a thread that doesn't belong to it. That isn't certain, so the issue is also written as a warning.
      if XCTest.isLoaded { _ = SwiftTesting.record(issue) }
    #endif
    return false
  }

  /// Indicates whether the package manager started this process to run only Swift Testing tests.
  ///
  /// It distinguishes a Swift Testing test's work on another thread, where no test is current, from an XCTest test.
  private static let runsSwiftTestingOnly: Bool = {
    let arguments = CommandLine.arguments
    guard let option = arguments.firstIndex(of: "--testing-library") else { return false }
    return arguments[option...].dropFirst().first == "swift-testing"
  }()
}

/// The XCTest library, if it's loaded.
private enum XCTest {
  private struct Fail {
    let call: (String, StaticString, UInt) -> Void
  }

  // XCTFail(_: String, file: StaticString, line: UInt)
  private static let fail = Symbol("$s6XCTest7XCTFail_4file4lineySS_s12StaticStringVSutF")

  static var isLoaded: Bool { fail != nil }

  static func record(_ issue: ReportedIssue, filePath: StaticString) -> Bool {
    guard let fail, isRunningTestCase else { return false }
    fail.asFunction(Fail.self).call(issue.message, filePath, issue.line)
    return true
  }

  #if canImport(ObjectiveC)
    private static let currentTestCaseSymbol = Symbol("_XCTCurrentTestCase")

    private static var isRunningTestCase: Bool {
      typealias Function = @convention(c) () -> AnyObject?
      guard let currentTestCaseSymbol else { return true }
      return unsafeBitCast(currentTestCaseSymbol.address, to: Function.self)() != nil
    }
  #else
    // There's no way to find out on this platform. A process that has loaded XCTest and doesn't run Swift Testing runs test
    // cases one after the other until it exits.
    private static var isRunningTestCase: Bool { true }
  #endif
}

/// The Swift Testing library, if it's loaded.
///
/// It's built with library evolution, which fixes the calling convention: structs are passed and returned by address,
/// whatever their layout. Generic parameters are passed in the same way. The library's functions can therefore be called
/// through generic function types that are bound to its types, which are found by name.
private enum SwiftTesting {
  private struct CurrentTest<Test> {
    let call: () -> Test?
  }

  private struct MakeSourceLocation<SourceLocation> {
    let call: (consuming String, consuming String, Int, Int) -> SourceLocation
  }

  private struct RecordIssue<Comment, SourceLocation, Issue> {
    let call: (Comment?, SourceLocation) -> Issue
  }

  // Test.current
  private static let currentTest = evolving("$s7Testing4TestV7currentACSgvgZ")

  // SourceLocation.init(fileID: String, filePath: String, line: Int, column: Int)
  private static let makeSourceLocation = evolving(
    "$s7Testing14SourceLocationV6fileID0D4Path4line6columnACSS_SSS2itcfC")

  // Issue.record(_: Comment?, sourceLocation: SourceLocation) -> Issue
  private static let recordIssue = evolving(
    "$s7Testing5IssueV6record_14sourceLocationAcA7CommentVSg_AA06SourceE0VtFZ")

  /// Finds a function, but only if the library is known to be built with library evolution.
  ///
  /// The symbol of an enum case proves that, because it exists only with library evolution.
  private static func evolving(_ name: String) -> Symbol? {
    Symbol("$s7Testing5IssueV4KindO13unconditionalyA2EmFWC") == nil ? nil : Symbol(name)
  }

  /// Indicates whether the caller belongs to a test's task.
  static var isRunningTest: Bool {
    guard let currentTest, let test = _typeByName("7Testing4TestV") else { return false }
    func isSet<Test>(_: Test.Type) -> Bool { currentTest.asFunction(CurrentTest<Test>.self).call() != nil }
    return isSet(test)
  }

  /// Records an issue for the current test, or for the whole run if there's none. Returns `false` if that isn't possible.
  static func record(_ issue: ReportedIssue) -> Bool {
    guard let makeSourceLocation, let recordIssue,
      let comment = _typeByName("7Testing7CommentV") as? any RawRepresentable<String>.Type,
      let sourceLocation = _typeByName("7Testing14SourceLocationV"),
      let issueType = _typeByName("7Testing5IssueV")
    else { return false }

    func record<Comment: RawRepresentable<String>, SourceLocation, Issue>(
      _: Comment.Type, _: SourceLocation.Type, _: Issue.Type
    ) {
      // The library stops the process on a file identifier without a slash, and on lines and columns below 1.
      let fileID = issue.fileID.contains("/") ? issue.fileID : "Unknown/\(issue.fileID)"
      let location = makeSourceLocation.asFunction(MakeSourceLocation<SourceLocation>.self)
        .call(fileID, issue.filePath, Int(clamping: max(1, issue.line)), Int(clamping: max(1, issue.column)))
      _ = recordIssue.asFunction(RecordIssue<Comment, SourceLocation, Issue>.self)
        .call(Comment(rawValue: issue.message), location)
    }
    record(comment, sourceLocation, issueType)
    return true
  }
}

/// A function in the running process, found by its symbol name.
private struct Symbol: @unchecked Sendable {
  // `Sendable` is unchecked because of the pointer, which points to code.
  let address: UnsafeMutableRawPointer

  init?(_ name: String) {
    guard let address = symbolAddress(name) else { return nil }
    self.address = address
  }

  /// Returns the function in a struct whose only field is a closure of the function's type.
  ///
  /// A closure is a code address and a context for its captures. A function doesn't have captures. The struct keeps the
  /// closure type's own calling convention, whereas a bare closure type as a generic argument would be reabstracted.
  func asFunction<Function>(_: Function.Type) -> Function {
    let closure: (code: UnsafeMutableRawPointer, context: UnsafeMutableRawPointer?) = (address, nil)
    return unsafeBitCast(closure, to: Function.self)
  }
}

extension Symbol: Equatable {}
