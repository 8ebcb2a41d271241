internal import Streams

/// A clock that reports an issue when you use it.
///
/// In a test, pass it to code that must not work with time:
///
/// ```swift
/// let model = FeatureModel(clock: .unimplemented())
/// model.clear()   // fails the test if it sleeps or asks for the time
/// ```
///
/// Each kind of use is reported once, including reads of ``now``. An issue at the line that created the clock names the clock
/// and the member that was used. Copies of a clock, including type-erased ones, share these reports. Creating a timer on the
/// clock counts as one use. Every call goes to a base clock, which is an ``ImmediateClock`` by default, so that the test
/// continues.
public struct UnimplementedClock<Duration: DurationProtocol & Hashable>: Clock {
  /// An instant of the base clock.
  public typealias Instant = AnyClock<Duration>.Instant

  package let name: String

  private let base: AnyClock<Duration>
  private let uses: ReportedUses

  /// Creates a clock that forwards to a base clock.
  ///
  /// - Parameters:
  ///   - base: The clock that receives the calls.
  ///   - name: The name of the clock in issues.
  public init<C: Clock>(
    _ base: C, name: String = "Clock", fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) where C.Duration == Duration {
    self.base = AnyClock(base)
    self.name = name
    uses = ReportedUses(
      of: "The unimplemented clock '\(name)'",
      CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Creates a clock that forwards to an immediate clock whose time starts at an instant.
  ///
  /// - Parameters:
  ///   - name: The name of the clock in issues.
  ///   - now: The instant at which time starts. The default is zero.
  public init(
    name: String = "Clock", now: ImmediateClock<Duration>.Instant = .init(), fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    self.init(
      ImmediateClock(now: now), name: name, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Creates a clock that forwards to an immediate clock whose time starts at zero.
  ///
  /// - Parameter name: The name of the clock in issues.
  public init(
    name: String = "Clock", fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) where Duration == Swift.Duration {
    self.init(ImmediateClock(), name: name, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// The current instant of the base clock. The first read is reported.
  public var now: Instant {
    uses.report("'now' was read")
    return base.now
  }

  /// The minimum resolution of the base clock. The first read is reported.
  public var minimumResolution: Duration {
    uses.report("'minimumResolution' was read")
    return base.minimumResolution
  }

  /// Sleeps on the base clock until a deadline and reports the first such call.
  ///
  /// - Parameters:
  ///   - deadline: The instant to resume at.
  ///   - tolerance: The duration by which the wake-up may be late, or `nil` for the base clock's default.
  /// - Throws: The error that the base clock throws, such as `CancellationError`.
  nonisolated(nonsending)
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws
  {
    uses.report("'sleep(until:tolerance:)' was called")
    try await base.sleep(until: deadline, tolerance: tolerance)
  }

  /// Sleeps on the base clock for a `duration` and reports the first such call, like ``sleep(until:tolerance:)``.
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
    uses.report("a timer was created")
    return base
  }
}

extension Clock where Self == UnimplementedClock<Swift.Duration> {
  /// Returns a clock that reports an issue when you use it.
  ///
  /// ```swift
  /// let model = FeatureModel(clock: .unimplemented(name: "feature"))
  /// ```
  ///
  /// - Parameter name: The name of the clock in issues.
  /// - Returns: An unimplemented clock that forwards to an immediate clock.
  @_disfavoredOverload
  public static func unimplemented(
    name: String = "Clock", fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> Self {
    UnimplementedClock(name: name, fileID: fileID, filePath: filePath, line: line, column: column)
  }
}
