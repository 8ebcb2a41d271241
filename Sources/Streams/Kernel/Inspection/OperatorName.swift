/// The name by which a program called an operator, where the type of its publisher serves several.
///
/// A pointer to a static string: it takes one word, and copying it costs nothing.
@usableFromInline @frozen
package struct OperatorName: @unchecked Sendable {
  // Sendable because the memory of a static string never changes and is never released.
  @usableFromInline let start: UnsafePointer<UInt8>

  @inlinable
  package init(_ name: StaticString) { start = name.utf8Start }

  @usableFromInline
  package var text: String { String(cString: start) }
}
