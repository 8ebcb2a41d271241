#if canImport(Darwin)
  // On platforms with Combine, Foundation declares the nested time types and options, and this module uses them instead
  // of its own. They lack only the conformance of their strides to this package's protocol.
  public import Foundation
  public import Streams

  extension OperationQueue.SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible {}
  extension RunLoop.SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible {}
#endif
