internal import Streams

#if os(Linux) && canImport(Runtime) && compiler(>=6.3) && compiler(<6.4) && (arch(x86_64) || arch(arm64))
  @_spi(Contexts) @_spi(Internal) internal import Runtime
#endif

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

  private static func functions(of caller: UInt) -> [CallFrame] {
    #if os(Linux) && canImport(Runtime) && compiler(>=6.3) && compiler(<6.4) && (arch(x86_64) || arch(arm64))
      if let known = known.withLock({ $0[caller] }) { return known }
      let new = lookUp(caller)
      known.withLock { known in
        if known.count >= maxKnown { known = [:] }
        known[caller] = new
      }
      return new
    #else
      return []
    #endif
  }
}

#if os(Linux) && canImport(Runtime) && compiler(>=6.3) && compiler(<6.4) && (arch(x86_64) || arch(arm64))
  extension CallFrame {
    // `Locked` is not marked as sendable: its lock protects the state.
    /// The functions of the addresses that have been looked up. Most are in several stacks.
    private nonisolated(unsafe) static let known = Locked<[UInt: [CallFrame]]>([:])
    private static let maxKnown = 1 << 15

    /// The libraries of the program. To find them again would take most of the time of a look-up.
    private static let images = ImageMap.capture()

    private static func lookUp(_ caller: UInt) -> [CallFrame] {
      let backtrace = Backtrace(
        architecture: HostContext.withCurrentContext { $0.architecture },
        frames: [RichFrame<UInt>.returnAddress(caller)], images: images)
      return (backtrace.symbolicated(with: images)?.frames ?? []).compactMap { frame in
        frame.symbol.map { symbol in
          CallFrame(
            symbol: symbol.rawName, name: symbol.name, path: symbol.sourceLocation?.path,
            line: symbol.sourceLocation?.line ?? 0)
        }
      }
    }
  }
#endif
