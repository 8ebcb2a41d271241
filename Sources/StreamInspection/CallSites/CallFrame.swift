internal import Streams

/// A function whose code contains an address: the compiled function, or one that's inlined there.
package struct CallFrame: Sendable {
  /// The name in the program's symbols: `$s5MyApp11SearchModelC5startyyF`.
  package let symbol: String

  /// The human-readable name: `closure #1 in SearchModel.start()`.
  package let name: String

  /// The path of the file, or `nil` without debugging symbols.
  package let path: String?

  /// The line, or 0 for the compiler's own code.
  package let line: Int

  package init(symbol: String, name: String, path: String?, line: Int) {
    self.symbol = symbol
    self.name = name
    self.path = path
    self.line = line
  }
}

extension CallFrame {
  /// Looks up addresses in the debugging information of the program and its libraries, or else in their symbols.
  ///
  /// Each address is looked up only when its functions are read, because most readers need only the first functions.
  ///
  /// - Parameter callers: Return addresses, innermost first, of functions that are still loaded.
  /// - Returns: The known functions, or none if this platform or compiler can't look them up.
  static func frames(of callers: [UInt]) -> some Sequence<CallFrame> { callers.lazy.flatMap(functions) }

  // `Locked` isn't marked as sendable: its lock protects the state.
  /// The functions of the addresses that have been looked up.
  private nonisolated(unsafe) static let known = Locked<[UInt: [CallFrame]]>([:])
  private static let maxKnown = 1 << 15

  /// Returns the line of the code just before a call, which evaluates the call's arguments, unless that code doesn't have a line
  /// either.
  ///
  /// The compiler gives line 0, or no file, to the call to `makeAsyncIterator()` in `for await`.
  private static func line(before caller: UInt, in symbol: String) -> (path: String, line: Int)? {
    for distance in stride(from: UInt(4), through: 96, by: 4) {
      guard let other = StreamInspection.functions(at: caller - distance).last, other.symbol == symbol else { break }
      if other.line > 0, let path = other.path, path.hasSuffix(".swift") { return (path, other.line) }
    }
    return nil
  }

  private static func functions(of caller: UInt) -> [CallFrame] {
    if let known = known.withLock({ $0[caller] }) { return known }
    let new = ownFunction(of: caller).map { [$0] } ?? allFunctions(of: caller)
    known.withLock { known in
      if known.count >= maxKnown { known = [:] }
      known[caller] = new
    }
    return new
  }

  /// Returns the function at an address, if the function belongs to the package. Most functions do, and their lines
  /// don't matter.
  private static func ownFunction(of caller: UInt) -> CallFrame? {
    guard let symbol = StreamInspection.symbol(at: caller), CodeLine.isOwn(symbol) else { return nil }
    return CallFrame(symbol: symbol, name: symbol, path: nil, line: 0)
  }

  private static func allFunctions(of caller: UInt) -> [CallFrame] {
    StreamInspection.functions(at: caller).map { function in
      // Only asynchronous functions, whose mangled names contain these letters, have such loops.
      let isLoop = function.line == 0 && function.path != nil && function.symbol.contains("Ya")
      let before = isLoop ? line(before: caller, in: function.symbol) : nil
      return CallFrame(
        symbol: function.symbol, name: function.name, path: before?.path ?? function.path,
        line: before?.line ?? function.line)
    }
  }
}
