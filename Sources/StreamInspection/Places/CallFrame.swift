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
  /// - Parameter callers: Return addresses, innermost first, of functions that are still loaded.
  /// - Returns: The functions that are known; none on platforms, or with compilers, where none can be looked up.
  static func frames(of callers: [UInt]) -> [CallFrame] {
    #if os(Linux) && canImport(Runtime) && compiler(>=6.3) && compiler(<6.4) && (arch(x86_64) || arch(arm64))
      let backtrace = Backtrace(
        architecture: HostContext.withCurrentContext { $0.architecture },
        frames: callers.map { RichFrame<UInt>.returnAddress($0) }, images: nil)
      return (backtrace.symbolicated()?.frames ?? []).compactMap { frame in
        frame.symbol.map { symbol in
          CallFrame(
            symbol: symbol.rawName, name: symbol.name, path: symbol.sourceLocation?.path,
            line: symbol.sourceLocation?.line ?? 0)
        }
      }
    #else
      return []
    #endif
  }
}
