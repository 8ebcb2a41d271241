import AsyncWorkloads
import LimitWorkloads
import OpenCombineWorkloads
import StreamsWorkloads
import Workloads

/// The implementations, by name.
enum Registry {
  static func implementation(_ name: ImplementationName) -> Implementation {
    switch name {
    case .streams: StreamsWorkloads.implementation
    case .openCombine: OpenCombineWorkloads.implementation
    case .async: AsyncWorkloads.implementation
    case .limit: LimitWorkloads.implementation
    }
  }

  static func cell(_ workload: Workload, _ name: ImplementationName) -> Cell {
    implementation(name).cells[workload]!
  }
}
