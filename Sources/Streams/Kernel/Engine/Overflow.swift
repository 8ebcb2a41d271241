/// What an operator does with an element that arrives when as many wait as its bound permits.
@usableFromInline
package enum Overflow: Sendable {
  /// Drops the new element.
  case dropNewest
  /// Drops the oldest element that is not promised, and keeps the new one.
  case dropOldest
  /// Ends the stream with an error, after the elements that wait.
  case fail
  /// Finishes the stream, without the elements that wait.
  case cancel
  /// Requests no more elements than there is room for, so that none arrives.
  case wait
}
