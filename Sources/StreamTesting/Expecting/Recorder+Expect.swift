public import StreamSchedulers
public import Streams

extension Recorder {
  /// Compares the recording so far with a marble diagram.
  ///
  /// ```swift
  /// recorder.expect("--a--b|")
  /// ```
  ///
  /// The diagram begins with the recording. Names are compared with the values' text. `#` stands for `error`, or for any failure
  /// if `error` is `nil`. The report of a difference shows both timelines, one below the other, marks the differences, and lists
  /// all events. If events are missing, the report also gives the reason, if it's known, and shows the stream's tree, if the
  /// stream is still alive.
  ///
  /// - Parameters:
  ///   - marbles: The expected diagram. If it has a mistake, that's reported, and nothing is compared.
  ///   - error: The expected failure, or `nil` for any.
  /// - Complexity: O(*n* · *k*), where *n* is the number of expected and recorded events, and *k* is the largest number
  ///   of events at one time.
  public func expect(
    _ marbles: Marbles, error: Failure? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    check(Expectation(marbles, frame: frame.nanoseconds, error: error, location), location)
  }

  /// Compares the recording so far with a marble diagram whose names stand for values.
  ///
  /// ```swift
  /// states.expect("--e--f|", values: ["e": .empty, "f": .found(["Swift"])])
  /// ```
  ///
  /// It's like ``expect(_:error:fileID:filePath:line:column:)``, but also reports the parts in which values differ.
  /// `values` contains the values that the names stand for.
  public func expect(
    _ marbles: Marbles, values: MarbleValues<Output>, error: Failure? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) where Output: Equatable {
    let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    check(Expectation(marbles, frame: frame.nanoseconds, values: values, error: error, location), location)
  }

  /// Fails with a diagram of the recording so far, which you can paste.
  ///
  /// With the environment variable `STREAMS_WRITE=1`, it's also written into the test's source, as
  /// ``StreamSchedulers/TestScheduler/expect(_:error:subscription:demand:fileID:filePath:line:column:)`` describes.
  ///
  /// ```swift
  /// recorder.expect()
  /// // becomes
  /// recorder.expect("--a--b|")  // recorded
  /// ```
  ///
  /// - Parameter error: The expected failure, or `nil` for any. If the stream has failed in another way, nothing is
  ///   written.
  /// - Complexity: O(*n*), where *n* is the number of recorded events. Writing takes O(*k*), where *k* is the length of the
  ///   source file.
  public func expect(
    error: Failure? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    proposeDiagram(error: error, takesPublisher: false, location)
  }

  /// Compares the recording so far with a list of values and completions.
  ///
  /// ```swift
  /// validity.expect([.next(at: .milliseconds(30), true), .next(at: .milliseconds(50), false)])
  /// ```
  ///
  /// Times count from the beginning of the scheduler's time. The report of a difference shows both timelines, unlike a comparison
  /// of ``events`` with `==`.
  ///
  /// - Parameters:
  ///   - events: The expected events.
  /// - Complexity: O(*n* log *n* + *n* · *k*), where *n* is the number of expected and recorded events, and *k* is the
  ///   largest number of events at one time.
  public func expect(
    _ events: [Recorded<Output, Failure, Time>],
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) where Output: Equatable {
    let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    check(Expectation(events, from: .zero), from: .zero, location)
  }

