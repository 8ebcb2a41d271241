/// Closures that the compiler cannot see through, like those that an app keeps and hands on: each captures a number or an
/// object, and nobody who calls it knows what it does.
package enum OpaqueClosures {
  /// Adds a number.
  package static func adding(_ number: Int) -> @Sendable (Int) -> Int { hidden { $0 &+ number } }

  /// Multiplies by a number.
  package static func multiplying(by number: Int) -> @Sendable (Int) -> Int { hidden { $0 &* number } }

  /// Whether the last bit of a number is that of another.
  package static func like(_ number: Int) -> @Sendable (Int) -> Bool { hidden { ($0 ^ number) & 1 == 0 } }

  /// Adds up what arrives.
  package static func adding(to sum: Sum) -> @Sendable (Int) -> Void { hidden { sum.add($0) } }

  // Not generic: closures would go through others, which hand on what generic functions know nothing of.

  @inline(never) @_optimize(none)
  private static func hidden(_ closure: @escaping @Sendable (Int) -> Int) -> @Sendable (Int) -> Int { closure }

  @inline(never) @_optimize(none)
  private static func hidden(_ closure: @escaping @Sendable (Int) -> Bool) -> @Sendable (Int) -> Bool { closure }

  @inline(never) @_optimize(none)
  private static func hidden(_ closure: @escaping @Sendable (Int) -> Void) -> @Sendable (Int) -> Void { closure }
}
