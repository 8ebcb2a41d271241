internal import Streams

/// The test that is running in this process, whichever library runs it.
enum RunningTest {
  /// Makes the test fail with an issue; returns whether there is one that takes it.
  static func record(_ issue: ReportedIssue, filePath: StaticString) -> Bool {
    if SwiftTesting.isRunningTest || runsSwiftTestingOnly { return SwiftTesting.record(issue) }
    if XCTest.record(issue, filePath: filePath) { return true }
    #if canImport(ObjectiveC)
      // Xcode runs both libraries in one process. Where no test case of XCTest is running, it may be a test of the
      // other one that caused this on a thread that does not belong to it. As nobody says so, it is also a warning.
      if XCTest.isLoaded { _ = SwiftTesting.record(issue) }
    #endif
    return false
  }

  /// Whether the package manager has started this process to run tests of Swift Testing and nothing else.
  ///
  /// It tells a test's work on a thread of its own, where no test is current, from a test of XCTest.
  private static let runsSwiftTestingOnly: Bool = {
    let arguments = CommandLine.arguments
    guard let option = arguments.firstIndex(of: "--testing-library") else { return false }
    return arguments[option...].dropFirst().first == "swift-testing"
  }()
}

/// XCTest, if it is loaded.
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
    private static let currentTestCase = Symbol("_XCTCurrentTestCase")

    private static var isRunningTestCase: Bool {
      typealias Function = @convention(c) () -> AnyObject?
      guard let currentTestCase else { return true }
      return unsafeBitCast(currentTestCase.address, to: Function.self)() != nil
    }
  #else
    // It cannot be asked here. A process that has XCTest loaded and does not run Swift Testing runs test cases one
    // after the other until it exits.
    private static var isRunningTestCase: Bool { true }
  #endif
}

/// Swift Testing, if it is loaded.
///
/// The library is built for library evolution, which fixes how its functions are called: values of its structs are
/// passed and returned by address, whatever is in them. A generic parameter is passed in the same way, so generic
/// function types with the library's types, found by name, in the place of the parameters are its function types.
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

  /// Finds a function, but only where the library is known to be built for library evolution.
  ///
  /// What shows it is the symbol of an enum's case, which exists only then.
  private static func evolving(_ name: String) -> Symbol? {
    Symbol("$s7Testing5IssueV4KindO13unconditionalyA2EmFWC") == nil ? nil : Symbol(name)
  }

  /// Whether the caller belongs to the task of a test.
  static var isRunningTest: Bool {
    guard let currentTest, let test = _typeByName("7Testing4TestV") else { return false }
    func isSet<Test>(_: Test.Type) -> Bool { currentTest.asFunction(CurrentTest<Test>.self).call() != nil }
    return isSet(test)
  }

  /// Records an issue with the current test, or with the whole run where none is current; returns whether it could.
  static func record(_ issue: ReportedIssue) -> Bool {
    guard let makeSourceLocation, let recordIssue,
      let comment = _typeByName("7Testing7CommentV") as? any RawRepresentable<String>.Type,
      let sourceLocation = _typeByName("7Testing14SourceLocationV"),
      let issueType = _typeByName("7Testing5IssueV")
    else { return false }

    func record<Comment: RawRepresentable<String>, SourceLocation, Issue>(
      _: Comment.Type, _: SourceLocation.Type, _: Issue.Type
    ) {
      // The library stops the process at a file identifier without a slash and at lines and columns below one.
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

/// A function that was found in the running process by its name.
private struct Symbol: @unchecked Sendable {
  // `Sendable` is unchecked because of the pointer, which points to code.
  let address: UnsafeMutableRawPointer

  init?(_ name: String) {
    guard let address = symbolAddress(name) else { return nil }
    self.address = address
  }

  /// Returns the function in a struct whose only field is a closure of the function's type.
  ///
  /// A closure is the address of its code and that of what it captures; a function captures nothing. The struct keeps
  /// the closure's type as it is written, where a bare closure type as an argument would be made abstract.
  func asFunction<Function>(_: Function.Type) -> Function {
    let closure: (code: UnsafeMutableRawPointer, context: UnsafeMutableRawPointer?) = (address, nil)
    return unsafeBitCast(closure, to: Function.self)
  }
}

extension Symbol: Equatable {}
