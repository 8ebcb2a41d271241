#if !canImport(Darwin)
  public import StreamSchedulers

  /// A scheduler that runs work immediately, under the name and with the time that Combine's has.
  ///
  /// The type of `StreamSchedulers` is generic, so that it also stands in for queues and run loops.
  public typealias ImmediateScheduler = StreamSchedulers.ImmediateScheduler<ImmediateTime, Never>
#endif
