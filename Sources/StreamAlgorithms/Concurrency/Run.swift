public import Streams

extension Publisher {
  /// Calls an asynchronous closure with each value, one after the other, and returns when the stream ends.
  ///
  /// ```swift
  /// try await messages.buffer(size: 64, prefetch: .keepFull, whenFull: .dropOldest).run { message in
  ///   try await socket.write(message)
  /// }
  /// ```
  ///
  /// If you cancel the calling task, the stream is cancelled too, and this method returns as if the stream had finished. The
  /// method requests a value immediately, and another each time the closure has returned. So a slow closure slows down a
  /// publisher that waits for demand. A publisher that doesn't wait, such as a ``/Streams/PassthroughSubject``, drops the
  /// values that it sends while the closure runs, unless you keep them with `buffer`. The closure runs on the caller's actor
  /// and with the calling task's task-local values.
  ///
  /// This method works like a loop over ``/Streams/Publisher/values``, but also declares its error type. If the publisher and
  /// the closure have the same error type, it's that type. If the publisher can't fail, it's the closure's error type.
  /// Otherwise, it's `any Error`.
  ///
  /// - Parameters:
  ///   - isolation: The actor on which the closure runs. Defaults to the caller's.
  ///   - body: The closure to call with each value. If it throws an error, the stream is cancelled.
  /// - Throws: The publisher's failure or the error that the closure throws.
  @_alwaysEmitIntoClient
  public func run(
    isolation: isolated (any Actor)? = #isolation,
    _ body: nonisolated(nonsending) (Output) async throws(Failure) -> Void
  ) async throws(Failure) {
    var iterator = values.makeAsyncIterator()
    while let value = try await iterator.next(isolation: isolation) { try await body(value) }
  }

  /// Calls an asynchronous closure, which can throw any error, with each value, like ``run(isolation:_:)-98efn``.
  @_alwaysEmitIntoClient @_disfavoredOverload
  public func run(
    isolation: isolated (any Actor)? = #isolation, _ body: nonisolated(nonsending) (Output) async throws -> Void
  ) async throws {
    var iterator = values.makeAsyncIterator()
    while let value = try await iterator.next(isolation: isolation) { try await body(value) }
  }
}

extension Publisher where Failure == Never {
  /// Calls an asynchronous closure with each value of a publisher that can't fail, like ``run(isolation:_:)-98efn``, and throws
  /// only errors of the closure's type.
  @_alwaysEmitIntoClient
  public func run<BodyFailure: Error>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: nonisolated(nonsending) (Output) async throws(BodyFailure) -> Void
  ) async throws(BodyFailure) {
    var iterator = values.makeAsyncIterator()
    while let value = await iterator.next(isolation: isolation) { try await body(value) }
  }
}
