public import StreamSchedulers
public import Streams

extension Recorder {
  /// Compares what was recorded so far with a marble diagram.
  ///
  /// ```swift
  /// recorder.expect("--a--b|")
  /// ```
  ///
  /// The diagram begins with the recording. Its names are compared with the values' text; `#` is any failure, or the one
  /// that is given. If something else was recorded, that is reported with both timelines, one below the other, the places
  /// where they differ, and all events.
  public func expect(
    _ marbles: Marbles, error: Failure? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    let place = SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column)
    check(Expectation(marbles, frame: frame.nanoseconds, error: error, place), place)
  }

  /// Compares what was recorded so far with a marble diagram whose names stand for values.
  ///
  /// ```swift
  /// recorder.expect("--e--f|", values: ["e": SearchState.empty, "f": .found(["Swift"])])
  /// ```
  ///
  /// Where values differ, the parts that differ are reported as well.
  public func expect(
    _ marbles: Marbles, values: MarbleValues<Output>, error: Failure? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) where Output: Equatable {
    let place = SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column)
    check(Expectation(marbles, frame: frame.nanoseconds, values: values, error: error, place), place)
  }

  /// Compares what was recorded so far with a list of values and completions.
  ///
  /// ```swift
  /// recorder.expect([.next(at: .milliseconds(30), true), .next(at: .milliseconds(50), false)])
  /// ```
  ///
  /// Times count from the beginning of the scheduler's time. If something else was recorded, that is reported with both
  /// timelines, one below the other; comparing ``events`` with `==` says no more than that the lists differ.
  public func expect(
    _ events: [Recorded<Output, Failure, Time>],
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) where Output: Equatable {
    let place = SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column)
    check(Expectation(events, from: .zero), from: .zero, place)
  }

  func check(_ expectation: Expectation<Output>, from start: Time? = nil, _ place: SourcePlace) {
    let (start, history) = (start ?? beginning, state.read())
    // A bad diagram has failed already, and whatever follows from it is not worth a word.
    guard expectation.isSound, isComparable,
      let mismatch = expectation.mismatch(with: history, from: start, frame: frame.nanoseconds)
    else { return }
    place.report(mismatch)
  }
}

/// Subscribes to a publisher that does everything at once, and compares that with a marble diagram.
///
/// ```swift
/// expect([1, 2, 3].publisher.map { $0 * 2 }, "('2' '4' '6' |)")
/// ```
///
/// All that happens is in the first frame. Streams with time are compared by
/// ``StreamSchedulers/TestScheduler/expect(_:_:error:subscription:demand:fileID:filePath:line:column:)``.
public func expect<P: Publisher>(
  _ publisher: P, _ marbles: Marbles, error: P.Failure? = nil, demand: DemandScript<ImmediateTime.Stride> = .unlimited,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) {
  publisher.record(demand: demand, fileID: fileID, filePath: filePath, line: line, column: column)
    .expect(marbles, error: error, fileID: fileID, filePath: filePath, line: line, column: column)
}

/// Subscribes to a publisher that does everything at once, and compares that with a marble diagram whose names stand for
/// values.
public func expect<P: Publisher>(
  _ publisher: P, _ marbles: Marbles, values: MarbleValues<P.Output>, error: P.Failure? = nil,
  demand: DemandScript<ImmediateTime.Stride> = .unlimited,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) where P.Output: Equatable {
  publisher.record(demand: demand, fileID: fileID, filePath: filePath, line: line, column: column)
    .expect(marbles, values: values, error: error, fileID: fileID, filePath: filePath, line: line, column: column)
}
