internal import StreamSchedulers
internal import Streams

extension DemandScript where Time: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable {
  /// The script as a Swift expression.
  var code: String {
    func text(_ demand: Subscribers.Demand) -> String {
      demand.max.map { $0 == 0 ? ".none" : ".max(\($0))" } ?? ".unlimited"
    }
    let requests = requests.map { ".request(at: \(TimeCode.expression($0.time.nanoseconds)), \(text($0.demand)))" }
    var arguments = text(initial)
    if perValue > .none { arguments += ", perValue: \(text(perValue))" }
    if !requests.isEmpty { arguments += ", requests: [\(requests.joined(separator: ", "))]" }
    return "DemandScript<DispatchQueue.SchedulerTimeType.Stride>.initial(\(arguments))"
  }
}
