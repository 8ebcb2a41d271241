public import StreamSchedulers
public import Streams

extension TestScheduler {
  /// Subscribes to a publisher now, advances time, and compares the publisher's events with a marble diagram.
  ///
  /// ```swift
  /// let letters = scheduler.hot("-a-b---c|")
  /// scheduler.expect(letters.debounce(for: .milliseconds(2), scheduler: scheduler), "-----b--|")
  /// ```
  ///
  /// The diagram begins now. Names are compared with the text of the values; `#` stands for any failure, or for the one
  /// that is given. The diagram `subscription` states when to subscribe and when to cancel. The diagram `demand` states
  /// what to request and when, in place of unlimited demand at the beginning:
  ///
  /// ```swift
  /// scheduler.expect(timer, "-a-a-", subscription: "^----!")
  /// scheduler.expect(numbers, "1-(23)", demand: "1-2")
  /// ```
  ///
  /// Events in the frame of `^` are received; events in that of `!` are not.
  ///
  /// Time advances to the end of the diagram. A stream that has not ended by then must not send anything more: the
  /// remaining work is run until the stream sends something, which is reported, or nothing is left, or ten thousand
  /// actions have run. For a stream that does not end, pass a diagram `subscription` that contains a `!`. To compare
  /// several streams at the same time, record them with `record`, advance time, and call
  /// ``Recorder/expect(_:error:fileID:filePath:line:column:)``.
  ///
  /// - Parameters:
  ///   - publisher: The publisher to subscribe to.
  ///   - marbles: The expected diagram. A mistake in it is reported, and nothing is compared.
  ///   - error: The expected failure, or `nil` for any.
  ///   - subscription: A diagram with `^` in the frame of the subscription and `!` in that of the cancellation.
  ///   - demand: The demand to request; unlimited by default.
  ///   - fileID: The identifier of the source file for issues; the caller's by default, as are the next three.
  ///   - filePath: The path of the source file.
  ///   - line: The line in the source file.
  ///   - column: The column in the source file.
  /// - Complexity: The work of the actions that are run, and O(*n* · *k*) for the comparison, where *n* is the number
  ///   of expected and recorded events and *k* the largest number at one moment.
  public func expect<P: Publisher>(
    _ publisher: P, _ marbles: Marbles, error: P.Failure? = nil, subscription: Marbles? = nil,
    demand: DemandScript<SchedulerTimeType.Stride> = .unlimited,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    let place = SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column)
    let expectation = Expectation<P.Output>(marbles, frame: frame.nanoseconds, error: error, place)
    check(publisher, expectation, subscription, demand, place)
  }

  /// Subscribes to a publisher now, advances time, and compares the publisher's events with a marble diagram whose
  /// names stand for values.
  ///
  /// ```swift
  /// scheduler.expect(model.$state, "e--l-----f", values: ["e": .empty, "l": .loading, "f": .found(["Swift"])])
  /// ```
  ///
  /// - Parameters:
  ///   - publisher: The publisher to subscribe to.
  ///   - marbles: The expected diagram. A mistake in it is reported, and nothing is compared.
  ///   - values: The values that the names stand for.
  ///   - error: The expected failure, or `nil` for any.
  ///   - subscription: A diagram with `^` in the frame of the subscription and `!` in that of the cancellation.
  ///   - demand: The demand to request; unlimited by default.
  ///   - fileID: The identifier of the source file for issues; the caller's by default, as are the next three.
  ///   - filePath: The path of the source file.
  ///   - line: The line in the source file.
  ///   - column: The column in the source file.
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

  /// Advances time to a date, and runs what is due before that date, but not what is due at it.
  private func moveToBeginning(of date: Int, _ place: SourcePlace) {
    while let next = timeline.nextDate, next < date {
      guard let excess = timeline.run(through: next, within: budget.withLock({ $0 })) else { continue }
      return place.report(excess.description)
    }
    timeline.move(to: date)
  }

  /// Runs the remaining work until the stream sends another event.
  private func runUntilItGoesOn<Output, Failure>(_ recorder: Recorder<Output, Failure, SchedulerTimeType.Stride>) {
    let count = recorder.state.history.count
    var remaining = 10_000
    while recorder.isLive, recorder.state.history.count == count, remaining > 0, step() { remaining -= 1 }
  }
}

/// The times at which a subscription is made and cancelled, according to a diagram.
struct SubscriptionWindow {
  let start: Int?
  let end: Int?

  /// Indicates whether the diagram has no mistakes.
  let isSound: Bool

  init(_ marbles: Marbles, frame: Int, _ place: SourcePlace) {
    var (start, end) = (Int?.none, Int?.none)
    isSound = marbles.read(place, countingFromSubscription: false) { marble in
      let nanoseconds = marble.offset.nanoseconds(frame: frame)
      switch marble.symbol {
      case .subscription: start = nanoseconds
      case .cancellation: end = nanoseconds
      case .nothing: break
      case .value, .finish, .failure: return "the diagram of a subscription contains only ^ and !"
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
  /// Compares the subscriptions to a hot or a cold publisher with marble diagrams.
  ///
  /// ```swift
  /// scheduler.expect(answers.subscriptions, "--^---!", "------^--!")
  /// ```
  ///
  /// There is one diagram for each subscription, in the order in which they were made. The diagrams begin with the
  /// scheduler's time. `!` is the end of a subscription, whether the subscriber or the publisher has ended it.
  ///
  /// - Parameters:
  ///   - subscriptions: The subscriptions that were made.
  ///   - marbles: The expected diagrams. A mistake in one is reported, and nothing is compared.
  ///   - fileID: The identifier of the source file for issues; the caller's by default, as are the next three.
  ///   - filePath: The path of the source file.
  ///   - line: The line in the source file.
  ///   - column: The column in the source file.
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
    place.report("The times of the subscriptions differ from the expected times.\n\(lines.joined(separator: "\n"))")
  }

  /// Returns the expected and the actual timeline of one subscription, one below the other.
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
