/// The maximum number of elements that may wait, and the strategy for further elements.
@usableFromInline @_fixed_layout
package final class Bound {
  @usableFromInline package let size: Int
  @usableFromInline package let overflow: Overflow
  /// The name of the operator with its parameters, as a program calls it.
  @usableFromInline package let operatorName: String
  /// A closure that creates the error with which the stream ends if it fails for lack of room.
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

  /// The demand to request from the only source, regardless of downstream's demand.
  @inlinable
  package var demand: Subscribers.Demand { overflow == .wait ? .max(size) : .unlimited }

  /// Creates a bound without a limit, for an operator that ends the stream for a reason other than lack of room.
  @inlinable
  package init<Failure: Error>(in operatorName: String, makeError: (() -> Failure)?) {
    size = .max
    self.operatorName = operatorName
    overflow = .fail
    self.makeError = makeError.map { makeError in { makeError() } }
  }
}

/// The strategy for handling an element that arrives when the maximum number of elements is already waiting.
@usableFromInline
package enum Overflow: Sendable {
  /// Drops the new element.
  case dropNewest
  /// Drops the oldest element that isn't promised, and keeps the new one.
  case dropOldest
  /// Ends the stream with an error, after the waiting elements.
  case fail
  /// Finishes the stream, and drops the waiting elements that haven't been requested.
  case cancel
  /// Requests only as many elements as fit, so no more arrive.
  case wait
}

extension Engine {
  /// Applies the bound to a new element. Returns the room for it.
  ///
  /// Promised elements don't take room, and aren't dropped. They're at the front of the queue.
  package final func makesRoom(_ reaction: inout Reaction, promised: Int = 0) -> Room {
    guard let bound, reaction.waiting &- promised >= bound.size else { return .free }
    switch bound.overflow {
    case .dropNewest: return .full
    // If no elements may wait, the new one itself is the oldest.
    case .dropOldest: return bound.size == 0 ? .full : .freed(promised)
    case .fail:
      reaction.finishMakingError()
      cancelSources(&reaction)
      return .full
    case .cancel:
      reaction.endEarly(with: .finished)
      cancelSources(&reaction)
      return .full
    // The element is kept, even though it wasn't requested.
    case .wait: return .free
    }
  }

  /// The room for a new element.
  package enum Room {
    /// There's no room.
    case full
    /// There's room.
    case free
    /// The new element takes the room of the element at an offset.
    case freed(Int)
  }
}
