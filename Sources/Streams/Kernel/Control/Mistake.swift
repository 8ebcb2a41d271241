/// Stops the program with a message that says what the caller did wrong and what to do instead.
///
/// Every mistake of a caller that the program cannot go on after ends here, because this is heard in release builds too:
/// there, `precondition` stops the program without a word.
@usableFromInline @inline(never)
package func stopProgram(_ message: String, file: StaticString = #fileID, line: UInt = #line) -> Never {
  fatalError(message, file: file, line: line)
}

/// Stops the program unless the caller keeps to a condition; the message is made only then.
///
/// Where values pass, stop in a function of its own that is never inlined: what makes the message would stand in every
/// caller.
@inlinable @inline(__always)
package func require(
  _ condition: Bool, or message: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) {
  if !condition { stopProgram(message(), file: file, line: line) }
}

/// Stops the program if the number that a method was called with is negative.
@inlinable @inline(__always)
func requireNotNegative(_ number: Int, in method: StaticString, label: StaticString = "") {
  if number < 0 { stopAtNegative(number, in: method, label: label) }
}

@usableFromInline @inline(never)
func stopAtNegative(_ number: Int, in method: StaticString, label: StaticString) -> Never {
  stopProgram("\(method)(\(label)\(number)): the number cannot be negative. Use zero or a positive number.")
}

@usableFromInline @inline(never)
func stopAtOverlap() -> Never {
  stopProgram(
    "A publisher sent a value to an operator whose closure was still running with the one before. Signals to one subscriber must "
      + "not overlap: send the value when receive(_:) has returned, or use a subject, which sees to that.")
}

/// Writes a text to standard error, with as few calls as the system allows, so that lines of several threads stay whole.
package func writeToStandardError(_ text: String) { Platform.writeToStandardError(text) }
