internal import Streams

/// A function in whose code an address is: the function of the address, or one that is inlined there.
package struct CallFrame: Sendable {
  /// The name in the program's symbols: `$s5MyApp11SearchModelC5startyyF`.
  package let symbol: String

  /// The name for people: `closure #1 in SearchModel.start()`.
  package let name: String

  /// The path of the file; `nil` if there are no debugging symbols.
  package let path: String?

  /// The line; 0 for code that the compiler has made.
  package let line: Int

  package init(symbol: String, name: String, path: String?, line: Int) {
    self.symbol = symbol
    self.name = name
    self.path = path
    self.line = line
  }
}

extension CallFrame {
  /// Looks addresses up in the debugging information, or else in the symbols, of the program and its libraries.
  ///
  /// Each is looked up when its functions are asked for, since most callers need only the first ones.
  ///
  /// - Parameter callers: Return addresses, innermost first, of functions that are still loaded.
  /// - Returns: The functions that are known; none on platforms, or with compilers, where none can be looked up.
  static func frames(of callers: [UInt]) -> some Sequence<CallFrame> { callers.lazy.flatMap(functions) }

  // `Locked` is not marked as sendable: its lock protects the state.
  /// The functions of the addresses that have been looked up. Most are in several stacks.
  private nonisolated(unsafe) static let known = Locked<[UInt: [CallFrame]]>([:])
  private static let maxKnown = 1 << 15

  private static func functions(of caller: UInt) -> [CallFrame] {
    if let known = known.withLock({ $0[caller] }) { return known }
    let new = StreamInspection.functions(at: caller).map {
      CallFrame(symbol: $0.symbol, name: $0.name, path: $0.path, line: $0.line)
    }
    known.withLock { known in
      if known.count >= maxKnown { known = [:] }
      known[caller] = new
    }
    return new
  }
}
