#if os(Linux) && canImport(Runtime) && compiler(>=6.3) && compiler(<6.4) && (arch(x86_64) || arch(arm64))
  @_spi(Contexts) @_spi(Internal) internal import Runtime

  /// The program and its libraries. Finding them again for each lookup would take most of the lookup's time.
  private let images = ImageMap.capture()

  /// Looks up an address in the debugging information of the program and its libraries, or else in their symbols.
  ///
  /// - Parameter address: A return address of a function that is still loaded.
  /// - Returns: The function at the address and the functions inlined there, innermost first, each with its symbol and
  ///   its human-readable name. Without debugging information, the path is `nil` and the line is 0.
  @_silgen_name("streams_callStacks_functions")
  public func functions(
    at address: UInt
  ) -> [(symbol: String, name: String, path: String?, line: Int)] {
    frames(at: address, .default).map { symbol in
      (symbol.rawName, symbol.name, symbol.sourceLocation?.path, symbol.sourceLocation?.line ?? 0)
    }
  }

  /// Looks up an address in the symbols of the program and its libraries. This is much faster than a lookup in the debugging
  /// information.
  ///
  /// - Parameter address: A return address of a function that is still loaded.
  /// - Returns: The symbol of the compiled function at the address, or `nil` if there isn't one.
  @_silgen_name("streams_callStacks_symbol")
  public func symbol(at address: UInt) -> String? { frames(at: address, []).first?.rawName }

  private func frames(at address: UInt, _ options: Backtrace.SymbolicationOptions) -> [SymbolicatedBacktrace.Symbol] {
    let backtrace = Backtrace(
      architecture: HostContext.withCurrentContext { $0.architecture },
      frames: [RichFrame<UInt>.returnAddress(address)], images: images)
    return (backtrace.symbolicated(with: images, options: options)?.frames ?? []).compactMap(\.symbol)
  }
#else
  /// Returns an empty array, because addresses can't be looked up on this platform or with this compiler.
  @_silgen_name("streams_callStacks_functions")
  public func functions(
    at address: UInt
  ) -> [(symbol: String, name: String, path: String?, line: Int)] { [] }

  /// Returns `nil`, because addresses can't be looked up here.
  @_silgen_name("streams_callStacks_symbol")
  public func symbol(at address: UInt) -> String? { nil }
#endif
