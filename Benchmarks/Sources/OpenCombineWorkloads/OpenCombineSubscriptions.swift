import OpenCombine
import Workloads

extension OpenCombineWorkloads {
  /// Creates the given number of subscriptions, and runs a closure while they live.
  package static func withSubscriptions(_ shape: SubscriptionShape, _ count: Int, _ body: () -> Void) {
    let sum = Sum()
    let scheduler = VirtualTimeScheduler(VirtualTime())
    let (subject, other) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
    var cancellables: [AnyCancellable] = []
    cancellables.reserveCapacity(count)
    for _ in 0..<count {
      let cancellable =
        switch shape {
        case .chain: subject.map { $0 &+ 1 }.filter { $0 & 1 == 0 }.sink { sum.add($0) }
        case .merge: [subject, other].publisher.flatMap { $0 }.sink { sum.add($0) }
        case .debounce: subject.debounce(for: .seconds(1), scheduler: scheduler).sink { sum.add($0) }
        case .receiveOn: subject.receive(on: scheduler).sink { sum.add($0) }
        }
      cancellables.append(cancellable)
    }
    body()
    for cancellable in cancellables { cancellable.cancel() }
  }
}
