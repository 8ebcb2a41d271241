public import Dispatch
public import StreamSchedulers
internal import Streams

extension TimelineGenerator where Argument == HotPublisher<String, Never, DispatchQueue.SchedulerTimeType.Stride> {
  /// A generator of hot streams that send letters from a to z.
  ///
  /// ```swift
  /// checkTimelines(of: .letters) { scheduler, letters in … }
  /// ```
  ///
  /// Most letters of a stream are different, and some repeat the previous letter.
  public static var letters: Self {
    let letters = "abcdefghijklmnopqrstuvwxyz".map(String.init)
    var generator = Self.source("letters", choiceCount: 26) { letters[Int($0) % 26] }
    generator.shape.prefersNewChoices = true
    return generator
  }
}

extension TimelineGenerator {
  /// Returns a generator of hot streams that send numbers in a range.
  ///
  /// ```swift
  /// checkTimelines(of: .numbers(1...6)) { scheduler, throwsOfDice in … }
  /// ```
  ///
  /// - Parameter range: The range. Shrinking moves values toward zero if it's in the range, otherwise toward the lower
  ///   bound.
  public static func numbers(_ range: ClosedRange<Int>) -> Self
  where Argument == HotPublisher<Int, Never, DispatchQueue.SchedulerTimeType.Stride> {
    let simplest = range.contains(0) ? 0 : range.lowerBound
    let last = UInt64(truncatingIfNeeded: range.upperBound &- range.lowerBound)
    return source("numbers", choiceCount: last == .max ? .max : last + 1) { choice in
      // From the simplest upward, and then downward.
      let above = UInt64(range.upperBound - simplest)
      return choice <= above ? simplest + Int(choice) : simplest - Int(choice - above)
    }
  }

  /// Returns a generator of hot streams that send values from a list.
  ///
  /// ```swift
  /// checkTimelines(of: .values(["", "swift"])) { scheduler, queries in … }
  /// ```
  ///
  /// - Parameter values: The values, the simplest first. If the list is empty, the streams don't send values.
  public static func values<Output>(_ values: [Output]) -> Self
  where Argument == HotPublisher<Output, Never, DispatchQueue.SchedulerTimeType.Stride> {
    source("values", choiceCount: UInt64(values.count)) { values[Int($0) % values.count] }
      .count(0...(values.isEmpty ? 0 : .max))
  }

  /// Returns a generator of hot streams that send an enumeration's cases.
  ///
  /// - Parameter type: The enumeration. Its first case counts as the simplest.
  public static func values<Output: CaseIterable>(of type: Output.Type) -> Self
  where Argument == HotPublisher<Output, Never, DispatchQueue.SchedulerTimeType.Stride> {
    values(Array(type.allCases))
  }

  /// Returns a generator of hot streams that send values that a closure creates.
  ///
  /// ```swift
  /// checkTimelines(of: .values { random in Point(x: .random(in: 0...9, using: &random), y: 0) }) { scheduler, points in … }
  /// ```
  ///
  /// - Parameter make: A closure that creates a value from the given random numbers alone, so a run can be repeated.
  public static func values<Output>(made make: @escaping (inout TimelineRandomNumbers) -> Output) -> Self
  where Argument == HotPublisher<Output, Never, DispatchQueue.SchedulerTimeType.Stride> {
    source("values", choiceCount: 10_000) { choice in
      var random = TimelineRandomNumbers(numbers: SplitMix(state: choice))
      return make(&random)
    }
  }

  /// Creates a generator of hot streams in which a choice stands for a value.
  static func source<Output>(
    _ name: String, choiceCount: UInt64, _ value: @escaping (UInt64) -> Output
  ) -> Self where Argument == HotPublisher<Output, Never, DispatchQueue.SchedulerTimeType.Stride> {
    var shape = TimelineShape(kind: .source)
    shape.choiceCount = choiceCount
    shape.mayFinish = true
    return hot(name, shape) { drawn in
      drawn.values(value) + [drawn.end.map { .completed(at: .nanoseconds($0.time)) }].compactMap(\.self)
    }
  }

