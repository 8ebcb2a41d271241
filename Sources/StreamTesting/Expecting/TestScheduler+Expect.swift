public import StreamSchedulers
public import Streams

extension TestScheduler {
  /// Subscribes to a publisher now, moves time on, and compares what the publisher does with a marble diagram.
  ///
  /// ```swift
  /// let letters = scheduler.hot("-a-b---c|")
  /// scheduler.expect(letters.debounce(for: .milliseconds(2), scheduler: scheduler), "-----b--|")
  /// ```
  ///
  /// The diagram begins now. Its names are compared with the values' text; `#` is any failure, or the one that is given. A
  /// diagram of the subscription says when to subscribe and when to cancel, and one of the demand what to ask for, in place
  /// of everything at once:
  ///
  /// ```swift
  /// scheduler.expect(timer, "-a-a-", subscription: "^----!")
  /// scheduler.expect(numbers, "1-(23)", demand: "1-2")
  /// ```
  ///
  /// What happens in the frame of `^` is received, what happens in that of `!` is not.
  ///
  /// Time moves on to the end of the diagram. A stream that has not ended then must not go on: what is left to run is run
  /// until the stream sends something, which is reported, or nothing is left, at most ten thousand actions. Where streams
  /// do not end, cancel them with a `!`. Several streams at the same time are recorded with `record`, and compared with
  /// ``Recorder/expect(_:error:fileID:filePath:line:column:)`` after time was moved on.
  public func expect<P: Publisher>(
    _ publisher: P, _ marbles: Marbles, error: P.Failure? = nil, subscription: Marbles? = nil,
    demand: DemandScript<SchedulerTimeType.Stride> = .unlimited,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    let place = SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column)
    let expectation = Expectation<P.Output>(marbles, frame: frame.nanoseconds, error: error, place)
    check(publisher, expectation, subscription, demand, place)
  }

  /// Subscribes to a publisher now, moves time on, and compares what the publisher does with a marble diagram whose names
  /// stand for values.
  ///
  /// ```swift
  /// scheduler.expect(model.$state, "e--l-----f", values: ["e": .empty, "l": .loading, "f": .found(["Swift"])])
  /// ```
  public func expect<P: Publisher>(
    _ publisher: P, _ marbles: Marbles, values: MarbleValues<P.Output>, error: P.Failure? = nil,
    subscription: Marbles? = nil, demand: DemandScript<SchedulerTimeType.Stride> = .unlimited,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) where P.Output: Equatable {
    let place = SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column)
    let expectation = Expectation<P.Output>(
      marbles, frame: frame.nanoseconds, values: values, error: error, place)
    check(publisher, expectation, subscription, demand, place)
  }

  private func check<P: Publisher>(
    _ publisher: P, _ expectation: Expectation<P.Output>, _ subscription: Marbles?,
    _ demand: DemandScript<SchedulerTimeType.Stride>, _ place: SourcePlace
  ) {
    let beginning = elapsed
    let window = subscription.map { SubscriptionWindow($0, frame: frame.nanoseconds, place) }
    var expectation = expectation
    if window?.isSound == false { expectation.isSound = false }
    let start = beginning.nanoseconds

    if let subscribed = window?.start { moveToBeginning(of: start + subscribed, place) }
    let recorder = makeRecorder(for: publisher, demand, beginning: beginning, place)
    publisher.subscribe(recorder.subscriber)
    if let end = window?.end {
      moveToBeginning(of: start + end, place)
      recorder.cancel()
    }
    run(
      through: max(timeline.now, start + expectation.until), fileID: place.fileID, filePath: place.filePath,
      line: place.line,
      column: place.column)
    runUntilItGoesOn(recorder)
    recorder.check(expectation, place)
    recorder.cancel()
  }

  /// Moves time on to a date, and runs what is due before, but not what is due at that date.
  private func moveToBeginning(of date: Int, _ place: SourcePlace) {
    while let next = timeline.nextDate, next < date {
      guard let excess = timeline.run(through: next, within: budget.withLock({ $0 })) else { continue }
      return place.report(excess.description)
    }
    timeline.move(to: date)
  }

  /// Runs what is left until the stream does something more.
  private func runUntilItGoesOn<Output, Failure>(_ recorder: Recorder<Output, Failure, SchedulerTimeType.Stride>) {
    let count = recorder.state.history.count
    var remaining = 10_000
    while recorder.isLive, recorder.state.history.count == count, remaining > 0, step() { remaining -= 1 }
  }
}

