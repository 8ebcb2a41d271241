public import Streams

// Names that the schedulers of this module have in other libraries.

/// The name of ``MainQueueScheduler`` in other libraries.
public typealias UIScheduler = MainQueueScheduler

/// The former name of ``UnimplementedScheduler`` in other libraries.
@available(*, deprecated, renamed: "UnimplementedScheduler")
public typealias FailingScheduler<Time: Strideable, Options> = UnimplementedScheduler<Time, Options>
where Time.Stride: SchedulerTimeIntervalConvertible

/// The former name of ``UnimplementedSchedulerOf`` in other libraries.
@available(*, deprecated, renamed: "UnimplementedSchedulerOf")
public typealias FailingSchedulerOf<S: Scheduler> = UnimplementedSchedulerOf<S>

extension TestableScheduler {
  /// The former name of `immediate`.
  @_disfavoredOverload
  @available(*, deprecated, renamed: "immediate")
  public static var immediateScheduler: ImmediateSchedulerOf<Self> { immediate }

  /// The former name of `unimplemented`.
  @_disfavoredOverload
  @available(*, deprecated, renamed: "unimplemented")
  public static var failing: UnimplementedSchedulerOf<Self> { unimplemented }

  /// The former name of `unimplemented(_:)`.
  ///
  /// - Parameter prefix: The name of the scheduler in issues.
  /// - Returns: An unimplemented scheduler.
  @_disfavoredOverload
  @available(*, deprecated, renamed: "unimplemented(_:)")
  public static func failing(_ prefix: String) -> UnimplementedSchedulerOf<Self> { unimplemented(prefix) }
}

extension AnyScheduler
where SchedulerOptions: _TestableSchedulerOptions, SchedulerTimeType == SchedulerOptions._Owner.SchedulerTimeType {
  /// The former name of `unimplemented`.
  @available(*, deprecated, renamed: "unimplemented")
  public static var failing: Self { unimplemented }

  /// The former name of `unimplemented(_:)`.
  ///
  /// - Parameter prefix: The name of the scheduler in issues.
  /// - Returns: An unimplemented scheduler.
  @available(*, deprecated, renamed: "unimplemented(_:)")
  public static func failing(_ prefix: String) -> Self { unimplemented(prefix) }
}
