internal import Foundation
internal import GRPCCore
internal import Streams
internal import Synchronization

/// What a client subscribes to: a subscription of a source that outlives the client's connections.
///
/// It keeps the values that the client hasn't acknowledged, and the completion. One connection at a time sends them. Connections
/// are numbered: each one takes the session from the one before.
final class ResumableSession: Subscriber, Sendable {
  typealias Input = Data
  typealias Failure = RPCError

  /// The identity of the source, to which the indexes belong.
  let source: String
  private let limits: ResumableStreamLimits
  private let state: Mutex<State>

  private struct State: AwaitedState, @unchecked Sendable {
    // Unchecked: subscriptions may be used on any thread.

    var upstream: (any Subscription)?
    var window: RetainedWindow
    var completion: Subscribers.Completion<RPCError>?
    /// The number of values that are requested from upstream and haven't arrived.
    var outstanding = 0
    /// The size of the largest value so far.
    var largest = 1

    /// The number of the connection that has the session.
    var connection = 0
    var isConnected = false
    /// The index of the value that the connection sends next.
    var next: UInt64
    /// The number of values that the client has requested and hasn't been sent.
    var credit: UInt64 = 0
    /// The connection, while it has nothing to send.
    var waiter: UnsafeContinuation<Void, Never>?
    /// Forgets the session, while there's no connection.
    var expiry: Task<Void, Never>?
    /// Indicates whether the session has expired or has been replaced by another one.
    var isOver = false
  }

  init(source: String, after index: UInt64, limits: ResumableStreamLimits) {
    self.source = source
    self.limits = limits
    state = Mutex(State(window: RetainedWindow(after: index), next: index + 1))
  }

  // MARK: Upstream

  func receive(subscription: any Subscription) {
    let (isOver, count) = state.withLock { state in
      if !state.isOver { state.upstream = subscription }
      return (state.isOver, room(&state))
    }
    if isOver { subscription.cancel() } else if count > 0 { subscription.request(.max(count)) }
  }

  func receive(_ payload: Data) -> Subscribers.Demand {
    let waiter = state.withLock { state -> UnsafeContinuation<Void, Never>? in
      if state.isOver { return nil }
      state.window.append(payload)
      state.outstanding -= 1
      state.largest = max(state.largest, payload.count)
      return state.credit > 0 ? state.waiter.take() : nil
    }
    waiter?.resume()
    return .none
  }

