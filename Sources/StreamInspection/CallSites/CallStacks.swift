// The three functions of the target CallStacks, declared by their symbols. It is linked but not imported, because it imports
// Runtime: a program that imports a module loads what that one imports, and Runtime's operators for addresses and
// registers would be more candidates for each `+` and `<` of the program.

/// Writes the return addresses of the calls that the thread is executing, innermost first.
///
/// - Returns: The number of addresses, or 0 if this platform or compiler can't walk the stack.
@_silgen_name("streams_callStacks_returnAddresses")
func returnAddresses(into addresses: UnsafeMutableBufferPointer<UInt>) -> Int

/// Returns the functions at a return address, innermost first, or none if this platform or compiler can't look them up.
@_silgen_name("streams_callStacks_functions")
func functions(
  at address: UInt
) -> [(symbol: String, name: String, path: String?, line: Int)]

/// Returns the name in the program's symbols of the function at a return address, much faster than all that is known of it.
@_silgen_name("streams_callStacks_symbol")
func symbol(at address: UInt) -> String?
