// Counts the memory of subscriptions: the difference between two numbers of them, so that fixed costs cancel out.
// Prints JSON.

import AllocationHook
import Foundation
import OpenCombineWorkloads
import StreamInspection
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

/// Returns what a live stream takes, in bytes that are requested.
///
/// Not the difference between two numbers of streams, because the list of inspected sinks keeps its capacity. A number of
/// sinks, `others`, live before.
func figureOfStream(
  _ shape: StreamsWorkloads.LiveShape, _ count: Int, others: Int, isInspected: Bool
) -> MemoryResults.Figure {
  StreamsWorkloads.withLiveStreams(.sink, others, isInspected: isInspected, sharesSubject: true) {
    if isInspected { awaitTick() }
    let (bytes, calls) = (allocation_hook_requested_bytes(), allocation_hook_calls())
    return StreamsWorkloads.withLiveStreams(shape, count, isInspected: false, sharesSubject: true) {
      MemoryResults.Figure(
        bytes: Double(allocation_hook_requested_bytes() - bytes) / Double(count),
        allocations: Double(allocation_hook_calls() - calls) / Double(count))
    }
  }
}

/// Waits until the clock of the inspection has ticked, so that its thread has allocated what it needs.
func awaitTick() {
  let time = StreamInspector.streams.time
  while StreamInspector.streams.time == time { continue }
}

/// Returns by how much more a stream takes while streams are inspected.
///
/// - Parameter capacity: That of the list of inspected sinks, a power of two, which is doubled.
func figure(inspected shape: StreamsWorkloads.LiveShape, _ capacity: inout Int) -> MemoryResults.Figure {
  // Not optimized, so that both calls are at one place.
  @_optimize(none)
  func figures(_ isInspected: Bool) -> MemoryResults.Figure {
    var figures: [MemoryResults.Figure] = []
    // The first is without meaning: it creates type metadata, and the entries for the places of the stream.
    for (others, count) in [(capacity - 16, 16), (capacity, capacity)] {
      figures.append(figureOfStream(shape, count, others: others, isInspected: isInspected))
    }
    return figures[1]
  }
  let (off, on) = (figures(false), figures(true))
  capacity *= 2
  return MemoryResults.Figure(bytes: on.bytes - off.bytes, allocations: on.allocations - off.allocations)
}

/// Returns what one element takes of an array that is read of live streams.
func figure<Element>(of shape: StreamsWorkloads.LiveShape, _ read: () -> [Element]) -> MemoryResults.Figure {
  let count = 1 << 12
  return StreamsWorkloads.withLiveStreams(shape, count, isInspected: true) {
    // Names and places are looked up when they are first needed, and stay.
    _ = read()
    let (bytes, calls) = (allocation_hook_requested_bytes(), allocation_hook_calls())
    let elements = read()
    precondition(elements.count == count)
    return withExtendedLifetime(elements) {
      MemoryResults.Figure(
        bytes: Double(allocation_hook_requested_bytes() - bytes) / Double(count),
        allocations: Double(allocation_hook_calls() - calls) / Double(count))
    }
  }
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
// So many that an allocation of another thread, which happens once, counts for nothing.
var capacity = 1 << 12
StreamsWorkloads.withLiveStreams(.sink, capacity, isInspected: true) {}
results.inspection[.sink] = figure(inspected: .sink, &capacity)
results.inspection[.chain] = figure(inspected: .chain, &capacity)
results.inspection[.merge] = figure(inspected: .merge, &capacity)
results.inspection[.mapStreams] = figure(of: .map) { StreamInspector.streams.streams }
results.inspection[.mapInspections] = figure(of: .map) { StreamInspector.inspections }
results.inspection[.debounceInspections] = figure(of: .debounce) { StreamInspector.inspections }
let encoder = JSONEncoder()
encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
print(String(decoding: try encoder.encode(results), as: UTF8.self))