/// When a subscription is made and when it is cancelled, as a diagram says it.
struct SubscriptionWindow {
  let start: Int?
  let end: Int?

  /// Whether nothing is wrong with the diagram.
  let isSound: Bool

  init(_ marbles: Marbles, frame: Int, _ place: SourcePlace) {
    var (start, end) = (Int?.none, Int?.none)
    isSound = marbles.read(place, countingFromSubscription: false) { marble in
      let nanoseconds = marble.offset.nanoseconds(frame: frame)
      switch marble.symbol {
      case .subscription: start = nanoseconds
      case .cancellation: end = nanoseconds
      case .nothing: break
      case .value, .finish, .failure: return "a subscription has only ^ and !"
      }
      return nil
    }
    (self.start, self.end) = (start, end)
  }

  var entries: [TimelineText.Entry] {
    [
      start.map { TimelineText.Entry(nanoseconds: $0, symbol: .subscription) },
      end.map { TimelineText.Entry(nanoseconds: $0, symbol: .cancellation) },
    ].compactMap(\.self)
  }
}

extension TestScheduler {
  /// Compares who has subscribed to a hot or a cold publisher, and when, with marble diagrams.
  ///
  /// ```swift
  /// scheduler.expect(answers.subscriptions, "--^---!", "------^--!")
  /// ```
  ///
  /// There is one diagram for each subscription, in the order in which they were made. The diagrams begin with the
  /// scheduler's time. `!` is the end of a subscription, whoever has ended it.
  public func expect(
    _ subscriptions: [RecordedSubscription<SchedulerTimeType.Stride>], _ marbles: Marbles...,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    let place = SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column)
    let frame = frame.nanoseconds
    let windows = marbles.map { SubscriptionWindow($0, frame: frame, place) }
    let expected = windows.map(\.entries)
    let actual = subscriptions.map { subscription in
      [TimelineText.Entry(nanoseconds: subscription.subscribed.nanoseconds, symbol: .subscription)]
        + [subscription.ended.map { TimelineText.Entry(nanoseconds: $0.nanoseconds, symbol: .cancellation) }]
        .compactMap(\.self)
    }
    guard windows.allSatisfy(\.isSound), !looseEnds.hasBadSource, expected != actual else { return }
    let lines = (0..<max(expected.count, actual.count)).flatMap { index in
      compare(expected.dropFirst(index).first, actual.dropFirst(index).first, frame)
    }
    place.report("The publisher was subscribed to at other times than expected.\n\(lines.joined(separator: "\n"))")
  }

  /// One subscription as it was expected and as it was, one below the other.
  private func compare(_ expected: [TimelineText.Entry]?, _ actual: [TimelineText.Entry]?, _ frame: Int) -> [String] {
    let sides = [("expected", expected), ("actual  ", actual)]
    let rows = sides.compactMap { name, entries in entries.map { TimelineText.Row(name: name, entries: $0) } }
    let different =
      (expected ?? []).filter { actual?.contains($0) == false }
      + (actual ?? []).filter { expected?.contains($0) == false }
    var lines = TimelineText(rows, frame: frame).lines(marking: Set(different.map(\.nanoseconds)))
    if expected == nil { lines.insert("expected  none", at: 0) }
    if actual == nil { lines.append("actual    none") }
    return [""] + lines.map { "  \($0)" }
  }
}
