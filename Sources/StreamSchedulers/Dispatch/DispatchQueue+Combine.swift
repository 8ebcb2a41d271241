#if canImport(Darwin)
  // On platforms with Combine, the system's modules declare the nested time types and options. This module uses them instead of
  // its own. They lack only the conformance of their strides to this package's protocol.
  public import Dispatch
  public import Streams

  extension DispatchQueue.SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible {}
#endif
