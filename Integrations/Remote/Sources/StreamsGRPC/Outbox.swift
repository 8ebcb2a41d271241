internal import Streams
internal import Synchronization

/// Collects demand and acknowledgements until the connection takes them.
final class Outbox: Sendable {
  private let state: Mutex<State>

  private struct State: AwaitedState {
    var demand: UInt64 = 0
    var acknowledged: UInt64
    var sentAcknowledged: UInt64
    /// The number of acknowledged values that are worth a frame without demand, and their size.
    var batch: UInt64 = 64
    var batchBytes = Int.max
    /// The index of the last value that an earlier connection has received.
    let start: UInt64
    /// The sizes of the values that this connection has received and that aren't acknowledged.
    var sizes: ArraySlice<Int> = []
    /// The size of the acknowledged values that the server doesn't know of.
    var unsentBytes = 0
    var isUrgent = false
    var isOver = false
    var waiter: UnsafeContinuation<Void, Never>?

    var isWorthSending: Bool {
      demand > 0 || isUrgent || acknowledged >= sentAcknowledged + batch || unsentBytes >= batchBytes
    }
  }

  /// Creates an outbox for a connection.
  ///
  /// - Parameters:
  ///   - index: The index of the last value that was received before.
  ///   - acknowledged: The index up to which values are acknowledged. The server may not know that.
  init(after index: UInt64, acknowledged: UInt64) {
    state = Mutex(State(acknowledged: acknowledged, sentAcknowledged: acknowledged, start: index))
  }

  func request(_ demand: Subscribers.Demand) {
    change { state in
      let (sum, overflow) = state.demand.addingReportingOverflow(demand.max.map { UInt64($0) } ?? .max)
      state.demand = overflow ? .max : sum
    }
  }

  /// Takes the limits at which the server waits for acknowledgements.
  func open(window: UInt64, bytes: UInt64) {
    change { state in
      // A batch is a fraction of the window, so that the rest of it lets the server go on.
      state.batch = max(1, min(64, window / 4))
      state.batchBytes = Int(clamping: max(1, bytes / 4))
    }
  }

  /// Takes the size of a value, before it's delivered.
  func receive(bytes: Int) { state.withLock { $0.sizes.append(bytes) } }

  func acknowledge(_ index: UInt64) {
    change { state in
      guard index > state.acknowledged else { return }
      // The sizes of an earlier connection's values aren't known. The server's window may be full of them.
      if state.acknowledged < state.start { state.isUrgent = true }
      let known = max(state.acknowledged, state.start)
      state.acknowledged = index
      for _ in known..<max(known, index) { state.unsentBytes += state.sizes.popFirst() ?? 0 }
    }
  }

  func end() { change { $0.isOver = true } }

  private func change(_ body: (inout State) -> Void) {
    let waiter = state.withLock { state in
      body(&state)
      return state.isOver || state.isWorthSending ? state.waiter.take() : nil
    }
    waiter?.resume()
  }

  /// Waits until there's something to send.
  ///
  /// - Returns: A request, or `nil` when the connection is over.
  func next() async -> SubscriberFrame.Request? {
    while !Task.isCancelled {
      let (request, isOver) = state.withLock { state -> (SubscriberFrame.Request?, Bool) in
        guard !state.isOver, state.isWorthSending else { return (nil, state.isOver) }
        var request = SubscriberFrame.Request()
        (request.count, request.acknowledged) = (state.demand, state.acknowledged)
        (state.demand, state.sentAcknowledged) = (0, state.acknowledged)
        (state.unsentBytes, state.isUrgent) = (0, false)
        return (request, false)
      }
      if isOver { return nil }
      if let request { return request }
      await state.wait { !$0.isOver && !$0.isWorthSending }
    }
    return nil
  }
}
