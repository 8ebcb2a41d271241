internal import Streams

// The names of a stream's parts, and the phrases that describe their states.

extension Node {
  /// The name of the operator, the subject or the source.
  var words: String {
    if let checkpoint { return "checkpoint(\"\(checkpoint)\")" }
    if let name, let batch = facts.batch, ["collect", "nwise"].contains(name) { return "\(name)(\(batch))" }
    switch kind {
    case .root: return name ?? facts.operatorName.map { "the subscriber of \($0)" } ?? GenericType(type).text
    case .engine(let engine): return engine
    case .subject:
      if facts.isPublished { return "@Published" }
      if let name { return name }
      guard let owner = facts.owner, owner !== object else { return "a subject" }
      if let subject = owner as? any NamedSubject { return subject.name }
      return GenericType(Swift.type(of: owner)).text
    case .link: return name ?? ("\(type)" == "AutoconnectSubscription" ? "autoconnect" : "an operator")
    case .source: return name ?? Self.sourceName(type, facts)
    case .unknown: return name ?? Self.unknownName(type)
    }
  }

  private static func sourceName(_ type: Any.Type, _ facts: Facts) -> String {
    if facts.isOperatorsTask { return "a task" }
    switch facts.senderType.flatMap({ SubscriberRole(of: $0) }) {
    case .sends(let name?, _): return name
    case .iterates(let iterator as any IteratorProtocol.Type, _):
      return GenericType(iterator).arguments.first.map { "\($0.text).publisher" } ?? "a sequence's publisher"
    case .iterates(let sequence, _): return "\(GenericType(sequence).text).publisher"
    default:
      return "\(type)" == "EndedSubscription" ? "Empty" : facts.isPromised || facts.isAbandoned ? "Future" : "a source"
    }
  }

  private static func unknownName(_ type: Any.Type) -> String {
    switch "\(type)".prefix(while: { $0 != "<" }) {
    case "EmptySubscription": return "Empty"
    default:
      // The arguments are types of this package, which the program doesn't know.
      return GenericType(type).qualifiedName.split(separator: ".").dropFirst().filter { !$0.hasPrefix("(") }
        .joined(separator: ".")
    }
  }

  func role(_ slot: Int?) -> String? {
    guard let slot else { return nil }
    switch engine {
    case "zip", "combineLatest":
      let count = (facts.upstreams.map(\.slot) + Array(facts.ended)).max() ?? 1
      if count == 1 { return slot == 0 ? "left" : "right" }
      return ["first", "second", "third", "fourth"].indices.contains(slot)
        ? ["first", "second", "third", "fourth"][slot] : "input \(slot + 1)"
    case "map(maxTasks:)": return slot == 0 ? "outer" : "task \(slot)"
    case _ where hasOuter: return slot == 0 ? "outer" : "inner"
    case "sample(by:)": return slot == 0 ? "main" : "sampler"
    case "withLatest(from:)": return slot == 0 ? "main" : "other"
    case _ where isUntil: return slot == 0 ? "main" : "trigger"
    case "pausable(runningWhile:)": return slot == 0 ? "main" : "gate"
    case "retry(when:)": return slot == 0 ? "decider" : "attempt"
    case "merge", "race": return "input \(slot + 1)"
    case "window(by:bufferSize:)": return slot == 1 ? "boundary" : "main"
    case nil where name == "buffer(by:maxCount:)": return slot == 1 ? "boundary" : "main"
    default: return nil
    }
  }

  /// Phrases that say what the part is doing and waiting for.
  var states: [String] {
    var states: [String] = []
    if facts.isOver { return ["has ended"] }
    if facts.isUnconnected, facts.owner == nil { states.append("has received no subscription") }
    switch kind {
    case .root:
      if name != nil, let operatorName = facts.operatorName { states.append("subscriber of \(operatorName)") }
      if let awaits = facts.awaits {
        let body = (facts.counter?.count ?? 0) > 0 ? "its body is running" : "its body is running or hasn't started"
        states.append(awaits ? "awaits a value" : body)
        if facts.waiting > 0 { states.append(counted(facts.waiting, "value", "waiting")) }
      }
    case .link: break
    case .subject:
      states.append(facts.subscribers == 1 ? "1 subscriber" : "\(facts.subscribers) subscribers")
      if facts.isDelivering { states.append("is sending") }
    case .engine(let engine): states += engineStates(engine)
    case .source: states += sourceStates
    case .unknown: break
    }
    if let batch = facts.batch, let held = facts.held { states.append("holds \(held) of \(batch)") }
    if facts.isFinishing { states.append("ends after the waiting values") }
    if facts.others > 0 { states.append("\(facts.others) more sources") }
    return states
  }

  private var sourceStates: [String] {
    var states: [String] = []
    if facts.isAbandoned {
      states.append("its promise was released without being called")
    } else if facts.isPromised, facts.hasTask {
      states.append("its task hasn't returned")
    } else if facts.isPromised {
      states.append("its promise has not been called")
    } else if facts.hasTask {
      states.append(facts.isTaskWaiting ? "its task is waiting for demand" : "its task is running")
    }
    if facts.isDelivering { states.append("is sending") }
    if let demand = facts.demand, !facts.isDelivering {
      states.append(
        demand.max.map { $0 == 0 ? "nothing is requested" : "\($0) requested" } ?? "everything is requested")
    }
    return states
  }

  /// Indicates whether the operator has slots for sources that come from the values of its outer source.
  var hasPlaces: Bool { facts.limit != nil }

