internal import GRPCCore

extension RPCError {
  /// Creates the error of a call from any error.
  ///
  /// - Parameter error: The error. If it's neither an `RPCError` nor an `RPCErrorConvertible`, the result has the code `unknown`.
  init(ofCall error: any Error) {
    switch error {
    case let error as RPCError: self = error
    case let error as any RPCErrorConvertible: self.init(error)
    case is CancellationError: self.init(code: .cancelled, message: "The call was cancelled.")
    default: self.init(code: .unknown, message: "\(error)", cause: error)
    }
  }

  /// Creates the error that a client gets of a publisher's failure.
  ///
  /// - Parameter error: The failure. If it's neither an `RPCError` nor an `RPCErrorConvertible`, the result is `unknown` without a
  ///   message, because the text of an error may not be meant for clients.
  init(ofPublisher error: any Error) {
    switch error {
    case let error as RPCError: self = error
    case let error as any RPCErrorConvertible: self.init(error)
    default: self.init(code: .unknown, message: "", cause: error)
    }
  }
}
