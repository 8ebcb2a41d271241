internal import Streams

/// A stream that has ended, and how, in words.
struct EndedStream: CustomStringConvertible {
  private let ended: Registry.EndedSink
  /// The place that created the sink or the loop.
  let place: CodeLine?

  init(_ ended: Registry.EndedSink) {
    self.ended = ended
    place = CallSites.shared.place(of: ended.made.place)
  }

  var description: String {
    if let late { return late }
    let ender = CallSites.shared.place(of: ended.site)
    let call = ender == place || ender?.line == nil ? nil : ender
    let isTriggered = ender.map(isEndOfTrigger) ?? false
    let trigger = isTriggered ? ", when a trigger sent a value" : ""
    // A cancellation may come from an assignment, or from the end of a scope.
    let verb = ended.isCancelled ? "" : " in the call"
    let calling = trigger + (call.map { "\(isTriggered ? "" : ",")\(verb) at \($0)" } ?? "")
    let relay = ended.isCancelled ? nil : releasedRelay
    let enders = ended.isCancelled || relay != nil ? "" : causes
    let isUnexplained = ended.count == 0 && isImmediate && !ended.isCancelled && ended.failure == nil && enders.isEmpty
    let source = relay ?? (isUnexplained ? source(isTrigger: isTriggered) : nil)
    return
      "The \(ended.isLoop ? "loop" : "stream")\(place.map { " at \($0)" } ?? "") \(ending) \(values)\(calling)\(source ?? "")"
      + "\(enders.isEmpty ? "" : ", perhaps because \(enders)")."
  }

  /// Indicates whether the stream ended as soon as it began, perhaps before the call that created it returned.
  private var isImmediate: Bool { ended.isImmediate || CallSites.shared.place(of: ended.site) == place && place != nil }

  private var ending: String {
    if ended.isCancelled { return ended.isLoop ? "was left, or its task was cancelled," : "was cancelled" }
    if let failure = ended.failure { return "failed with \(GenericType(failure).text)" }
    return ended.count > 0 ? "ended" : isImmediate ? "completed immediately" : "completed"
  }

  private var values: String {
    ended.count > 0
      ? "after \(numberOfValues(ended.count))" : ended.failure == nil ? "without a value" : "before its first value"
  }

  /// Says that what the stream subscribed to had already ended, if that's so.
  private var late: String? {
    guard ended.count == 0, let place,
      let late = Registry.shared.lateSubscriptions.last(where: { CallSites.shared.place(of: $0.place) == place })
    else { return nil }
    let isShared = SubscriberChain(late.subscriber).links.contains { $0.name == "share" }
    let share = SourceChain(endingAt: place)?.expandedCalls(at: place).first { $0.name == "share" }
    if isShared, share?.text.contains("replay:") == true {
      return
        "share(replay:) had already ended when this stream subscribed to it (\(place)). It sends its kept values again, if there "
        + "are any, and its end. To begin anew, retry or repeat what is upstream of it."
    }
    return
      "\(isShared ? "share()" : "The subject") had already ended when this stream subscribed to it (\(place)), and it doesn't "
      + "replay values. Subscribe earlier, or use share(replay:)."
  }

  /// Says that the stream ended because a relay was released, if that's so.
  private var releasedRelay: String? {
    let symbols = CallSites.shared.frames(of: ended.site).map(\.symbol)
    let relay = ["PassthroughRelay", "CurrentValueRelay", "ReplayRelay"].first { name in
      symbols.contains { $0.contains("\(name)CfD") || $0.contains("\(name)Cfd") }
    }
    return relay.map {
      ", because its \($0) was released. Keep a reference to the relay for as long as you want values"
    }
  }

