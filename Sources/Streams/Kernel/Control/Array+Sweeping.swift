extension Array {
  /// Appends an element. If the array would have to grow, first removes the elements that are over. Returns the removed
  /// elements, so the caller can release them without a lock.
  ///
  /// - Complexity: Amortized O(1).
  mutating func append(_ element: Element, sweeping isOver: (Element) -> Bool) -> [Element] {
    var removed: [Element] = []
    if count == capacity {
      let all = self
      self = []
      for element in all {
        if isOver(element) { removed.append(element) } else { append(element) }
      }
      reserveCapacity(Swift.max(2, count * 2))
    }
    append(element)
    return removed
  }
}
