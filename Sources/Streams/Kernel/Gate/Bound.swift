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

extension Machine where Self: ~Copyable {
  /// Applies the bound to a new element. Returns whether to keep the element.
  ///
  /// Elements that are promised take no room, and are not dropped. They are at the front of the queue.
  @inlinable
  package mutating func makesRoom(_ reaction: inout Reaction<Output, Failure>, promised: Int = 0) -> Bool {
    guard let bound = reaction.bound, reaction.waiting &- promised >= bound.size else { return true }
    switch bound.overflow {
    case .dropNewest: return false
    case .dropOldest:
      // Without room, the element itself is the oldest one.
      if bound.size == 0 { return false }
      reaction.dropOldest(after: promised)
      return true
    case .fail:
      reaction.finishMakingError()
      cancelSources(&reaction)
      return false
    case .cancel:
      reaction.endEarly(with: .finished)
      cancelSources(&reaction)
      return false
    // Keep it, even though it wasn't requested.
    case .wait: return true
    }
  }
}
