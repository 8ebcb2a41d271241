#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl  // Not yet compiled.
#endif

package enum SymbolName {
  /// Returns the module in which a function is written. A method of an extension belongs to the extension's module, and
  /// a closure or a specialization to its function's module.
  ///
  /// - Parameter symbol: A mangled name.
  /// - Returns: The name of the module, or `nil` for functions of other languages.
  package static func module(of symbol: String) -> String? {
    guard symbol.hasPrefix("$s"), let name = demangled(symbol) else { return nil }
    var entity = entity(in: name[...])
    if entity.hasPrefix("static ") { entity = entity.dropFirst("static ".count) }
    if entity.hasPrefix("merged ") { entity = entity.dropFirst("merged ".count) }
    let mark = "(extension in "
    if entity.hasPrefix(mark) { return String(entity.dropFirst(mark.count).prefix { $0 != ")" }) }
    return String(entity.prefix { $0 != "." && $0 != " " })
  }

  /// Returns the name of the publisher whose `receive(subscriber:)` a symbol stands for, such as `MergeMany`.
  ///
  /// - Parameter symbol: A mangled name.
  package static func subscribed(_ symbol: String) -> String? {
    // Only methods of structures and classes count, not protocol requirements.
    guard symbol.contains("V7receive10subscriber") || symbol.contains("C7receive10subscriber"),
      let name = demangled(symbol), let end = name.firstRange(of: ".receive<")
    else { return nil }
    let path = name[..<end.lowerBound].split { $0 == "." || $0 == ":" || $0 == " " }
    guard let type = path.last else { return nil }
    return type == "Publisher" ? path.suffix(2).joined(separator: ".") : String(type)
  }

  /// Returns the name of a function without the compiler's additions: `SearchModel.start()` for
  /// `specialized closure #1 in SearchModel.start()`.
  ///
  /// - Parameter name: A human-readable name, without modules.
  package static func short(_ name: String) -> String {
    var name = name[...]
    if let end = name.firstRange(of: " in conformance ") { name = name[..<end.lowerBound] }
    name = entity(in: name)
    for word in ["specialized ", "merged ", "static "] where name.hasPrefix(word) { name = name.dropFirst(word.count) }
    return String(name)
  }

  /// Returns the text after the last `in`, `of` or `for` outside brackets: the function that contains or generates the code.
  private static func entity(in name: Substring) -> Substring {
    let bytes = name.utf8
    var (depth, start, index) = (0, bytes.startIndex, bytes.startIndex)
    while index < bytes.endIndex {
      switch bytes[index] {
      case UInt8(ascii: "("), UInt8(ascii: "<"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: ")"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ">"):
        // The second half of an arrow isn't a bracket.
        if index > bytes.startIndex, bytes[bytes.index(before: index)] != UInt8(ascii: "-") { depth -= 1 }
      case UInt8(ascii: " "):
        let rest = name[bytes.index(after: index)...]
        for word in ["in ", "of ", "for "] where depth == 0 && rest.hasPrefix(word) {
          start = bytes.index(rest.startIndex, offsetBy: word.utf8.count)
        }
      default: break
      }
      index = bytes.index(after: index)
    }
    return name[start...]
  }

  #if canImport(Glibc) || canImport(Musl)
    private static func demangled(_ symbol: String) -> String? {
      guard let text = swift_demangle(symbol, symbol.utf8.count, nil, nil, 0) else { return nil }
      defer { free(text) }
      return String(cString: text)
    }
  #else
    private static func demangled(_ symbol: String) -> String? { nil }
  #endif
}

#if canImport(Glibc) || canImport(Musl)
  // The runtime's own function, which no module declares. A program that contains the runtime doesn't export the
  // function, so it can't be looked up by name.
  @_silgen_name("swift_demangle")
  private func swift_demangle(
    _ name: UnsafePointer<CChar>, _ length: Int, _ buffer: UnsafeMutablePointer<CChar>?,
    _ size: UnsafeMutablePointer<Int>?, _ flags: UInt32
  ) -> UnsafeMutablePointer<CChar>?
#endif
