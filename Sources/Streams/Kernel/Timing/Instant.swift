/// A scheduler's time, stored without its type. Only the scheduler's ``ClockPlace`` knows what it means.
@usableFromInline @frozen
package struct Instant {
  // A time of at most two words without references is stored directly, any other time in an object.
  @usableFromInline let words: (UInt64, UInt64)
  @usableFromInline let object: AnyObject?

  @inlinable
  package init<Time>(_ time: Time) {
    if Self.isKeptAsItIs(Time.self) {
      var words: (UInt64, UInt64) = (0, 0)
      withUnsafeMutableBytes(of: &words) { $0.storeBytes(of: time, as: Time.self) }
      self.words = words
      object = nil
    } else {
      words = (0, 0)
      object = Constant(time)
    }
  }

  @inlinable @inline(__always)
  static func isKeptAsItIs<Time>(_ type: Time.Type) -> Bool {
    _isPOD(type) && MemoryLayout<Time>.size <= MemoryLayout<(UInt64, UInt64)>.size
  }

  @inlinable
  package func time<Time>(as type: Time.Type) -> Time {
    Self.isKeptAsItIs(type)
      ? withUnsafeBytes(of: words) { $0.loadUnaligned(as: Time.self) }
      : unsafeDowncast(object.unsafelyUnwrapped, to: Constant<Time>.self).value
  }
}
