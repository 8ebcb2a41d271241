extension Engine {
  /// Applies the bound to a new element. Returns what the bound says about it.
  ///
  /// Elements that are promised take no room, and are not dropped. They are at the front of the queue.
  package final func makesRoom(_ reaction: inout Reaction, promised: Int = 0) -> Room {
    guard let bound, reaction.waiting &- promised >= bound.size else { return .free }
    switch bound.overflow {
    case .dropNewest: return .full
    // Without room, the element itself is the oldest one.
    case .dropOldest: return bound.size == 0 ? .full : .freed(promised)
    case .fail:
      reaction.finishMakingError()
      cancelSources(&reaction)
      return .full
    case .cancel:
      reaction.endEarly(with: .finished)
      cancelSources(&reaction)
      return .full
    // Keep it, even though it wasn't requested.
    case .wait: return .free
    }
  }

  /// What a bound says about a new element.
  package enum Room {
    /// There is no room for it.
    case full
    /// There is room.
    case free
    /// It takes the room of the element at an offset.
    case freed(Int)
  }
}
