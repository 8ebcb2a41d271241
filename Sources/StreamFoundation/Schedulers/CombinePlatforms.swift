#if canImport(Combine)
  // Where Combine exists, Foundation declares the nested time types and options that this module declares elsewhere, and they
  // are used. What they lack is the conformance of their strides to this package's protocol.
  public import Foundation
  public import Streams

  extension OperationQueue.SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible {}
  extension RunLoop.SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible {}
#endif
