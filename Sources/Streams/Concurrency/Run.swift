extension Publisher {
  /// Calls an asynchronous closure with each value, one value after the other, and returns when the stream ends.
  ///
  /// ```swift
  /// try await messages.buffer(size: 64, prefetch: .keepFull, whenFull: .dropOldest).run { message in
  ///   try await socket.write(message)
  /// }
  /// ```
  ///
  /// The stream is part of the calling task: it is cancelled together with the task, and then this returns as if the stream
  /// had finished. One value is requested at a time, after the closure has returned, so a slow closure slows down a
  /// publisher that waits for demand; one that does not, such as a ``PassthroughSubject``, drops the values that it sends
  /// meanwhile, unless a `buffer` keeps them. The closure runs on the actor of the caller, and under the task-local values of
  /// the task.
  ///
  /// It behaves as a loop over ``values`` does, and states which errors it throws: those of the publisher and of the closure
  /// if they have one type, those of the closure if the publisher cannot fail, and otherwise any.
  ///
  /// - Parameters:
  ///   - isolation: The actor on which the closure runs; the caller's by default.
  ///   - body: The closure. If it throws an error, the stream is cancelled.
  /// - Throws: The failure of the publisher, or the error of the closure.
  /// - Complexity: O(1) for each value.
  @_alwaysEmitIntoClient
  public func run(
    isolation: isolated (any Actor)? = #isolation,
    _ body: nonisolated(nonsending) (Output) async throws(Failure) -> Void
  ) async throws(Failure) {
    var iterator = values.makeAsyncIterator()
    while let value = try await iterator.next(isolation: isolation) { try await body(value) }
  }

  /// Calls an asynchronous closure that may throw any error with each value, one value after the other, and returns when the
  /// stream ends.
  ///
  /// It behaves as the `run` that takes a closure with the publisher's type of failure.
  ///
  /// - Parameters:
  ///   - isolation: The actor on which the closure runs; the caller's by default.
  ///   - body: The closure. If it throws an error, the stream is cancelled.
  /// - Throws: The failure of the publisher, or the error of the closure.
  /// - Complexity: O(1) for each value.
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func run(
    isolation: isolated (any Actor)? = #isolation, _ body: nonisolated(nonsending) (Output) async throws -> Void
  ) async throws {
    var iterator = values.makeAsyncIterator()
    while let value = try await iterator.next(isolation: isolation) { try await body(value) }
  }
}

extension Publisher where Failure == Never {
  /// Calls an asynchronous closure with each value of a publisher that cannot fail, one value after the other, and returns
  /// when the stream ends.
  ///
  /// It behaves as the `run` that takes a closure with the publisher's type of failure.
  ///
  /// - Parameters:
  ///   - isolation: The actor on which the closure runs; the caller's by default.
  ///   - body: The closure. If it throws an error, the stream is cancelled.
  /// - Throws: The error of the closure.
  /// - Complexity: O(1) for each value.
  @_alwaysEmitIntoClient
  public func run<BodyFailure: Error>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: nonisolated(nonsending) (Output) async throws(BodyFailure) -> Void
  ) async throws(BodyFailure) {
    var iterator = values.makeAsyncIterator()
    while let value = await iterator.next(isolation: isolation) { try await body(value) }
  }
}
