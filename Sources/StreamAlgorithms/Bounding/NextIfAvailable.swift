public import Streams

extension AsyncPublisher.Iterator {
  /// Returns the next value if you wouldn't have to wait for it.
  ///
  /// It lets you handle together what has arrived while you were busy, such as rows that one statement can insert:
  ///
  /// ```swift
  /// var waiting = rows.values(bounded: 1_000, whenFull: .wait).makeAsyncIterator()
  /// while let row = await waiting.next() {
  ///   var batch = [row]
  ///   while batch.count < 100, let row = waiting.nextIfAvailable() { batch.append(row) }
  ///   await insert(batch)
  /// }
  /// ```
  ///
  /// If no values are kept, as with `values` without a bound, it requests one, and returns it if upstream sends it immediately.
  ///
  /// - Returns: The next value, or `nil` if none has arrived yet, at the end, or when the task has been cancelled. Call `next`
  ///   to wait, and to get the failure.
  @inlinable @inline(__always) @_disfavoredOverload
  public mutating func nextIfAvailable() -> P.Output? { takeAvailable() }
}
