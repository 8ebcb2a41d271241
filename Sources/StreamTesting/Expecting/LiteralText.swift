/// A conversion of values to Swift literals.
///
/// A value has a literal if it's a string, number, or Boolean, a collection of such values, or an enumeration case
/// whose associated values are such values. The initializers of other types can't be derived from their values.
enum LiteralText {
  /// Returns a literal for a value, to use where the value's type is known, or `nil` if there's no such literal.
  static func of(_ value: Any) -> String? { text(value, depth: 0) }

  // The literal of a value that refers to itself would never end.
  private static let deepest = 12

  private static func text(_ value: Any, depth: Int) -> String? {
    guard depth < deepest else { return nil }
    // A cast also finds the content of a type eraser, so the types are compared.
    let type = ObjectIdentifier(type(of: value))
    if simple.contains(type) { return "\(value)" }
    if strings.contains(type) { return string("\(value)") }
    if type == ObjectIdentifier(Double.self) || type == ObjectIdentifier(Float.self) {
      let isFinite = (value as? Double)?.isFinite ?? (value as? Float)?.isFinite ?? false
      return isFinite ? "\(value)" : nil
    }
    return compound(value, depth: depth)
  }

  private static let strings: Set<ObjectIdentifier> = [
    ObjectIdentifier(String.self), ObjectIdentifier(Substring.self), ObjectIdentifier(Character.self),
  ]

  private static let simple: Set<ObjectIdentifier> = [
    ObjectIdentifier(Bool.self), ObjectIdentifier(Int.self), ObjectIdentifier(Int8.self), ObjectIdentifier(Int16.self),
    ObjectIdentifier(Int32.self),
    ObjectIdentifier(Int64.self), ObjectIdentifier(UInt.self), ObjectIdentifier(UInt8.self),
    ObjectIdentifier(UInt16.self), ObjectIdentifier(UInt32.self), ObjectIdentifier(UInt64.self),
  ]

  private static func compound(_ value: Any, depth: Int) -> String? {
    // A custom mirror doesn't necessarily show the actual parts of a value.
    let showsItself = value is any CustomReflectable
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .optional: return mirror.children.first.map { text($0.value, depth: depth + 1) } ?? "nil"
    case .collection, .set:
      guard value is any StandardCollection else { return nil }
      let elements = mirror.children.compactMap { text($0.value, depth: depth + 1) }
      guard elements.count == mirror.children.count else { return nil }
      return "[\((mirror.displayStyle == .set ? elements.sorted() : elements).joined(separator: ", "))]"
    case .dictionary:
      guard value is any StandardCollection else { return nil }
      let entries = mirror.children.compactMap { entry($0.value, depth: depth) }.sorted()
      guard entries.count == mirror.children.count else { return nil }
      return entries.isEmpty ? "[:]" : "[\(entries.joined(separator: ", "))]"
    case .enum where !showsItself: return enumerationCase(value, mirror, depth: depth)
    default: return nil
    }
  }

  private static func entry(_ pair: Any, depth: Int) -> String? {
    let parts = Array(Mirror(reflecting: pair).children)
    guard parts.count == 2, let key = text(parts[0].value, depth: depth + 1),
      let value = text(parts[1].value, depth: depth + 1)
    else { return nil }
    return "\(key): \(value)"
  }

  private static func enumerationCase(_ value: Any, _ mirror: Mirror, depth: Int) -> String? {
    guard let child = mirror.children.first else {
      // Only the standard library's own text is sure to be the name of the case.
      if value is any CustomStringConvertible || value is any TextOutputStreamable { return nil }
      return member("\(value)")
    }
    guard let name = child.label.flatMap(member) else { return nil }
    let payload = Mirror(reflecting: child.value)
    guard payload.displayStyle == .tuple else { return text(child.value, depth: depth + 1).map { "\(name)(\($0))" } }
    let parts = payload.children.compactMap { part -> String? in
      guard let text = text(part.value, depth: depth + 1) else { return nil }
      return part.label.flatMap { $0.hasPrefix(".") ? nil : "\($0): \(text)" } ?? text
    }
    return parts.count == payload.children.count ? "\(name)(\(parts.joined(separator: ", ")))" : nil
  }

  private static func member(_ name: String) -> String? {
    let isName = name.first.map { $0.isLetter || $0 == "_" } ?? false
    let isPlain = isName && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    return isPlain && !["init", "self", "Type", "Protocol"].contains(name) ? ".\(name)" : nil
  }

  static func string(_ text: String) -> String { "\"\(escaped(text))\"" }

  /// Returns a text, escaped for a string literal.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where isInvisible(scalar): result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    // A joiner belongs to the emoji that it joins.
    case .format: scalar.value != 0x200D
    case .control, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: true
    case .spaceSeparator: scalar != " "
    default: false
    }
  }
}

/// The collections whose literals are known to create the same value.
private protocol StandardCollection {}
extension Array: StandardCollection {}
extension Set: StandardCollection {}
extension Dictionary: StandardCollection {}
