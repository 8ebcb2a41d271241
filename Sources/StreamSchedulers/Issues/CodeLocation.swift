/// A location in a source file, as the compiler passes it to a function that is called there.
package struct CodeLocation: Sendable {
  package let fileID: StaticString
  package let filePath: StaticString
  package let line: UInt
  package let column: UInt

  package init(fileID: StaticString, filePath: StaticString, line: UInt, column: UInt) {
    self.fileID = fileID
    self.filePath = filePath
    self.line = line
    self.column = column
  }

  /// The file's name and the line.
  package var description: String { "\("\(fileID)".split(separator: "/").last ?? ""):\(line)" }
}
