public import CoreMetrics
import Synchronization

/// A metrics backend that writes what it has collected as a page for Prometheus.
///
/// A timer and a recorder are written as the count and the sum of what they have recorded.
public final class PrometheusMetrics: MetricsFactory, Sendable {
  private let metrics = Mutex<[Key: Metric]>([:])

  private struct Key: Hashable {
    let name: String
    let dimensions: [String]
    let kind: String
  }

  /// Creates a backend without metrics.
  public init() {}

  public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    metric("counter", label, dimensions)
  }

  public func makeFloatingPointCounter(label: String, dimensions: [(String, String)]) -> any FloatingPointCounterHandler
  {
    metric("counter", label, dimensions)
  }

  public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    metric("gauge", label, dimensions)
  }

  public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    metric(aggregate ? "summary" : "gauge", label, dimensions)
  }

  public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    metric("summary", label, dimensions)
  }

  public func destroyCounter(_ handler: any CounterHandler) { destroy(handler) }
  public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { destroy(handler) }
  public func destroyMeter(_ handler: any MeterHandler) { destroy(handler) }
  public func destroyRecorder(_ handler: any RecorderHandler) { destroy(handler) }
  public func destroyTimer(_ handler: any TimerHandler) { destroy(handler) }

  private func metric(_ kind: String, _ label: String, _ dimensions: [(String, String)]) -> Metric {
    let name = label.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? String($0) : "_" }.joined()
    let key = Key(name: name, dimensions: dimensions.map { "\($0)=\"\(Self.escaped($1))\"" }.sorted(), kind: kind)
    return metrics.withLock { metrics in
      if let known = metrics[key] { return known }
      let new = Metric()
      metrics[key] = new
      return new
    }
  }

  private func destroy(_ handler: Any) {
    guard let gone = handler as? Metric else { return }
    metrics.withLock { metrics in
      guard let key = metrics.first(where: { $0.value === gone })?.key else { return }
      metrics[key] = nil
    }
  }

  private static func escaped(_ value: String) -> String {
    value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }

  /// The page, in Prometheus's text format.
  public var page: String {
    let metrics = metrics.withLock { $0 }
    var lines: [String] = []
    for (name, group) in Dictionary(grouping: metrics, by: \.key.name).sorted(by: { $0.key < $1.key }) {
      lines.append("# TYPE \(name) \(group[0].key.kind)")
      for (key, metric) in group.sorted(by: { $0.key.dimensions.lexicographicallyPrecedes($1.key.dimensions) }) {
        let labels = key.dimensions.isEmpty ? "" : "{\(key.dimensions.joined(separator: ","))}"
        let state = metric.state.withLock { $0 }
        if key.kind == "summary" {
          lines += ["\(name)_count\(labels) \(state.count)", "\(name)_sum\(labels) \(state.sum)"]
        } else {
          lines.append("\(name)\(labels) \(key.kind == "counter" ? state.sum : state.last)")
        }
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

/// What has been recorded under one name.
private final class Metric: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler, TimerHandler,
  Sendable
{
  struct State {
    var sum = 0.0
    var last = 0.0
    var count = 0
  }

  let state = Mutex(State())

  func increment(by amount: Int64) { increment(by: Double(amount)) }
  func increment(by amount: Double) {
    state.withLock { state in
      state.sum += amount
      state.last += amount
    }
  }
  func decrement(by amount: Double) { increment(by: -amount) }
  func reset() { state.withLock { $0 = State() } }
  func set(_ value: Int64) { set(Double(value)) }
  func set(_ value: Double) { state.withLock { $0.last = value } }
  func record(_ value: Int64) { record(Double(value)) }
  func record(_ value: Double) {
    state.withLock { state in
      state.sum += value
      state.last = value
      state.count += 1
    }
  }
  func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
}
