#if !canImport(Darwin)
  public import StreamSchedulers

  /// A scheduler that runs work immediately, with the same name and time type as Combine's scheduler.
  ///
  /// The generic type in `StreamSchedulers` can also stand in for queues and run loops.
  public typealias ImmediateScheduler = StreamSchedulers.ImmediateScheduler<ImmediateTime, Never>
#endif
