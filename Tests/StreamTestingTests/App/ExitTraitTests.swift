import Foundation
import Testing

/// The sources of the tests, compared with the rule that tests of exits have the trait `exits`.
struct ExitTraitTests {
  @Test func `each test that expects an exit, or its suite, has the trait`() throws {
    let tests = URL(fileURLWithPath: #filePath).appending(path: "../../..").standardized
    let paths = try FileManager.default.subpathsOfDirectory(atPath: tests.path)
    var count = 0
    let call = "(\("processExits")With:"
    // The explorer's tests are a build of their own.
    for path in paths where path.hasSuffix(".swift") && !path.contains(".build") && !path.hasPrefix("Explorer") {
      let text = try String(contentsOf: tests.appending(path: path), encoding: .utf8)
      guard text.contains(call) else { continue }
      let lines = text.components(separatedBy: "\n")
      let isSuite = lines.contains { $0.contains("@Suite(.exits") }
      for (index, line) in lines.enumerated() where line.contains(call) {
        count += 1
        let test = lines[...index].last { $0.contains("@Test") }
        #expect(isSuite || test?.contains(".exits") == true, "\(path):\(index + 1)")
      }
    }
    #expect(count > 100)
  }
}
