/// Stops the program with a message that states the caller's mistake, or the requirement and the value passed.
///
/// Every violated precondition that the program can't recover from ends here: the message is printed in release builds too,
/// unlike `precondition`'s.
@usableFromInline @inline(never)
package func stopProgram(_ message: String, file: StaticString = #fileID, line: UInt = #line) -> Never {
  fatalError(message, file: file, line: line)
}

/// Stops the program unless a condition holds. The message is evaluated only on failure.
///
/// On the value path, stop the program in a function that's never inlined, to keep the message's code out of every caller.
@inlinable @inline(__always)
package func require(
  _ condition: Bool, or message: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) {
  if !condition { stopProgram(message(), file: file, line: line) }
}

/// Stops the program if a quantity passed to a method is negative. The message names the method and the quantity: "prefix(_:)
/// requires a maximum length of at least 0, got -1."
@inlinable @inline(__always)
package func requireNotNegative(_ number: Int, in method: StaticString, _ quantity: StaticString) {
  if number < 0 { stopAtNegative(number, in: method, quantity) }
}

@usableFromInline @inline(never)
package func stopAtNegative(_ number: Int, in method: StaticString, _ quantity: StaticString) -> Never {
  stopProgram("\(method) requires \(quantity) of at least 0, got \(number).")
}

@usableFromInline @inline(never)
package func stopAtOverlap() -> Never {
  stopProgram(
    "A publisher sent a value to an operator whose closure was still running with the previous value. Signals to a "
      + "subscriber must not overlap: send a value after receive(_:) has returned, or use a subject, which sends values "
      + "one after another.")
}
