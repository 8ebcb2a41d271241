/// The contexts of the signals that wait in a broadcast, and of the values that it keeps. Protected by the broadcast's
/// lock.
@usableFromInline
final class BroadcastContexts {
  // Exclusive: accessed only under the broadcast's lock, which is never held while unknown code runs.
  /// The contexts of the newest signals that wait: those that were queued since there are contexts.
  @exclusivity(unchecked) private var queue = Ring<ContextSnapshot?>()

  /// The contexts of the newest values that are kept, as far as they are known.
  @exclusivity(unchecked) private var kept = Ring<ContextSnapshot?>()

  /// Records the context of a signal that waits.
  @usableFromInline
  func enqueue(_ context: ContextSnapshot?) { queue.append(context) }

  /// Records the context of a value that is kept as one of a number of values. Returns the context that is displaced.
  @usableFromInline
  func keep(_ context: ContextSnapshot?, of count: Int) -> ContextSnapshot? {
    kept.append(context)
    return kept.count > count ? kept.popFirst() ?? nil : nil
  }

  /// Removes and returns the context of a signal behind which the given number of signals wait.
  @usableFromInline
  func dequeue(remaining: Int) -> ContextSnapshot? { queue.count > remaining ? queue.popFirst() ?? nil : nil }

  /// The context of the kept value that the given number of newer ones follow.
  @usableFromInline
  func context(ofKept newer: Int) -> ContextSnapshot? {
    newer < kept.count ? kept[kept.count &- 1 &- newer] : nil
  }
}
