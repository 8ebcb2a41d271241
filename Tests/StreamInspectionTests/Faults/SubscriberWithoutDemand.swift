import Streams

extension PlantedFault {
  /// The subscriber of a table keeps its subscription, and requests nothing from it.
  static let subscriberWithoutDemand = PlantedFault(
    name: "subscriber without demand",
    goodSentence: "The subscriber TableRows has requested no value: its demand is none.",
    answer: [
      ["demand", "request"], ["no ", "none", "nothing", "never", "not ", "n't", "zero", " 0"],
      ["subscriber", "downstream", "tablerows"],
    ],
    arriving: 0, expected: 3,
    plant: { setUp(TableRows()) }, corrected: { setUp(RequestingTableRows()) })
}

@MainActor
private func setUp(_ rows: TableRows) -> Planted {
  let names = PassthroughSubject<String, Never>()
  names.filter { !$0.isEmpty }.map { $0.uppercased() }.subscribe(rows)
  names.send("Ada")
  return Planted(
    cancellable: AnyCancellable(rows), keepsAlive: [rows, names], line: rows.line,
    received: { rows.rows.count },
    provoke: {
      names.send("Grace")
      names.send("Edsger")
    })
}

/// The rows of a table, which is told when there are more.
private class TableRows: Subscriber, Cancellable {
  typealias Failure = Never

  var rows: [String] = []
  var subscription: (any Subscription)?
  var line = 0

  func receive(subscription: any Subscription) {
    line = #line + 1
    self.subscription = subscription  // Fault: it requests nothing.
  }

  func receive(_ row: String) -> Subscribers.Demand {
    rows.append(row)
    return .none
  }

  func receive(completion: Subscribers.Completion<Never>) { subscription = nil }

  func cancel() {
    subscription?.cancel()
    subscription = nil
  }
}

private final class RequestingTableRows: TableRows {
  override func receive(subscription: any Subscription) {
    self.subscription = subscription
    subscription.request(.unlimited)
  }
}
