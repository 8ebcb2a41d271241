internal import StreamSchedulers
internal import Streams

extension Marbles {
  /// Passes each symbol of the diagram to a closure, which returns the mistake in the symbol, if there's one.
  ///
  /// All mistakes are reported together, so a bad diagram fails only once. If the diagram can't be parsed, the closure
  /// isn't called.
  ///
  /// - Returns: `true` if there are no mistakes. Otherwise, comparing with the diagram wouldn't add anything.
  func read(
    _ location: CodeLocation, countingFromSubscription: Bool = true, _ mistake: (Marble) -> String?
  ) -> Bool {
    var mistakes: [MarbleSyntaxError] = []
    do {
      for marble in try parsed(countingFromSubscription: countingFromSubscription) {
        guard let reason = mistake(marble) else { continue }
        mistakes.append(MarbleSyntaxError(text: text, column: marble.column, reason: reason))
      }
    } catch {
      mistakes.append(error)
    }
    guard !mistakes.isEmpty else { return true }
    location.report(mistakes.map { "\($0)" }.joined(separator: "\n"))
    return false
  }

  /// Returns the events of a stream that begins at the given time, and whether the diagram is free of mistakes.
  ///
  /// Symbols that a stream can't have, and names without a value, are reported and left out.
  func events<Output, Failure, Time>(
    from beginning: Time, frame: Time, values: (String) -> Output?, error: Failure?, _ location: CodeLocation
  ) -> (events: [Recorded<Output, Failure, Time>], isSound: Bool)
  where Time: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable {
    let frame = frame.nanoseconds
    var events: [Recorded<Output, Failure, Time>] = []
    let isSound = read(location) { marble in
      let time = beginning + .nanoseconds(marble.offset.nanoseconds(frame: frame))
      switch marble.symbol {
      case .nothing, .subscription: break
      case .finish: events.append(.completed(at: time))
      case .value(let name):
        guard let value = values(name) else { return "no value is given for \(name)" }
        events.append(.next(at: time, value))
      case .failure:
        guard let error else { return "no error is given for #" }
        events.append(.failure(at: time, error))
      case .cancellation: return "the diagram of a publisher contains no cancellation"
      }
      return nil
    }
    return (events, isSound)
  }
}

extension DemandScript where Time: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable {
  /// Returns the script with its diagram, if it has one, converted into requests.
  func resolved(from beginning: Time, frame: Time, _ location: CodeLocation) -> Self {
    guard let marbles else { return self }
    var script = self
    script.marbles = nil
    let frame = frame.nanoseconds
    script.isSound = marbles.read(location) { marble in
      let demand: Subscribers.Demand
      switch marble.symbol {
      case .nothing: return nil
      case .value("*"): demand = .unlimited
      case .value(let name) where Int(name).map { $0 > 0 } == true: demand = .max(Int(name) ?? 0)
      case .value, .finish, .failure, .subscription, .cancellation:
        return "a demand is a number of at least 1, or * for unlimited demand"
      }
      let offset = marble.offset.nanoseconds(frame: frame)
      if offset == 0 {
        script.initial += demand
      } else {
        script.requests.append(.request(at: beginning + .nanoseconds(offset), demand))
      }
      return nil
    }
    return script
  }
}
