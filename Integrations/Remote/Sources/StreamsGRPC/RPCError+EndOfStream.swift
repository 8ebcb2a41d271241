internal import GRPCCore

extension RPCError {
  private static let endKey = "streams-failed"

  /// The error with the mark that the stream itself has failed with it.
  ///
  /// Without the mark, a client would take `unavailable` for a lost connection, and get the same failure after each retry.
  var markedAsEnd: RPCError {
    var error = self
    error.metadata.replaceOrAddString("1", forKey: Self.endKey)
    return error
  }

  /// Indicates whether the connection was lost, so that a new one may continue the stream.
  var isLostConnection: Bool {
    if metadata[Self.endKey].contains(where: { _ in true }) { return false }
    return switch code {
    case .unavailable, .cancelled, .unknown, .deadlineExceeded, .internalError: true
    default: false
    }
  }
}
