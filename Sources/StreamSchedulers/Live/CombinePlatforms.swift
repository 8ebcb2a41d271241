#if canImport(Combine)
  // Where Combine exists, the system's own modules declare the nested time types and options that this module declares
  // elsewhere, and they are used. What they lack is the conformance of their strides to this package's protocol.
  public import Dispatch
  public import Streams

  extension DispatchQueue.SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible {}
#endif
