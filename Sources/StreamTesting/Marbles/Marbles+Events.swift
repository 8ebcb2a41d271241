internal import StreamSchedulers
internal import Streams

extension Marbles {
  /// What is in the diagram; nothing, after a report, if it cannot be read.
  func read(_ place: SourcePlace, countingFromSubscription: Bool = true) -> [Marble] {
    do {
      return try parsed(countingFromSubscription: countingFromSubscription)
    } catch {
      place.report("\(error)")
      return []
    }
  }

  /// The events of a stream that begins at a time.
  ///
  /// What a stream cannot have, and names that stand for nothing, are reported and left out.
  func events<Output, Failure, Time>(
    from beginning: Time, frame: Time, values: (String) -> Output?, error: Failure?, _ place: SourcePlace
  ) -> [Recorded<Output, Failure, Time>]
  where Time: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable {
    let frame = frame.nanoseconds
    return read(place).compactMap { marble in
      let time = beginning + .nanoseconds(marble.offset.nanoseconds(frame: frame))
      switch marble.symbol {
      case .nothing, .subscription: return nil
      case .finish: return .completed(at: time)
      case .value(let name):
        if let value = values(name) { return .next(at: time, value) }
        report("no value is given for \(name)", marble, place)
      case .failure:
        if let error { return .failure(at: time, error) }
        report("no error is given for #", marble, place)
      case .cancellation: report("a publisher is not cancelled in its own diagram", marble, place)
      }
      return nil
    }
  }

  private func report(_ reason: String, _ marble: Marble, _ place: SourcePlace) {
    place.report("\(MarbleSyntaxError(text: text, column: marble.column, reason: reason))")
  }
}

extension DemandScript where Time: SchedulerTimeIntervalConvertible & SignedNumeric & Comparable {
  /// The script with its diagram, if it has one, read into requests.
  func resolved(from beginning: Time, frame: Time, _ place: SourcePlace) -> Self {
    guard let marbles else { return self }
    var script = self
    script.marbles = nil
    let frame = frame.nanoseconds
    for marble in marbles.read(place) {
      let demand: Subscribers.Demand
      switch marble.symbol {
      case .nothing: continue
      case .value("*"): demand = .unlimited
      case .value(let name) where Int(name).map { $0 > 0 } == true: demand = .max(Int(name) ?? 0)
      case .value, .finish, .failure, .subscription, .cancellation:
        let reason = "a demand is a number from 1, or * for all"
        place.report("\(MarbleSyntaxError(text: marbles.text, column: marble.column, reason: reason))")
        continue
      }
      let offset = marble.offset.nanoseconds(frame: frame)
      if offset == 0 {
        script.initial += demand
      } else {
        script.requests.append(.request(at: beginning + .nanoseconds(offset), demand))
      }
    }
    return script
  }
}
