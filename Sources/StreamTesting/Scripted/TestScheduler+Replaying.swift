public import Foundation
public import StreamSchedulers
internal import Streams

extension TestScheduler {
  /// Creates a publisher that sends the events of a recorded stream, regardless of subscribers.
  ///
  /// ```swift
  /// let queries = try scheduler.hot(replaying: file, of: String.self)
  /// let typing = queries.sink { model.query = $0 }
  /// scheduler.run()
  /// ```
  ///
  /// The recording begins now: an event that was recorded 2 s after the subscription happens 2 s from now. Events with
  /// equal times keep the order of the file. `recordTimeline` in `StreamFoundation` writes the file.
  ///
  /// The subscription and a cancellation aren't played: a recording that was cancelled or cut, or whose program
  /// crashed, neither finishes nor fails. If a crash has left the last line incomplete, it's ignored. The file is read
  /// once, in this call.
  ///
  /// - Parameters:
  ///   - file: The URL of the file.
  ///   - output: The type of the recorded values.
  ///   - subscription: The number of the subscription to replay, counted from 1.
  /// - Throws: A ``ReplayError`` if the file can't be read, was written by a newer version, doesn't have the
  ///   subscription, or has an unexpected line. A recorded failure is such a line, because this publisher can't fail.
  /// - Complexity: O(*n*), where *n* is the size of the file.
  public func hot<Output: Decodable>(
    replaying file: URL, of output: Output.Type, subscription: Int = 1,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) throws(ReplayError) -> HotPublisher<Output, Never, SchedulerTimeType.Stride> {
    try scripted(
      replaying: file, subscription, CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column),
      failure: RecordedTimeline.noFailure)
  }

  /// Creates a publisher that sends the events of a recorded stream, regardless of subscribers, including recorded
  /// failures.
  ///
  /// ```swift
  /// let answers = try scheduler.hot(replaying: file, of: Answer.self, failingWith: ServerError.self)
  /// ```
  ///
  /// It's like ``hot(replaying:of:subscription:fileID:filePath:line:column:)``. A failure of type `failure` is decoded
  /// from the file, so the type must have been `Encodable` when it was recorded.
  public func hot<Output: Decodable, Failure: Error & Decodable>(
    replaying file: URL, of output: Output.Type, failingWith failure: Failure.Type, subscription: Int = 1,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) throws(ReplayError) -> HotPublisher<Output, Failure, SchedulerTimeType.Stride> {
    try scripted(
      replaying: file, subscription, CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column),
      failure: RecordedTimeline.decodedFailure)
  }

  /// Creates a publisher that sends the events of a recorded stream, regardless of subscribers, with a failure from a
  /// closure.
  ///
  /// ```swift
  /// let answers = try scheduler.hot(replaying: file, of: Answer.self) { text in Refusal(reason: text) }
  /// ```
  ///
  /// It's like ``hot(replaying:of:subscription:fileID:filePath:line:column:)``. If the recorded stream has failed, this
  /// method calls `failure` with the failure's recorded text.
  public func hot<Output: Decodable, Failure: Error>(
    replaying file: URL, of output: Output.Type, subscription: Int = 1,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    failure: (String) -> Failure
  ) throws(ReplayError) -> HotPublisher<Output, Failure, SchedulerTimeType.Stride> {
    try scripted(
      replaying: file, subscription, CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    ) { text, _ in failure(text) }
  }

  /// Creates a publisher that replays the events of a recorded stream for each subscriber.
  ///
  /// ```swift
  /// let answer = try scheduler.cold(replaying: file, of: Answer.self)
  /// ```
  ///
  /// The recording begins at each subscription. Otherwise, it's like
  /// ``hot(replaying:of:subscription:fileID:filePath:line:column:)``.
  public func cold<Output: Decodable>(
    replaying file: URL, of output: Output.Type, subscription: Int = 1,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) throws(ReplayError) -> ColdPublisher<Output, Never, SchedulerTimeType.Stride> {
    try scripted(
      replaying: file, subscription, CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column),
      failure: RecordedTimeline.noFailure)
  }

  /// Creates a publisher that replays the events of a recorded stream for each subscriber, including recorded failures.
  ///
  /// ```swift
  /// let answers = try scheduler.cold(replaying: file, of: Answer.self, failingWith: ServerError.self)
  /// ```
  ///
  /// It's like ``cold(replaying:of:subscription:fileID:filePath:line:column:)``. A failure of type `failure` is decoded
  /// from the file, so the type must have been `Encodable` when it was recorded.
  public func cold<Output: Decodable, Failure: Error & Decodable>(
    replaying file: URL, of output: Output.Type, failingWith failure: Failure.Type, subscription: Int = 1,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) throws(ReplayError) -> ColdPublisher<Output, Failure, SchedulerTimeType.Stride> {
    try scripted(
      replaying: file, subscription, CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column),
      failure: RecordedTimeline.decodedFailure)
  }

  /// Creates a publisher that replays the events of a recorded stream for each subscriber, with a failure from a
  /// closure.
  ///
  /// ```swift
  /// let answers = try scheduler.cold(replaying: file, of: Answer.self) { text in Refusal(reason: text) }
  /// ```
  ///
  /// It's like ``cold(replaying:of:subscription:fileID:filePath:line:column:)``. If the recorded stream has failed,
  /// this method calls `failure` with the failure's recorded text.
  public func cold<Output: Decodable, Failure: Error>(
    replaying file: URL, of output: Output.Type, subscription: Int = 1,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    failure: (String) -> Failure
  ) throws(ReplayError) -> ColdPublisher<Output, Failure, SchedulerTimeType.Stride> {
    try scripted(
      replaying: file, subscription, CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    ) { text, _ in failure(text) }
  }
}
