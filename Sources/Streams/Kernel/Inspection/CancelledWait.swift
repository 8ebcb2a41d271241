internal import Synchronization

/// A task's wait for a stream, recorded when code cancels the task because the task can never continue.
///
/// Tasks that wait for a stream aren't listed, because that would add a cost to every wait. But cancelling a task reaches
/// everything that the task and its child tasks wait for. To report what a cancelled task waited for, code collects the waits
/// without ending them, reads their streams, and then ends them. The streams can't be read earlier, because the runtime cancels
/// a task under a lock.
package struct CancelledWait {
  /// The waiting part of the stream, or an object that knows this part.
  package let part: AnyObject

  /// A closure that ends the wait, because its task has been cancelled.
  package let end: () -> Void

  // The lock protects the lists. Lists exist only while a thread is collecting waits.
  private nonisolated(unsafe) static let lists = Locked<[UInt: [CancelledWait]]>([:])
  private static let collectorCount = Atomic<Int>(0)

  /// Calls a closure that cancels a task, and returns the waits that the cancellation would end. The caller has to end them.
  ///
  /// - Parameter cancel: A closure that cancels a task.
  /// - Returns: The waits of the task and of its child tasks, in the order of their cancellation.
  package static func collected(from cancel: () -> Void) -> [CancelledWait] {
    let thread = ThreadState.identity
    collectorCount.add(1, ordering: .relaxed)
    let outer = lists.withLock { $0.updateValue([], forKey: thread) }
    cancel()
    let waits = lists.withLock { lists in
      let waits = lists[thread] ?? []
      lists[thread] = outer
      return waits
    }
    collectorCount.subtract(1, ordering: .relaxed)
    return waits
  }

  /// Indicates whether any thread is collecting waits.
  package static var isAnyCollected: Bool { collectorCount.load(ordering: .relaxed) != 0 }

  /// Defers the end of a wait if the calling thread is collecting waits.
  ///
  /// - Parameters:
  ///   - part: The waiting part.
  ///   - end: A closure that ends the wait. It's called later if the result is `true`.
  /// - Returns: `true` if the wait must not end yet.
  package static func putsOffEnd(of part: AnyObject, _ end: @escaping () -> Void) -> Bool {
    let thread = ThreadState.identity
    return lists.withLock { lists in
      if lists[thread] == nil { return false }
      lists[thread]?.append(CancelledWait(part: part, end: end))
      return true
    }
  }
}