  /// Compares the values recorded so far with a list, regardless of their times.
  ///
  /// ```swift
  /// recorder.expect(values: ["found"])
  /// ```
  ///
  /// The report of a difference shows both lists, and how the stream has ended, if it has. If the lists have the same
  /// length, the report also shows the parts that differ. If values are missing, it says why that may be, unlike a
  /// comparison of ``values`` with `==`.
  ///
  /// - Parameters:
  ///   - values: The expected values.
  /// - Complexity: O(*n*), where *n* is the number of values.
  public func expect(
    values: [Output],
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) where Output: Equatable {
    let history = state.read()
    let actual = history.compactMap(\.value)
    guard isComparable, actual != values else { return }
    var lines = [
      "The stream's values differ from the expected values.", "", "  expected  \(values)", "  actual    \(actual)",
    ]
    if actual.count == values.count {
      lines += ValueDifferences(values, actual).all.map {
        "            \($0.path): expected \($0.expected), actual \($0.actual)"
      }
    }
    switch history.last(where: \.event.isSignal)?.event {
    case .completion(.finished): lines += ["", "The stream has finished."]
    case .completion(.failure(let error)): lines += ["", "The stream has failed: \(error)"]
    default: break
    }
    let lacksValues = actual.count < values.count
    lines += reasons(for: history, lacksValues: lacksValues)
    if lacksValues, let explanation = state.explanation { lines += explanation.lines() }
    CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column).report(lines.joined(separator: "\n"))
  }

  /// Returns possible reasons for missing values.
  func reasons(for history: [Recorded<Output, Failure, Time>], lacksValues: Bool) -> [String] {
    guard lacksValues else { return [] }
    let signals = history.filter(\.event.isSignal)
    var reasons: [String] = []
    if signals.isEmpty {
      reasons = reasonsForMissingValues.explanations(hasSubscription: !history.isEmpty, hasRequested: !requests.isEmpty)
    } else if case .completion(.finished) = signals.last?.event, let reason = reasonsForMissingValues.reasonForEnd {
      reasons = [reason]
    }
    return reasons.isEmpty ? [] : [""] + reasons
  }

  func check(_ expectation: Expectation<Output>, from start: Time? = nil, _ location: CodeLocation) {
    let (start, history) = (start ?? beginning, state.read())
    // A bad diagram has been reported already, and its consequences would only repeat that.
    guard expectation.isSound, isComparable,
      let mismatch = expectation.mismatch(with: history, from: start, frame: frame.nanoseconds)
    else { return }
    let lacksValues = expectation.events.count > history.count(where: \.event.isSignal)
    let reasons = reasons(for: history, lacksValues: lacksValues)
    // The stream's tree is read only here. If nothing is missing, only an attachment contains the tree.
    let explanation = lacksValues || !IssueReporter.isCapturing ? state.explanation : nil
    let cause = lacksValues ? explanation : nil
    let text = mismatch.text(besides: reasons.count + (cause?.lines().count ?? 0))
    var lines = [text] + reasons
    // The source is read only here, because that costs more than a comparison.
    if ExpectationWriter.current.isRecorded(at: location) {
      lines += [
        "",
        "The diagram was recorded. If the stream is correct now, remove the diagram and run the test with STREAMS_WRITE=1 "
          + "to record it again.",
      ]
    }
    lines += FailureAttachments(mismatch, explanation, lacksValues: lacksValues).attach(at: location)
    if let cause {
      let room = Mismatch.screen - text.count(where: \.isNewline) - 1 - reasons.count - 3
      lines += cause.lines(min(StreamExplanation.longestTree, max(4, room)))
    }
    location.report(lines.joined(separator: "\n"))
  }
}

/// Subscribes to a publisher that sends synchronously, and compares its events with a marble diagram.
///
/// ```swift
/// expect([1, 2, 3].publisher.map { $0 * 2 }, "('2' '4' '6' |)")
/// ```
///
/// All events are in the first frame. For streams with time, use
/// ``StreamSchedulers/TestScheduler/expect(_:_:error:subscription:demand:fileID:filePath:line:column:)``.
///
/// - Parameters:
///   - publisher: The publisher to subscribe to.
///   - marbles: The expected diagram. If it has a mistake, that's reported, and nothing is compared.
///   - error: The expected failure, or `nil` for any.
///   - demand: The demand to request.
public func expect<P: Publisher>(
  _ publisher: P, _ marbles: Marbles, error: P.Failure? = nil, demand: DemandScript<ImmediateTime.Stride> = .unlimited,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) {
  publisher.record(demand: demand, fileID: fileID, filePath: filePath, line: line, column: column)
    .expect(marbles, error: error, fileID: fileID, filePath: filePath, line: line, column: column)
}

/// Subscribes to a publisher that sends synchronously, and compares its events with a marble diagram whose names stand
/// for `values`.
///
/// ```swift
/// expect([1, 2].publisher.map { $0 > 1 }, "(ft|)", values: ["f": false, "t": true])
/// ```
///
/// It's otherwise like ``expect(_:_:error:demand:fileID:filePath:line:column:)``.
public func expect<P: Publisher>(
  _ publisher: P, _ marbles: Marbles, values: MarbleValues<P.Output>, error: P.Failure? = nil,
  demand: DemandScript<ImmediateTime.Stride> = .unlimited,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) where P.Output: Equatable {
  publisher.record(demand: demand, fileID: fileID, filePath: filePath, line: line, column: column)
    .expect(marbles, values: values, error: error, fileID: fileID, filePath: filePath, line: line, column: column)
}

/// Subscribes to a publisher that sends synchronously, and fails with a diagram of its events, which you can paste.
///
/// With the environment variable `STREAMS_WRITE=1`, it's also written into the test's source, as
/// ``StreamSchedulers/TestScheduler/expect(_:error:subscription:demand:fileID:filePath:line:column:)`` describes.
///
/// ```swift
/// expect([1, 2, 3].publisher.map { $0 * 2 })
/// // becomes
/// expect([1, 2, 3].publisher.map { $0 * 2 }, "(246|)")  // recorded
/// ```
///
/// - Parameters:
///   - publisher: The publisher to subscribe to.
///   - error: The expected failure, or `nil` for any. If the stream fails in another way, nothing is written.
///   - demand: The demand to request.
// Other libraries have a function of this name with one argument, which takes precedence.
@_disfavoredOverload
public func expect<P: Publisher>(
  _ publisher: P, error: P.Failure? = nil, demand: DemandScript<ImmediateTime.Stride> = .unlimited,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) {
  let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  publisher.record(demand: demand, fileID: fileID, filePath: filePath, line: line, column: column)
    .proposeDiagram(error: error, takesPublisher: true, location)
}
