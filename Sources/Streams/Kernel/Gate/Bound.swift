/// The number of elements that may wait, and what happens to one for which there is no room.
@usableFromInline @_fixed_layout
final class Bound<Failure: Error> {
  @usableFromInline let size: Int
  @usableFromInline let overflow: Overflow
  /// The name of the operator with its parameters, as a program calls it.
  @usableFromInline let operatorName: String
  /// Makes the error with which the stream ends if it fails for lack of room.
  @usableFromInline let makeError: (() -> Failure)?

  @inlinable
  init(_ size: Int, _ strategy: Publishers.BufferingStrategy<Failure>, in operatorName: String) {
    self.size = size
    self.operatorName = operatorName
    overflow = strategy.overflow
    makeError = strategy.error
  }
}

extension Machine {
  /// Applies the bound to a new element. Returns whether to keep the element.
  @inlinable
  mutating func makesRoom(_ reaction: inout Reaction<Output, Failure>) -> Bool {
    guard let bound = reaction.bound, reaction.waiting >= bound.size else { return true }
    switch bound.overflow {
    case .dropNewest: return false
    case .dropOldest:
      reaction.dropOldest()
      return true
    case .fail:
      reaction.finishFull()
      tearDown(&reaction)
      return false
    case .cancel:
      reaction.endEarly(with: .finished)
      tearDown(&reaction)
      return false
    // Keep it, even though it wasn't requested.
    case .wait: return true
    }
  }
}
