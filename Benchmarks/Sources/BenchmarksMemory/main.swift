// Counts the memory of subscriptions: the difference between two numbers of them, so that fixed costs cancel out.
// Prints JSON.

import AllocationHook
import Foundation
import OpenCombineWorkloads
import StreamsWorkloads
import Workloads

func figure(
  _ shape: SubscriptionShape, _ withSubscriptions: (SubscriptionShape, Int, () -> Void) -> Void
) -> MemoryResults.Figure {
  func count(_ subscriptions: Int) -> (bytes: Int, calls: Int) {
    let (bytes, calls) = (allocation_hook_live_bytes(), allocation_hook_calls())
    var result = (bytes: 0, calls: 0)
    withSubscriptions(shape, subscriptions) {
      result = (allocation_hook_live_bytes() - bytes, allocation_hook_calls() - calls)
    }
    return result
  }
  // Type metadata is created on first use, and stays.
  _ = count(1)
  // Powers of two, at which lists that double their capacity have no spare room, in either count.
  let (few, many) = (1 << 10, 1 << 14)
  let (small, large) = (count(few), count(many))
  return MemoryResults.Figure(
    bytes: Double(large.bytes - small.bytes) / Double(many - few),
    allocations: Double(large.calls - small.calls) / Double(many - few))
}

guard allocation_hook_is_available() == 1 else {
  print("Allocations are counted with glibc only.")
  exit(1)
}
#if DEBUG
  var results = MemoryResults(configuration: "debug")
#else
  var results = MemoryResults(configuration: "release")
#endif
for shape in SubscriptionShape.allCases {
  results.figures[shape] = [
    .streams: figure(shape, StreamsWorkloads.withSubscriptions),
    .openCombine: figure(shape, OpenCombineWorkloads.withSubscriptions),
  ]
}
let encoder = JSONEncoder()
encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
print(String(decoding: try encoder.encode(results), as: UTF8.self))
