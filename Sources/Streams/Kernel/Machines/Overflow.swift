/// What a machine does with an element that arrives when as many wait as its bound permits.
@usableFromInline
enum Overflow {
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

extension OldMachine {
  /// Decides about an element for which there is no room. `size` is the number of elements that may wait.
  final func receivedTooMany(_ overflow: Overflow, size: Int, _ effects: inout Effects) -> Reception {
    switch overflow {
    case .dropNewest: return .refused
    // Without room, the element itself is the oldest one.
    case .dropOldest: return size == 0 ? .refused : .replaces
    // Not a failure that overtakes the elements that wait: they come first, as demand permits.
    case .fail: finishCancellingSources(&effects, substitute: true)
    case .cancel: _ = fail(&effects)
    // It was not requested, and is not lost nevertheless.
    case .wait: return .stored
    }
    return .refused
  }
}