  /// Creates a generator of hot streams that send the events of a drawn timeline.
  private static func hot<Output, Failure: Error>(
    _ name: String, _ shape: TimelineShape,
    _ events: @escaping (DrawnTimeline) -> [Recorded<Output, Failure, DispatchQueue.SchedulerTimeType.Stride>]
  ) -> Self where Argument == HotPublisher<Output, Failure, DispatchQueue.SchedulerTimeType.Stride> {
    var generator = Self(
      name: name, shape: shape, make: { $1.scripted(events($0), $2) },
      picture: { .row(TimelineText.Row($1, "publishes", events($0))) },
      code: { "scheduler.hot(\(EventsCode(events($0)).arguments))" })
    generator.liveCount = { hot in hot.subscriptions.count { $0.end == nil } }
    return generator
  }

  /// Returns a generator of streams that can fail.
  ///
  /// ```swift
  /// checkTimelines(of: .failing(.letters, with: SearchError.offline)) { scheduler, letters in … }
  /// ```
  ///
  /// - Parameters:
  ///   - generator: The generator of streams that can't fail.
  ///   - failures: The failures, the simplest first. If there are none, the streams don't fail.
  public static func failing<Output, Failure: Error>(
    _ generator: TimelineGenerator<HotPublisher<Output, Never, DispatchQueue.SchedulerTimeType.Stride>>,
    with failures: Failure...
  ) -> Self where Argument == HotPublisher<Output, Failure, DispatchQueue.SchedulerTimeType.Stride> {
    var shape = generator.shape
    shape.failureCount = UInt64(failures.count)
    return hot(generator.name, shape) { drawn in
      let end = drawn.end.map { end in
        end.choice == 0
          ? Recorded<Output, Failure, DispatchQueue.SchedulerTimeType.Stride>.completed(at: .nanoseconds(end.time))
          : .failure(at: .nanoseconds(end.time), failures[Int(end.choice - 1) % failures.count])
      }
      return generator.events(of: drawn).compactMap { $0.withFailure(Failure.self) } + [end].compactMap(\.self)
    }
  }

  /// Returns a generator of cold streams, which replay their events for each subscriber, according to its demand.
  ///
  /// ```swift
  /// checkTimelines(of: .cold(.letters), .demand) { scheduler, letters, demand in … }
  /// ```
  ///
  /// - Parameter generator: A generator of hot streams with the same events.
  public static func cold<Output, Failure: Error>(
    _ generator: TimelineGenerator<HotPublisher<Output, Failure, DispatchQueue.SchedulerTimeType.Stride>>
  ) -> Self where Argument == ColdPublisher<Output, Failure, DispatchQueue.SchedulerTimeType.Stride> {
    var cold = Self(
      name: generator.name, shape: generator.shape, make: { $1.scripted(generator.events(of: $0), $2) },
      picture: generator.picture,
      code: { "scheduler.cold(\(EventsCode(generator.events(of: $0)).arguments))" })
    cold.liveCount = { cold in cold.subscriptions.count { $0.end == nil } }
    return cold
  }

  /// Returns the events of the hot publisher that this generator creates.
  private func events<Output, Failure>(
    of drawn: DrawnTimeline
  ) -> [Recorded<Output, Failure, DispatchQueue.SchedulerTimeType.Stride>]
  where Argument == HotPublisher<Output, Failure, DispatchQueue.SchedulerTimeType.Stride> {
    let location = CodeLocation(fileID: #fileID, filePath: #filePath, line: #line, column: #column)
    let scheduler = DispatchQueue.test
    scheduler.timeline.noteUse()
    return make(drawn, scheduler, location).events
  }
}

extension DrawnTimeline {
  fileprivate func values<Output, Failure>(
    _ value: (UInt64) -> Output
  ) -> [Recorded<Output, Failure, DispatchQueue.SchedulerTimeType.Stride>] {
    events.map { .next(at: .nanoseconds($0.time), value($0.choice)) }
  }
}

extension Recorded where Failure == Never {
  /// Returns a value as an event of a stream that can fail, or `nil` for a completion.
  fileprivate func withFailure<Other>(_: Other.Type) -> Recorded<Output, Other, Time>? {
    guard case .next(let value) = event else { return nil }
    return .next(at: time, value)
  }
}

/// The random numbers from which a closure creates a value of a timeline. A run that repeats the timeline gets the same
/// numbers.
///
/// It's a separate type, so closures that pass it on compile wherever the values' type is inferred.
public struct TimelineRandomNumbers: RandomNumberGenerator {
  var numbers: SplitMix

  public mutating func next() -> UInt64 { numbers.next() }
}