  /// Indicates whether slot 0 belongs to an outer source, whose values become sources.
  var hasOuter: Bool { hasPlaces || isSwitch }

  /// Indicates whether each source replaces the previous one.
  var isSwitch: Bool { engine == "switchToLatest" || engine == "flatMapLatest" }

  /// Indicates whether the operator passes values on, or drops them, until another publisher sends one.
  var isUntil: Bool {
    ["prefix(untilOutputFrom:)", "drop(untilOutputFrom:)", "prefix(duration:)", "drain"].contains(engine)
  }

  /// Indicates whether the operator sends each value that arrives, as soon as there is demand.
  var sendsAll: Bool { ["buffer", "merge", "append", "prepend"].contains(engine) }

  /// Indicates whether the operator creates a publisher for each group of values.
  var isGrouping: Bool { ["groupBy", "window(by:bufferSize:)"].contains(engine) }

  /// Indicates whether the operator's successive sources are called attempts.
  var isRepeated: Bool { isRetried || ["catch", "tryCatch", "repeat", "poll(every:scheduler:)"].contains(engine) }

  /// Indicates whether the operator subscribes to its source later, when a delay has ended.
  var pauses: Bool { engine == "poll(every:scheduler:)" || engine == "delay(subscription:)" }

  /// Indicates whether successive sources are attempts after failures.
  var isRetried: Bool { engine?.hasPrefix("retry") == true }

  private func engineStates(_ engine: String) -> [String] {
    var states: [String] = []
    switch engine {
    case "zip":
      for slot in facts.upstreams.map(\.slot) {
        states.append("\(role(slot) ?? "") has \(facts.kept[slot].map(String.init) ?? "none")")
      }
    case "combineLatest":
      for slot in facts.upstreams.map(\.slot) where facts.kept[slot] == nil {
        states.append("\(role(slot) ?? "") has sent nothing")
      }
    case "withLatest(from:)", "pausable(runningWhile:)":
      if facts.kept[1] == nil, facts.isOpen == nil { states.append("\(role(1) ?? "") has sent nothing") }
      if facts.isOpen == false { states.append("closed") }
    case "sample(by:)":
      states.append(facts.kept[0] != nil ? "a value is waiting for the sampler" : "main has sent nothing new")
    case _ where hasPlaces:
      if let max = facts.limit?.max {
        states.append(
          "\(facts.running) of \(max) running\(facts.running >= max ? ", nothing requested from outer" : "")")
      } else {
        states.append("\(facts.running) running")
      }
      if facts.ended.contains(0) { states.append("outer ended") }
    case _ where isSwitch:
      states.append(facts.ended.contains(0) ? "outer ended" : "outer live")
      if facts.succeeded == 0 {
        states.append("no inner yet")
      } else {
        states.append(facts.ended.contains(1) ? "inner ended" : "inner live")
      }
      if facts.succeeded > 1 { states.append("\(facts.succeeded) inner publishers so far") }
    case _ where isUntil:
      if facts.isOpen == false { states.append("closed") }
    default:
      if facts.succeeded > 0 { states.append("\(isRepeated ? "attempt" : "source") \(facts.succeeded + 1)") }
      if let left = facts.successors, left > 0, left < Int.max / 2 { states.append("\(left) more to follow") }
      if engine == "retry(when:)", facts.ended.contains(1) { states.append("is waiting for the next attempt") }
    }
    if let bound = facts.bound, bound < Int.max {
      // Values that the rate allows don't need room.
      let due = engine == "rateLimit" ? facts.ready : 0
      states.append("\(facts.waiting - due) of \(bound) are waiting")
      if due > 0 { states.append(counted(due, "value", "due")) }
    } else if waiting > 0 {
      states.append(counted(waiting, "value", "waiting"))
    } else if facts.place != nil || facts.hasTimer {
      states.append("nothing is waiting")
    }
    if let place {
      if facts.hasTimer, let remaining = place.remaining {
        let overdue = delay.map { $0 > Self.punctual ? "overdue by \($0.text)" : "due now" } ?? "due now"
        states.append(remaining == .zero ? overdue : "due in \(remaining.text)")
      }
      states.append("on \(place.name)")
      if facts.isScheduled { states.append("a delivery is scheduled") }
    }
    if facts.isDelivering { states.append("is delivering") }
    if let demand = facts.demand, demand != .unlimited { states.append("downstream \(demand.wish)") }
    return states
  }

  /// The delay up to which a scheduler counts as punctual.
  static let punctual = Duration.milliseconds(20)

  /// Indicates whether the part delivers values on an actor.
  var isOnActor: Bool { engine == "receive(on:)" && facts.place is any Actor }

}

extension Subscribers.Demand {
  /// The demand as a phrase: `wants everything`, `wants none`.
  var wish: String {
    guard let max else { return "wants everything" }
    return max == 0 ? "wants none" : "wants \(max)"
  }

  var inspected: Inspection.Demand { max.map { .values($0) } ?? .unlimited }
}

/// Returns text for a number of values: `1 value`, `3 values`.
func numberOfValues(_ count: some BinaryInteger) -> String { count == 1 ? "1 value" : "\(count) values" }

/// Returns text for a number of things and what they're doing: `1 value is waiting`, `3 values are waiting`.
func counted(_ count: Int, _ thing: String, _ does: String) -> String {
  count == 1 ? "1 \(thing) is \(does)" : "\(count) \(thing)s are \(does)"
}