  /// Names the source that finished, or the trigger that sent a value, as soon as this stream subscribed to it, if that's
  /// known.
  private func source(isTrigger: Bool) -> String? {
    let publishers = CallSites.shared.frames(of: ended.site).compactMap { SymbolName.subscribed($0.symbol) }
    guard let source = publishers.first else { return nil }
    if isTrigger {
      guard source == "CurrentValueSubject" else { return nil }
      return
        ". \(source) sends its current value to each new subscriber. If that isn't to end the stream, use dropFirst()"
    }
    let race = publishers.contains { $0.hasPrefix("Race") } ? ", and so won a race" : ""
    switch source {
    case "MergeMany": return ", because MergeMany had no publishers to merge"
    case "Empty": return ", because Empty finished\(race)"
    case "Optional.Publisher": return dropOfJust ?? ", when an optional's publisher finished\(race)"
    case "Sequence": return ", when a sequence's publisher finished\(race)"
    default: return nil
    }
  }

  /// Says that an operator has dropped the value of `Just`, if the chain begins with one. Such operators return an optional's
  /// publisher.
  private var dropOfJust: String? {
    guard let place, let calls = SourceChain(endingAt: place)?.expandedCalls(at: place),
      let just = calls.firstIndex(where: { $0.name == "Just" }), just > 0
    else { return nil }
    let operators = ["filter", "compactMap", "prefix", "dropFirst", "drop", "first", "last", "output", "tryFilter"]
    return calls[..<just].last { operators.contains($0.name) }
      .map { ", because \($0.name) (\(place.onLine($0.line))) dropped the value of Just" }
  }

  /// Returns whether a value from a second source, such as the trigger of `prefix(untilOutputFrom:)`, ended the stream.
  /// Such sources have a special type of subscriber.
  private func isEndOfTrigger(_ call: CodeLine) -> Bool {
    CallSites.shared.frames(of: ended.site).prefix { $0.path != call.path }.contains {
      $0.symbol.contains("7Streams12TriggerInletV") && $0.symbol.contains("7receiveyAA11SubscribersO6Demand")
    }
  }

  /// Describes what may have ended the stream before its source ended or failed.
  private var causes: String {
    let enders = enders
    // Without the source code, it isn't known which operator that was.
    return enders.isEmpty && isEndOfReplacement ? "catch or replaceError replaced a failure" : enders
  }

  /// Describes the operators of a chain that may have ended the stream before its source ended or failed, and the operators that
  /// replaced a failure during the call that ended the stream.
  private var enders: String {
    guard let place, let chain = SourceChain(endingAt: place) else { return "" }
    let names = ["prefix", "first", "timeout", "output", "contains", "allSatisfy", "drain", "finish"]
    return chain.expandedCalls(at: place).compactMap { call in
      let name = "\(call.name) (\(place.onLine(call.line)))"
      switch call.name {
      case "catch" where isEndOfReplacement, "tryCatch" where isEndOfReplacement,
        "replaceError" where isEndOfReplacement:
        return "\(name) replaced a failure"
      case _ where ended.failure != nil && call.name.hasPrefix("try"): return "\(name) threw an error"
      case "timeout" where ended.failure != nil: return "the time of \(name) was over"
      case "retry" where ended.failure != nil: return "\(name) made no other attempt"
      case _ where ended.failure != nil: return nil
      case "zip": return "a source of \(name) had finished"
      case "sink" where call.text.contains("with:") && isEndOfOwner:
        return "the object passed to \(name) has been released"
      case _ where names.contains(call.name):
        return "\(name) ended it\(call.trigger.map { ", as any value of \($0) does" } ?? "")"
      default: return nil
      }
    }.joined(separator: " or ")
  }

  /// Returns whether the stream ended while an operator subscribed to the publisher that replaces a failure.
  private var isEndOfReplacement: Bool {
    CallSites.shared.frames(of: ended.site).contains { $0.symbol.contains("6attach4last2to") }
  }

  /// Returns whether an operator ended the stream when a value arrived, as one that doesn't retain its owner does.
  private var isEndOfOwner: Bool {
    let symbols = CallSites.shared.frames(of: ended.site).map(\.symbol)
    return zip(symbols, symbols.dropFirst()).contains { callee, caller in
      callee.contains("StageSubscriberC3endyy") && caller.contains("StageSubscriberC7receiveyAA11SubscribersO6Demand")
    }
  }
}