  func receive(completion: Subscribers.Completion<RPCError>) {
    let waiter = state.withLock { state in
      state.completion = completion
      state.upstream = nil
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Returns the number of values to request: as many as there's room for.
  ///
  /// They're requested in batches, because each request passes through the whole stream. If everything has been sent, the client
  /// may wait for more before it acknowledges any, so even one is requested then.
  private func room(_ state: inout State) -> Int {
    guard state.upstream != nil, state.completion == nil, !state.isOver else { return 0 }
    let isIdle = state.outstanding == 0 && state.next > state.window.lastIndex
    var room = limits.window - state.window.count - state.outstanding
    guard room * 2 >= limits.window || isIdle && room > 0 else { return 0 }
    let free = limits.bytes - state.window.bytes - state.outstanding * state.largest
    room = min(room, max(free / state.largest, state.window.count == 0 && state.outstanding == 0 ? 1 : 0))
    guard room > 0 else { return 0 }
    state.outstanding += room
    return room
  }

  // MARK: The connection

  /// Lets a connection take the session, if it has the values after an index.
  ///
  /// - Returns: The number of the connection, or `nil` if values are missing.
  func attach(after index: UInt64, of source: String) -> Int? {
    let (connection, waiter, expiry) = state.withLock {
      state -> (Int?, UnsafeContinuation<Void, Never>?, Task<Void, Never>?) in
      guard !state.isOver, source.isEmpty || source == self.source || index == 0,
        (state.window.firstIndex - 1...state.window.lastIndex).contains(index)
      else { return (nil, nil, nil) }
      state.connection += 1
      state.isConnected = true
      state.next = index + 1
      state.credit = 0
      return (state.connection, state.waiter.take(), state.expiry.take())
    }
    expiry?.cancel()
    waiter?.resume()
    return connection
  }

  /// Takes demand and an acknowledgement.
  func grant(_ count: UInt64, acknowledged: UInt64, to connection: Int) {
    let (upstream, room, waiter) = state.withLock {
      state -> ((any Subscription)?, Int, UnsafeContinuation<Void, Never>?) in
      guard state.connection == connection, !state.isOver else { return (nil, 0, nil) }
      let (credit, overflow) = state.credit.addingReportingOverflow(count)
      state.credit = overflow ? .max : credit
      // The client can't have handled what it hasn't been sent.
      state.window.forget(upTo: min(acknowledged, state.next - 1))
      return (state.upstream, self.room(&state), state.waiter.take())
    }
    waiter?.resume()
    if room > 0 { upstream?.request(.max(room)) }
  }

  private enum Step {
    case send([PublisherFrame])
    case end(Subscribers.Completion<RPCError>)
    case lose
    case wait
  }

  private func step(_ state: inout State, _ connection: Int) -> Step {
    if state.connection != connection || state.isOver { return .lose }
    let available = state.window.lastIndex + 1 - state.next
    if available == 0, let completion = state.completion { return .end(completion) }
    let count = min(available, state.credit, 64)
    return count == 0 ? .wait : .send(Array(state.window.frames(from: state.next, count: Int(count), bytes: 262_144)))
  }

  /// Waits for values that the client has requested.
  ///
  /// - Returns: The values, or `nil` when the stream has finished.
  /// - Throws: The failure of the stream, or an error with the code `aborted` if another connection has taken the session.
  func next(_ connection: Int) async throws -> [PublisherFrame]? {
    while true {
      try Task.checkCancellation()
      let (step, upstream, room) = state.withLock { state -> (Step, (any Subscription)?, Int) in
        let step = self.step(&state, connection)
        guard case .send(let frames) = step else { return (step, nil, 0) }
        state.next += UInt64(frames.count)
        if state.credit != .max { state.credit -= UInt64(frames.count) }
        return (step, state.upstream, self.room(&state))
      }
      if room > 0 { upstream?.request(.max(room)) }
      switch step {
      case .send(let frames): return frames
      case .end(.finished): return nil
      case .end(.failure(let error)): throw error.markedAsEnd
      case .lose: throw RPCError(code: .aborted, message: "Another call has taken the session.")
      case .wait: break
      }
      await state.wait { state in
        if case .wait = self.step(&state, connection) { true } else { false }
      }
    }
  }

  /// Lets the session expire, unless another connection has taken it.
  ///
  /// - Parameter makeExpiry: A closure that starts a task which calls ``expire(_:)`` later.
  func detach(_ connection: Int, _ makeExpiry: () -> Task<Void, Never>) {
    let isLast = state.withLock { state in
      guard state.connection == connection, !state.isOver else { return false }
      state.isConnected = false
      return true
    }
    guard isLast else { return }
    let expiry = makeExpiry()
    let isNeeded = state.withLock { state in
      guard state.connection == connection, !state.isOver else { return false }
      state.expiry = expiry
      return true
    }
    if !isNeeded { expiry.cancel() }
  }

  /// Ends the session, unless a connection has taken it since.
  ///
  /// - Returns: Whether the session has ended now.
  func expire(_ connection: Int) -> Bool {
    end { $0.connection == connection && !$0.isConnected && !$0.isOver }
  }

  /// Ends the session, unless it has a connection.
  ///
  /// - Returns: Whether the session has ended now.
  func endUnlessConnected() -> Bool { end { !$0.isConnected && !$0.isOver } }

  /// Ends the session and cancels its subscription. Its connection ends with `aborted`.
  func end() { _ = end { _ in true } }

  private func end(if condition: (State) -> Bool) -> Bool {
    let ended = state.withLock { state -> State? in
      guard condition(state) else { return nil }
      let ended = state
      state = State(window: RetainedWindow(after: ended.window.lastIndex), next: ended.next)
      state.isOver = true
      return ended
    }
    guard let ended else { return false }
    ended.expiry?.cancel()
    ended.waiter?.resume()
    ended.upstream?.cancel()
    return true
  }

  var report: ResumableSessionReport {
    state.withLock { state in
      ResumableSessionReport(
        isConnected: state.isConnected, lastIndex: state.window.lastIndex, retained: state.window.count,
        retainedBytes: state.window.bytes, requested: state.credit,
        isStalled: state.credit > 0 && state.completion == nil && state.outstanding == 0
          && state.next > state.window.lastIndex && state.window.count > 0)
    }
  }
}
