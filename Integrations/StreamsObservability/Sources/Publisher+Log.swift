public import Logging
public import Streams

extension Publisher {
  /// Logs the subscription, the completion and the cancellation of a stream, and its values if you want that.
  ///
  /// ```swift
  /// orders.log(to: logger, "orders")                          // without its values
  /// orders.log(to: logger, level: .trace, "orders") { "order \($0.number)" }
  /// ```
  ///
  /// Each line has the metadata `stream`, which is the name you pass. A line about a value also has the metadata `value`, which
  /// is the text that your closure returns. Choose a text that's allowed in a log. If the logger's level is higher than
  /// `level`, the closure isn't called. A line about a failure has the metadata `error`.
  ///
  /// A line is written before the value or the completion is delivered, on the same thread. The logger's metadata provider
  /// therefore sees the context in which the value is handled. For the context in which it was sent, call
  /// ``StreamAlgorithms/StreamContext/carryServiceContext()`` once. Values, demand, completion and cancellation pass through
  /// unchanged.
  ///
  /// - Parameters:
  ///   - logger: The logger to write to.
  ///   - level: The level of all lines.
  ///   - name: The name of the stream.
  ///   - describe: A closure that returns a text for a value. If you leave it out, values aren't logged.
  /// - Returns: A publisher that publishes the same values.
  public func log(
    to logger: Logger, level: Logger.Level = .debug, _ name: String, describe: ((Output) -> String)? = nil
  ) -> Publishers.HandleEvents<Self> {
    handleEvents(
      receiveSubscription: { _ in
        logger.log(level: level, "A stream was subscribed.", metadata: ["stream": "\(name)"])
      },
      receiveOutput: describe.map { describe in
        { value in
          logger.log(
            level: level, "A stream received a value.", metadata: ["stream": "\(name)", "value": "\(describe(value))"])
        }
      },
      receiveCompletion: { completion in
        switch completion {
        case .finished: logger.log(level: level, "A stream finished.", metadata: ["stream": "\(name)"])
        case .failure(let error):
          logger.log(level: level, "A stream failed.", metadata: ["stream": "\(name)", "error": "\(error)"])
        }
      },
      receiveCancel: { logger.log(level: level, "A stream was cancelled.", metadata: ["stream": "\(name)"]) })
  }
}
