internal import Streams

/// A clock that reports an issue when it is used.
///
/// A test gives it to code that is expected not to work with time, and so proves that it does not:
///
/// ```swift
/// let model = FeatureModel(clock: .unimplemented())
/// model.clear()   // fails the test if it sleeps or asks for the time
/// ```
///
/// Every kind of use is reported once, also reading ``now``; the issue names the clock and what was called on it, at the line
/// where the clock was made. Copies of a clock, erased ones among them, report once between them. A timer on it is one use,
/// reported when it is made. Then a base clock does what was asked for, an immediate one unless it is given, so that the
/// test goes on.
public struct UnimplementedClock<Duration: DurationProtocol & Hashable>: Clock {
  /// A moment of the base clock.
  public typealias Instant = AnyClock<Duration>.Instant

  /// What the clock is called in issues.
  public let name: String

  private let base: AnyClock<Duration>
  private let uses: ReportedUses

  /// Makes one that forwards to a base clock.
  public init<C: Clock>(
    _ base: C, name: String = "Clock", fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) where C.Duration == Duration {
    self.base = AnyClock(base)
    self.name = name
    uses = ReportedUses(
      of: "The unimplemented clock '\(name)'",
      SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Makes one that forwards to an immediate clock, whose time stands at a moment.
  public init(
    name: String = "Clock", now: ImmediateClock<Duration>.Instant = .init(), fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    self.init(
      ImmediateClock(now: now), name: name, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Makes one that forwards to an immediate clock, whose time stands at zero.
  public init(
    name: String = "Clock", fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) where Duration == Swift.Duration {
    self.init(ImmediateClock(), name: name, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// The present moment of the base clock. Reading it is reported, once.
  public var now: Instant {
    uses.report("'now' was read")
    return base.now
  }

  /// That of the base clock. Reading it is reported, once.
  public var minimumResolution: Duration {
    uses.report("'minimumResolution' was read")
    return base.minimumResolution
  }

  /// Reports an issue, once, and sleeps on the base clock.
  ///
  /// - Throws: `CancellationError` if the task is cancelled, as the base clock does.
  nonisolated(nonsending)
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws
  {
    uses.report("'sleep(until:tolerance:)' was called")
    try await base.sleep(until: deadline, tolerance: tolerance)
  }

  /// Reports an issue, once, and sleeps on the base clock.
  ///
  /// - Throws: `CancellationError` if the task is cancelled, as the base clock does.
  nonisolated(nonsending)
    public func sleep(for duration: Duration, tolerance: Duration? = nil) async throws
  {
    uses.report("'sleep(for:tolerance:)' was called")
    try await base.sleep(for: duration, tolerance: tolerance)
  }
}

extension UnimplementedClock: KnownClock {
  var anchor: Instant { base.anchor }

  var timerClock: AnyClock<Duration>? {
    uses.report("a timer was made")
    return base
  }
}

extension Clock where Self == UnimplementedClock<Swift.Duration> {
  /// A clock that reports an issue when it is used.
  public static func unimplemented(
    name: String = "Clock", fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> Self {
    UnimplementedClock(name: name, fileID: fileID, filePath: filePath, line: line, column: column)
  }
}
