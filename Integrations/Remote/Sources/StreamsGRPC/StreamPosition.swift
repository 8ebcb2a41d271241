public import StreamAlgorithms
internal import Synchronization

/// How far a client has come in a resumable stream. It outlives connections.
///
/// To continue after a restart of your process, store the index and the source together with what you've done with the values:
///
/// ```swift
/// let position = StreamPosition(after: store.lastIndex, of: store.source)
/// ```
///
/// A position belongs to one subscription at a time.
public final class StreamPosition: AcknowledgementTarget, Sendable {
  private let state: Mutex<State>

  private struct State {
    var received: UInt64
    var acknowledged: UInt64
    var source: String?
    /// The connection, to which acknowledgements go.
    var outbox: Outbox?
  }

  /// Creates a position.
  ///
  /// - Parameters:
  ///   - index: The index of the last value that has been handled, or 0 to begin with the first one.
  ///   - source: The identity of the source to which the index belongs, or `nil` if it needn't be checked.
  public init(after index: UInt64 = 0, of source: String? = nil) {
    state = Mutex(State(received: index, acknowledged: index, source: source))
  }

  /// The index of the last value that was delivered.
  public var received: UInt64 { state.withLock { $0.received } }

  /// The index up to which values are acknowledged.
  public var acknowledged: UInt64 { state.withLock { $0.acknowledged } }

  /// The identity of the source to which the indexes belong, as soon as it's known.
  public var source: String? { state.withLock { $0.source } }

  /// Lets the server forget the values up to an index.
  ///
  /// An index that isn't higher than the one before changes nothing. Acknowledgements are sent in batches.
  ///
  /// - Parameter index: The index.
  public func acknowledge(_ index: UInt64) {
    let outbox = state.withLock { state in
      state.acknowledged = max(state.acknowledged, index)
      return state.outbox
    }
    outbox?.acknowledge(index)
  }

  // MARK: The connection

  /// Begins a connection, and returns where it continues.
  func beginConnection() -> (Outbox, received: UInt64, source: String) {
    state.withLock { state in
      let outbox = Outbox(after: state.received, acknowledged: state.acknowledged)
      state.outbox = outbox
      return (outbox, state.received, state.source ?? "")
    }
  }

  func open(_ source: String) { state.withLock { $0.source = source } }

  func receive(_ index: UInt64) { state.withLock { $0.received = index } }
}
