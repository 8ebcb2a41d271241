#if !canImport(Darwin)
  public import StreamSchedulers

  /// A scheduler that runs work immediately, with the name and the time type of Combine's.
  ///
  /// The type of `StreamSchedulers` is generic, so it can also stand in for queues and run loops.
  public typealias ImmediateScheduler = StreamSchedulers.ImmediateScheduler<ImmediateTime, Never>
#endif
