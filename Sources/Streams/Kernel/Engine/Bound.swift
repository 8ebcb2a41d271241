/// The number of elements that may wait, and what happens to one for which there is no room.
@usableFromInline @_fixed_layout
package final class Bound {
  @usableFromInline package let size: Int
  @usableFromInline package let overflow: Overflow
  /// The name of the operator with its parameters, as a program calls it.
  @usableFromInline package let operatorName: String
  /// Makes the error with which the stream ends if it fails for lack of room.
  @usableFromInline package let makeError: (() -> any Error)?

  @inlinable
  package init(
    _ size: Int, _ overflow: Overflow, _ makeError: (() -> any Error)? = nil, in operatorName: String
  ) {
    self.size = size
    self.operatorName = operatorName
    self.overflow = overflow
    self.makeError = makeError
  }

  /// The demand that is requested from the only source, whatever downstream requests.
  @inlinable
  package var demand: Subscribers.Demand { overflow == .wait ? .max(size) : .unlimited }

  /// Creates a bound that any number of elements fits in, for an operator that ends the stream for another reason.
  @inlinable
  package init<Failure: Error>(in operatorName: String, makeError: (() -> Failure)?) {
    size = .max
    self.operatorName = operatorName
    overflow = .fail
    self.makeError = makeError.map { makeError in { makeError() } }
  }
}
