public import Streams

/// The options of a testable scheduler. They tell a type-erased scheduler which scheduler type has its time and options.
///
/// On every platform, each scheduler type has its own options type, whereas two scheduler types may share a time type.
public protocol _TestableSchedulerOptions {
  /// The type of scheduler that has these options.
  associatedtype _Owner: TestableScheduler where _Owner.SchedulerOptions == Self
}

extension AnyScheduler
where SchedulerOptions: _TestableSchedulerOptions, SchedulerTimeType == SchedulerOptions._Owner.SchedulerTimeType {
  /// A type-erased scheduler that runs every action immediately.
  public static var immediate: Self { SchedulerOptions._Owner.immediate.eraseToAnyScheduler() }

  /// A type-erased scheduler that reports an issue when you use it.
  public static var unimplemented: Self { SchedulerOptions._Owner.unimplemented.eraseToAnyScheduler() }

  /// Returns a named, type-erased scheduler that reports an issue when you use it.
  ///
  /// - Parameter prefix: The scheduler's name in issues.
  /// - Returns: An unimplemented scheduler.
  public static func unimplemented(
    _ prefix: String, fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> Self {
    SchedulerOptions._Owner.unimplemented(prefix, fileID: fileID, filePath: filePath, line: line, column: column)
      .eraseToAnyScheduler()
  }
}
