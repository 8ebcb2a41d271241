public import Dispatch
public import Foundation
internal import StreamSchedulers
public import Streams

extension Publisher where Output: Encodable {
  /// Records a stream's events and their times in a file that a test can replay.
  ///
  ///     let folder = URL.temporaryDirectory
  ///     model.$query.recordTimeline(to: folder.appending(path: "queries.jsonl"), title: "typed queries")
  ///       .sink { search($0) }
  ///       .store(in: &cancellables)
  ///
  /// In a test, `scheduler.hot(replaying:of:)` or `scheduler.cold(replaying:of:)` of `StreamTesting` replays the
  /// recorded events in virtual time.
  ///
  /// Demand, values, completion and cancellation pass through unchanged. An event is recorded before it's forwarded, so
  /// the value at which a program crashes is in the file.
  ///
  /// - File: the first subscription creates the file, readable only by its owner, or replaces its content. Each
  ///   operator needs its own file. All copies of this publisher write to the same file, which numbers their
  ///   subscriptions from 1. The file is open until the recording ends, or the publisher and its subscriptions have
  ///   been released.
  /// - Format: a line of JSON for each event: its name, which is `subscribed`, `value`, `finished`, `failed` or
  ///   `cancelled`, the number of its subscription, its time in nanoseconds since that subscription, and the value or
  ///   the failure. The first line has the format's name and version, the date, and the title. Each line is written by
  ///   itself, when its event happens, so a crash loses at most the last line.
  /// - Failures: recorded as their text and, if they're `Encodable`, in encoded form as well.
  /// - Threads: an event is encoded and written on the thread that sends it. Events from several threads are encoded in
  ///   parallel, and written one at a time.
  /// - Cost: a `JSONEncoder` encodes each event and a system call writes it, both before the event is forwarded. For a short
  ///   text, that takes about four microseconds in a release build, a quarter of it for the system call. A slow disk slows the
  ///   stream down. Events aren't kept. After the limit, an event only takes a lock.
  /// - Mistakes: a file that can't be created or written to is reported once, at the line that calls this method, and the stream
  ///   goes on unrecorded. A value that can't be encoded is reported once, and recorded as an event without a value.
  ///
  /// - Parameters:
  ///   - file: The URL of the file. Its folder must exist.
  ///   - title: A text for readers of the file.
  ///   - limit: The number of bytes or events at which the recording ends.
  ///   - scheduler: The scheduler whose time is recorded. The default reads the monotonic time of dispatch queues.
  ///     Nothing is scheduled on it.
  /// - Complexity: O(*n*) for each value, where *n* is the size of its encoding.
  @_disfavoredOverload
  public func recordTimeline<S: Scheduler>(
    to file: URL, title: String? = nil, limit: TimelineLimit = .bytes(100_000_000),
    using scheduler: S = DispatchQueue.main,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> RecordTimelinePublisher<Self, S> {
    RecordTimelinePublisher(
      upstream: self, file: file, title: title, limit: limit, scheduler: scheduler,
      CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    ) { $0 }
  }
}

extension Publisher {
  /// Records a stream's events and their times in a file that a test can replay, with other values in place of the stream's own.
  ///
  ///     logins.recordTimeline(to: file) { $0.name }   // without the password
  ///     keys.recordTimeline(to: file, redacting: \.isLetter)   // whether it was a letter
  ///
  /// It's like ``Publisher/recordTimeline(to:title:limit:using:fileID:filePath:line:column:)``, for values that can't or must not
  /// be recorded as they are. The `redacting` closure returns the value to record. It's called before the value is forwarded,
  /// without a lock, and not after the recording has ended. Downstream receives the original values. A failure's text is recorded
  /// unchanged.
  @_disfavoredOverload
  public func recordTimeline<Value: Encodable, S: Scheduler>(
    to file: URL, title: String? = nil, limit: TimelineLimit = .bytes(100_000_000),
    using scheduler: S = DispatchQueue.main,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    redacting: @escaping (Output) -> Value
  ) -> RecordTimelinePublisher<Self, S> {
    RecordTimelinePublisher(
      upstream: self, file: file, title: title, limit: limit, scheduler: scheduler,
      CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column), redacting)
  }
}

/// The publisher that both `recordTimeline` methods return.
public struct RecordTimelinePublisher<Upstream: Publisher, Context: Scheduler>: Publisher {
  public typealias Output = Upstream.Output
  public typealias Failure = Upstream.Failure

  /// The upstream publisher.
  public let upstream: Upstream

  /// The URL of the file.
  public let file: URL

  /// The scheduler whose time is recorded.
  public let scheduler: Context

  private let recording: TimelineFile
  private let recorded: (Upstream.Output) -> any Encodable

  init(
    upstream: Upstream, file: URL, title: String?, limit: TimelineLimit, scheduler: Context, _ location: CodeLocation,
    _ recorded: @escaping (Upstream.Output) -> any Encodable
  ) {
    self.upstream = upstream
    self.file = file
    self.scheduler = scheduler
    self.recorded = recorded
    recording = TimelineFile(file, title: title, limit: limit, location)
  }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let (scheduler, recording, recorded) = (scheduler, recording, recorded)
    let number = recording.open()
    let start = scheduler.now

    func entry(_ event: TimelineEvent, _ text: String? = nil) -> TimelineEntry {
      TimelineEntry(
        event: event, subscription: number, time: start.distance(to: scheduler.now).nanoseconds, text: text)
    }

    upstream.handleEvents(
      receiveSubscription: { _ in recording.write(entry(.subscribed)) },
      receiveOutput: { value in
        guard recording.isOpen else { return }
        // The time at which the value arrived, however long the closure takes.
        let entry = entry(.value)
        recording.write(entry, value: recorded(value))
      },
      receiveCompletion: { completion in
        switch completion {
        case .finished: recording.write(entry(.finished))
        case .failure(let error): recording.write(entry(.failed, "\(error)"), error: error as? any Encodable)
        }
      },
      receiveCancel: { recording.write(entry(.cancelled)) }
    ).receive(subscriber: subscriber)
  }
}
