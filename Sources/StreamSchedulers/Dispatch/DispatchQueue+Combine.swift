#if canImport(Darwin)
  // On platforms with Combine, the system's modules declare the nested time types and options. This module uses them instead of
  // its own. Only their strides' conformance to this package's protocol is missing.
  public import Dispatch
  public import Streams

  extension DispatchQueue.SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible {}
#endif
