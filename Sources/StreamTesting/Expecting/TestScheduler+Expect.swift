public import StreamSchedulers
public import Streams

extension TestScheduler {
  /// Subscribes to a publisher, advances time, and compares the publisher's events with a marble diagram.
  ///
  /// ```swift
  /// let letters = scheduler.hot("-a-b---c|")
  /// scheduler.expect(letters.debounce(for: .milliseconds(2), scheduler: scheduler), "-----b--|")
  /// ```
  ///
  /// The diagram begins at the current time. Names are compared with the values' text. `#` stands for `error`, or for
  /// any failure if `error` is `nil`. By default, the subscription begins immediately, with unlimited demand. The
  /// diagram `subscription` can state when to subscribe and when to cancel, and the diagram `demand` what to request
  /// and when:
  ///
  /// ```swift
  /// scheduler.expect(timer, "-a-a-", subscription: "^----!")
  /// scheduler.expect(numbers, "1-(23)", demand: "1-2")
  /// ```
  ///
  /// Events in the frame of `^` are received, and events in the frame of `!` aren't.
  ///
  /// Time advances to the end of the diagram. A stream that hasn't ended by then must not send anything more: the
  /// remaining work runs until the stream sends something (which is reported), nothing is left, or ten thousand actions
  /// have run. For a stream that doesn't end, pass a `subscription` that contains a `!`. To compare several streams at
  /// the same time, record them with `record`, advance time, and call
  /// ``Recorder/expect(_:error:fileID:filePath:line:column:)``.
  ///
  /// - Parameters:
  ///   - publisher: The publisher to subscribe to.
  ///   - marbles: The expected diagram. If it has a mistake, that's reported, and nothing is compared.
  ///   - error: The expected failure, or `nil` for any.
  ///   - subscription: A diagram with `^` for the subscription and `!` for the cancellation.
  ///   - demand: The demand to request.
  /// - Complexity: The cost of the actions that run, and O(*n* · *k*) for the comparison, where *n* is the number of
  ///   expected and recorded events, and *k* is the largest number of events at one time.
  public func expect<P: Publisher>(
    _ publisher: P, _ marbles: Marbles, error: P.Failure? = nil, subscription: Marbles? = nil,
    demand: DemandScript<SchedulerTimeType.Stride> = .unlimited,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    let expectation = Expectation<P.Output>(marbles, frame: frame.nanoseconds, error: error, location)
    check(publisher, expectation, subscription, demand, location)
  }

  /// Subscribes to a publisher, advances time, and compares the publisher's events with a marble diagram whose names
  /// stand for values.
  ///
  /// ```swift
  /// scheduler.expect(model.$state, "e--l-----f", values: ["e": .empty, "l": .loading, "f": .found(["Swift"])])
  /// ```
  ///
  /// It's like ``expect(_:_:error:subscription:demand:fileID:filePath:line:column:)``, but also reports the parts in
  /// which values differ. `values` contains the values that the names stand for.
  public func expect<P: Publisher>(
    _ publisher: P, _ marbles: Marbles, values: MarbleValues<P.Output>, error: P.Failure? = nil,
    subscription: Marbles? = nil, demand: DemandScript<SchedulerTimeType.Stride> = .unlimited,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) where P.Output: Equatable {
    let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    let expectation = Expectation<P.Output>(
      marbles, frame: frame.nanoseconds, values: values, error: error, location)
    check(publisher, expectation, subscription, demand, location)
  }

  /// Subscribes to a publisher, advances time until the publisher stops sending, and fails with a diagram of its
  /// events, which you can paste.
  ///
  /// With the environment variable `STREAMS_WRITE=1`, the diagram is also written into the source of the test:
  ///
  /// ```swift
  /// scheduler.expect(letters.debounce(for: .milliseconds(2), scheduler: scheduler))
  /// // becomes
  /// scheduler.expect(letters.debounce(for: .milliseconds(2), scheduler: scheduler), "-----b--|")  // recorded
  /// ```
  ///
  /// A test that writes a diagram fails as well. From then on, the diagram is compared like any other. Read it, and remove the
  /// comment if the diagram shows what the stream should do. Until then, the message of a failed comparison says that the diagram
  /// was recorded.
  ///
  /// If a value's text can't be its name in a diagram, for example because it's too long, all values get names, and `values:` is
  /// written as well. The values must be equatable and have literals, as strings, numbers, Booleans, collections, and enumeration
  /// cases do. Otherwise, nothing is written, and the message says what to do. The same applies if the source has changed since
  /// the test was built, or if the call has different results, as in a loop.
  ///
  /// Time advances until the stream ends, nothing is left to do, or ten thousand actions have run without a new event. If a
  /// stream sends more than a thousand events, nothing is written: pass a `subscription` that contains a `!`.
  ///
  /// - Parameters:
  ///   - publisher: The publisher to subscribe to.
  ///   - error: The expected failure, or `nil` for any. If the stream fails in another way, nothing is written.
  ///   - subscription: A diagram with `^` for the subscription and `!` for the cancellation.
  ///   - demand: The demand to request.
  /// - Complexity: The cost of the actions that run, and O(*n*), where *n* is the number of recorded events. Writing takes
  ///   O(*k*), where *k* is the length of the source file.
  public func expect<P: Publisher>(
    _ publisher: P, error: P.Failure? = nil, subscription: Marbles? = nil,
    demand: DemandScript<SchedulerTimeType.Stride> = .unlimited,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    let window = subscription.map { SubscriptionWindow($0, frame: frame.nanoseconds, location) }
    if window?.isSound == false { return }
    let recorder = observe(publisher, window, demand, beginning: elapsed, location)
    let isComplete = runUntilItRests(recorder)
    // A comparison with the diagram also runs everything else that's due at the diagram's end.
    run(
      through: timeline.now, fileID: location.fileID, filePath: location.filePath, line: location.line,
      column: location.column)
    recorder.proposeDiagram(error: error, isComplete: isComplete, takesPublisher: true, location)
    recorder.cancel()
  }

