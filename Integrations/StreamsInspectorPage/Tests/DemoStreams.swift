import Dispatch
import StreamAlgorithms
import StreamSchedulers
import Streams

/// Streams of several kinds, to be looked at.
final class DemoStreams: @unchecked Sendable {
  // Unchecked: each property is used by one task, but for the subjects, which are safe.
  let orders = PassthroughSubject<Int, Never>()
  let payments = PassthroughSubject<Int, Never>()
  let prices = PassthroughSubject<Double, Never>()
  let clients = PassthroughSubject<String, Never>()
  let queue = DispatchQueue(label: "demo")
  private let slow = DispatchQueue.test
  private(set) var cancellables: [AnyCancellable] = []
  private(set) var crowd: [AnyCancellable] = []

  /// Begins three streams: one works, one waits for a second source, one has a queue that fills.
  func beginThree() {
    cancellables = [
      prices.filter { $0 > 0 }.map { $0 * 1.19 }.removeDuplicates().sink(isolation: nil) { _ in },
      orders.zip(payments.filter { $0 > 0 }).map { $0 + $1 }.sink(isolation: nil) { _ in },
      orders.receive(on: slow, bounded: 64, whenFull: .dropOldest)
        .flatMap(maxPublishers: .max(2)) { [payments] _ in payments }.checkpoint("booked")
        .sink(isolation: nil) { _ in },
    ]
  }

  /// Begins many streams at few places.
  func beginCrowd(_ count: Int) {
    for number in 0..<count {
      switch number % 10 {
      case 0: crowd.append(prices.map { $0 + 1 }.sink(isolation: nil) { _ in })
      case 1: crowd.append(orders.combineLatest(payments).sink(isolation: nil) { _ in })
      case 2:
        crowd.append(clients.debounce(for: .milliseconds(300), scheduler: queue).sink(isolation: nil) { _ in })
      case 3: crowd.append(clients.buffer(bounded: 16, whenFull: .dropOldest).sink(isolation: nil) { _ in })
      default: crowd.append(clients.filter { $0 == "\(number)" }.map(\.count).sink(isolation: nil) { _ in })
      }
    }
  }

  func endThree() { cancellables = [] }

  func end(_ count: Int) { crowd.removeLast(min(count, crowd.count)) }

  func send(_ number: Int) {
    prices.send(Double(number % 7) - 1)
    orders.send(number)
  }
}
