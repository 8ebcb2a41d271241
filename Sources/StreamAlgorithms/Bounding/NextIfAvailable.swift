public import Streams

extension AsyncPublisher.Iterator {
  /// Returns the next value if it's available without waiting.
  ///
  /// Use it to batch the values that arrived while you were busy, such as rows that one statement can insert:
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
  /// Without a bound, `values` doesn't buffer anything. This method then requests a value, unless one has been requested, and
  /// returns the value if upstream sends it immediately.
  ///
  /// - Returns: The next value, or `nil` if none has arrived yet, the stream has ended, or the task has been cancelled. To wait
  ///   for a value or receive the failure, call `next`.
  @inlinable @inline(__always) @_disfavoredOverload
  public mutating func nextIfAvailable() -> P.Output? { takeAvailable() }
}
