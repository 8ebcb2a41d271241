/// The place of a value in the order of a broadcast's values, by which each subscriber receives every value once and in
/// order. The versions of kept values are consecutive, by which ``Branch/enqueueMissed(from:)`` finds them.
@usableFromInline @frozen
struct Version: Comparable {
  @usableFromInline let number: Int

  @inlinable
  init(_ number: Int) { self.number = number }

  /// Lower than that of every value.
  @inlinable static var none: Version { Version(-1) }
  @inlinable static var first: Version { Version(0) }
  /// The version of every value of a broadcast that does not replay: none is older than another.
  @inlinable static var unordered: Version { Version(.max) }
  /// Marks a value to be delivered unconditionally, because the caller holds the delivering role. Higher than that of
  /// every kept value, so that the value also passes a subscription that has just been opened.
  @inlinable static var atOnce: Version { Version(.max - 1) }

  @inlinable
  var next: Version { advanced(by: 1) }

  @inlinable
  func advanced(by count: Int) -> Version { Version(number &+ count) }

  @inlinable @inline(__always)
  static func < (a: Version, b: Version) -> Bool { a.number < b.number }

  // The defaults would call the function above through the protocol in debug builds.

  @inlinable @inline(__always)
  static func > (a: Version, b: Version) -> Bool { a.number > b.number }

  @inlinable @inline(__always)
  static func <= (a: Version, b: Version) -> Bool { a.number <= b.number }
}
