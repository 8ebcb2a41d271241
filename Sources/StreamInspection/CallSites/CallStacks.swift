// The three functions of the target CallStacks, declared by their symbols. The target is linked but not imported, because it
// imports Runtime. Importing the target would also load Runtime, whose operators for addresses and registers would be
// additional candidates for each `+` and `<` in the program.

/// Writes the return addresses of the current thread's calls to a buffer, innermost first.
///
/// - Returns: The number of addresses, or 0 if this platform or compiler can't walk the stack.
@_silgen_name("streams_callStacks_returnAddresses")
func returnAddresses(into addresses: UnsafeMutableBufferPointer<UInt>) -> Int

/// Returns the functions at a return address, innermost first, or none if this platform or compiler can't look them up.
@_silgen_name("streams_callStacks_functions")
func functions(
  at address: UInt
) -> [(symbol: String, name: String, path: String?, line: Int)]

/// Returns the symbol of the function at a return address. This is much faster than looking up its name and line.
@_silgen_name("streams_callStacks_symbol")
func symbol(at address: UInt) -> String?
