public import Streams

/// A strategy for handling a value that arrives when an operator doesn't have room for more waiting values.
///
///     lines.buffer(bounded: 64, whenFull: .wait)
///
/// Unlike `Publishers.BufferingStrategy`, this type can also make upstream wait or end the stream without an error.
public enum OverflowStrategy<Failure: Error>: Sendable {
  /// Drops the new value.
  case dropNewest

  /// Drops the value that has been waiting longest, and keeps the new one.
  case dropOldest

  /// Cancels upstream, delivers the waiting values, then fails with an error.
  case fail(Failure)

  /// Requests no more values than there's room for, regardless of what downstream requests, so upstream waits.
  ///
  /// Use it with publishers that wait for demand. Others, such as subjects, drop values that weren't requested.
  case wait

  /// Cancels upstream, drops the waiting values, and finishes.
  case cancel
}

extension OverflowStrategy {
  /// Stops the program with a message if the strategy is `wait` and the size is below one.
  @inlinable
  func requireRoom(_ size: Int, in function: @autoclosure () -> String) {
    if case .wait = self {
      require(size > 0, or: "\(function()) with .wait requires a size of at least 1, got \(size).")
    }
  }
}

extension Bound {
  @inlinable
  convenience init<Failure>(_ size: Int, _ strategy: OverflowStrategy<Failure>, in operatorName: String) {
    switch strategy {
    case .dropNewest: self.init(size, Overflow.dropNewest, in: operatorName)
    case .dropOldest: self.init(size, Overflow.dropOldest, in: operatorName)
    case .fail(let error): self.init(size, Overflow.fail, { error }, in: operatorName)
    case .wait: self.init(size, Overflow.wait, in: operatorName)
    case .cancel: self.init(size, Overflow.cancel, in: operatorName)
    }
  }
}
