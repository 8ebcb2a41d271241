import Dispatch
import StreamAlgorithms
import StreamSchedulers
import Streams

private struct Price: Equatable {
  var symbol: String
  var time: Property.Stride
}

/// Shows the price of a symbol, which may be up to a second old.
private final class PriceModel: ObservableObject {
  @Published private(set) var price: Price?

  private struct Entry {
    var price: Price
    var date: DispatchQueue.SchedulerTimeType
  }

  private let fetch: (String) -> AnyPublisher<Price, Never>
  private let scheduler: AnySchedulerOf<DispatchQueue>
  private let isFaulty: Bool
  private var entries: [String: Entry] = [:]
  private var request: AnyCancellable?

  init(
    fetch: @escaping (String) -> AnyPublisher<Price, Never>, scheduler: AnySchedulerOf<DispatchQueue>, isFaulty: Bool
  ) {
    self.fetch = fetch
    self.scheduler = scheduler
    self.isFaulty = isFaulty
  }

  func show(_ symbol: String) {
    let now = scheduler.now
    if let entry = entries[symbol], entry.date.distance(to: now) < .seconds(1) {
      price = entry.price
      // The fault: a price that is read often never grows old.
      if isFaulty { entries[symbol]?.date = now }
      return
    }
    request = fetch(symbol).sink(with: self) { model, price in
      model.entries[symbol] = Entry(price: price, date: now)
      model.price = price
    }
  }
}

extension PlantedFault {
  /// Shown by `a` three times at intervals of 600 ms.
  static var staleCache: Self {
    PlantedFault("the cache that answers with a price that is too old") { isFaulty in
      .letters { letters, scheduler in
        var violations: [String] = []
        var fetched: [String: Property.Stride] = [:]
        let model = PriceModel(
          fetch: { symbol in
            if let last = fetched[symbol], scheduler.elapsed - last < .seconds(1) {
              violations.append("\(symbol) is fetched twice within a second")
            }
            fetched[symbol] = scheduler.elapsed
            return Just(Price(symbol: symbol, time: scheduler.elapsed)).eraseToAnyPublisher()
          },
          scheduler: scheduler.eraseToAnyScheduler(), isFaulty: isFaulty)
        let showing = letters.sink { symbol in
          model.show(symbol)
          guard let price = model.price, price.symbol == symbol else {
            return violations.append("the price of \(symbol) is not shown")
          }
          if scheduler.elapsed - price.time >= .seconds(1) {
            violations.append("the price of \(symbol) has been fetched at \(price.time.magnitude) ns")
          }
        }
        scheduler.run(keeping: showing)
        try claim(violations, equals: [], "prices are new and fetched seldom")
      }
    }
  }
}
