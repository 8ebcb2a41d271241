/// Closures that are opaque to the compiler, like those that an app stores and passes on: each captures a number or an
/// object, and its body is unknown to its callers.
package enum OpaqueClosures {
  /// Adds a number.
  package static func adding(_ number: Int) -> @Sendable (Int) -> Int { hidden { $0 &+ number } }

  /// Multiplies by a number.
  package static func multiplying(by number: Int) -> @Sendable (Int) -> Int { hidden { $0 &* number } }

  /// Returns whether the lowest bits of two numbers are equal.
  package static func like(_ number: Int) -> @Sendable (Int) -> Bool { hidden { ($0 ^ number) & 1 == 0 } }

  /// Adds up the values.
  package static func adding(to sum: Sum) -> @Sendable (Int) -> Void { hidden { sum.add($0) } }

  // Not generic: closures would be wrapped in reabstraction thunks for generic code.

  @inline(never) @_optimize(none)
  private static func hidden(_ closure: @escaping @Sendable (Int) -> Int) -> @Sendable (Int) -> Int { closure }

  @inline(never) @_optimize(none)
  private static func hidden(_ closure: @escaping @Sendable (Int) -> Bool) -> @Sendable (Int) -> Bool { closure }

  @inline(never) @_optimize(none)
  private static func hidden(_ closure: @escaping @Sendable (Int) -> Void) -> @Sendable (Int) -> Void { closure }
}