  private func check<P: Publisher>(
    _ publisher: P, _ expectation: Expectation<P.Output>, _ subscription: Marbles?,
    _ demand: DemandScript<SchedulerTimeType.Stride>, _ location: CodeLocation
  ) {
    let beginning = elapsed
    let window = subscription.map { SubscriptionWindow($0, frame: frame.nanoseconds, location) }
    var expectation = expectation
    if window?.isSound == false { expectation.isSound = false }

    let recorder = observe(publisher, window, demand, beginning: beginning, location)
    run(
      through: max(timeline.now, beginning.nanoseconds.addingSaturating(expectation.until)), fileID: location.fileID,
      filePath: location.filePath, line: location.line, column: location.column)
    runUntilItGoesOn(recorder)
    recorder.check(expectation, location)
    recorder.cancel()
  }

  /// Subscribes to a publisher and cancels the subscription at the times that a diagram specifies, and returns the
  /// recording.
  private func observe<P: Publisher>(
    _ publisher: P, _ window: SubscriptionWindow?, _ demand: DemandScript<SchedulerTimeType.Stride>,
    beginning: SchedulerTimeType.Stride, _ location: CodeLocation
  ) -> Recorder<P.Output, P.Failure, SchedulerTimeType.Stride> {
    let start = beginning.nanoseconds
    if let subscribed = window?.start { moveToBeginning(of: start.addingSaturating(subscribed), location) }
    let recorder = makeRecorder(
      for: publisher, demand, beginning: beginning, as: RunTranscript.Row(hidesCancellation: window?.end == nil),
      location)
    publisher.subscribe(recorder.subscriber)
    if let end = window?.end {
      moveToBeginning(of: start.addingSaturating(end), location)
      recorder.cancel()
    }
    return recorder
  }

  /// Advances time to a date, and runs the actions that are due before it, but not at it.
  ///
  /// - Returns: `true` if time reaches the date. If the budget is too small, that's reported.
  @discardableResult
  func moveToBeginning(of date: Int, _ location: CodeLocation) -> Bool {
    let start = timeline.runCount
    while let next = timeline.nextDate, next < date {
      guard let excess = timeline.run(through: next, within: budget.withLock({ $0 }), since: start) else { continue }
      location.report(excess.description)
      return false
    }
    timeline.move(to: date)
    return true
  }

  /// Runs the remaining work until the stream sends another event.
  func runUntilItGoesOn<Output, Failure>(_ recorder: Recorder<Output, Failure, SchedulerTimeType.Stride>) {
    let count = recorder.state.history.count
    stepAtMostTenThousandTimes { recorder.isLive && recorder.state.history.count == count }
  }

  /// Runs pending actions one by one while a condition holds: at most ten thousand, because some work never ends.
  /// Returns `false` if actions are left at that limit.
  @discardableResult
  func stepAtMostTenThousandTimes(while condition: () -> Bool) -> Bool {
    var remaining = 10_000
    while condition(), timeline.nextDate != nil {
      if remaining == 0 { return false }
      step()
      remaining -= 1
    }
    return true
  }

  /// Runs the remaining work until the stream ends or stops sending. Returns `false` if the stream sends more than a
  /// thousand events.
  private func runUntilItRests<Output, Failure>(
    _ recorder: Recorder<Output, Failure, SchedulerTimeType.Stride>
  ) -> Bool {
    var (count, remaining) = (recorder.state.history.count, 10_000)
    while !recorder.state.isOver, remaining > 0, step() {
      remaining -= 1
      let newCount = recorder.state.history.count
      if newCount > 1_000 { return false }
      if newCount != count { (count, remaining) = (newCount, 10_000) }
    }
    return true
  }
}

/// The times at which a subscription begins and is cancelled, according to a diagram.
struct SubscriptionWindow {
  let start: Int?
  let end: Int?

  /// Indicates whether the diagram is free of mistakes.
  let isSound: Bool

  init(_ marbles: Marbles, frame: Int, _ location: CodeLocation) {
    var (start, end) = (Int?.none, Int?.none)
    isSound = marbles.read(location, countingFromSubscription: false) { marble in
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
  /// Pass one diagram for each subscription, in order. The diagrams begin where the scheduler's time begins. `!` is the
  /// end of a subscription, whether the subscriber or the publisher has ended the subscription.
  ///
  /// - Parameters:
  ///   - subscriptions: The subscriptions.
  ///   - marbles: The expected diagrams. If one has a mistake, that's reported, and nothing is compared.
  public func expect(
    _ subscriptions: [RecordedSubscription<SchedulerTimeType.Stride>], _ marbles: Marbles...,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    let frame = frame.nanoseconds
    let windows = marbles.map { SubscriptionWindow($0, frame: frame, location) }
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
    location.report("The times of the subscriptions differ from the expected times.\n\(lines.joined(separator: "\n"))")
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
