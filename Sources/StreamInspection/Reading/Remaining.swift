internal import StreamSchedulers
internal import Streams

/// The place where an operator delivers values or runs its timers.
struct DeliveryPlace {
  let name: String
  let isVirtual: Bool
  /// Indicates whether nobody has advanced the virtual time.
  let hasNeverAdvanced: Bool
  /// The time that remains until a date, if it can be measured.
  let remaining: Duration?
  /// The time that has passed since the date at which a live scheduler should have run something.
  let overdue: Duration?
  /// Indicates whether a queue has been suspended, if it tells.
  var isSuspended = false

  init?(_ place: Any?, date: Any?) {
    guard let place else { return nil }
    if let scheduler = place as? any Scheduler {
      self.init(scheduler, date)
    } else if let actor = place as? any Actor {
      self.init(
        name: actor === MainActor.shared ? "the main actor" : "\(type(of: actor))", isVirtual: false, remaining: nil)
    } else {
      return nil
    }
  }

  private init(_ scheduler: some Scheduler, _ date: Any?) {
    let type = GenericType(Swift.type(of: scheduler)).name
    // Asking an unimplemented scheduler for its time would be reported as a test failure.
    let isAsked = type != "UnimplementedScheduler"
    remaining = isAsked ? scheduler.remaining(until: date) : nil
    let executor = scheduler.taskExecutor as? VirtualTaskExecutor
    isVirtual = executor != nil
    overdue = isAsked && !isVirtual ? scheduler.passed(since: date) : nil
    hasNeverAdvanced = executor?.owner?.now == 0
    if isVirtual {
      name = "the test scheduler"
    } else if let queue = scheduler as? any InspectedQueue {
      name = queue.isMain ? "the main queue" : "the queue \"\(queue.label)\""
      isSuspended = queue.isSuspended
    } else {
      name = type
    }
  }

  private init(name: String, isVirtual: Bool, remaining: Duration?) {
    (self.name, self.isVirtual, self.remaining) = (name, isVirtual, remaining)
    (hasNeverAdvanced, overdue) = (false, nil)
  }
}

extension Scheduler {
  /// Returns the time until a date, found by comparing, because a number can be converted to an interval, but not an interval
  /// to a number.
  fileprivate func remaining(until date: Any?) -> Duration? {
    (date as? SchedulerTimeType).map { Self.duration(now.distance(to: $0)) }
  }

  fileprivate func passed(since date: Any?) -> Duration? {
    (date as? SchedulerTimeType).map { Self.duration($0.distance(to: now)) }
  }

  private static func duration(_ rest: SchedulerTimeType.Stride) -> Duration {
    guard rest > .zero else { return .zero }
    typealias Stride = SchedulerTimeType.Stride
    var high = 1
    while high < 1 << 50, Stride.microseconds(high) < rest { high *= 2 }
    var low = high / 2
    while low + 1 < high {
      let middle = low + (high - low) / 2
      if Stride.microseconds(middle) < rest { low = middle } else { high = middle }
    }
    return .microseconds(high)
  }
}

extension Duration {
  /// The duration as text, in the largest unit that keeps it short: `300 ms`, `2 s`, `1.5 s`.
  var text: String {
    let (seconds, attoseconds) = components
    let milliseconds = Double(seconds) * 1_000 + Double(attoseconds) / 1e15
    switch milliseconds {
    case ..<0.0005: return "now"
    case ..<1: return "\(Int((milliseconds * 1_000).rounded())) µs"
    case ..<1_000: return "\(Int(milliseconds.rounded())) ms"
    case ..<120_000:
      let tenths = Int((milliseconds / 100).rounded())
      return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    case ..<7_200_000: return "\(Int((milliseconds / 60_000).rounded())) min"
    default: return "\(Int((milliseconds / 3_600_000).rounded())) h"
    }
  }
}
