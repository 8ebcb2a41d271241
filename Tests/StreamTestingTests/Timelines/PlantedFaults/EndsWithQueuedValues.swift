import StreamTesting
import Streams

/// Publishes pairs of the values of two publishers.
private struct Paired<First: Publisher, Second: Publisher>: Publisher
where First.Failure == Never, Second.Failure == Never {
  typealias Output = (First.Output, Second.Output)
  typealias Failure = Never

  let first: First
  let second: Second
  let isFaulty: Bool

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    let subscription = PairedSubscription<First.Output, Second.Output, S>(isFaulty, subscriber)
    subscriber.receive(subscription: subscription)
    subscription.start(first, second)
  }
}

private final class PairedSubscription<First, Second, Downstream: Subscriber>: Subscription
where Downstream.Input == (First, Second), Downstream.Failure == Never {
  private let isFaulty: Bool
  private var downstream: Downstream?
  private var demand = Subscribers.Demand.none
  private var firsts: [First] = []
  private var seconds: [Second] = []
  private var hasFirstEnded = false
  private var hasSecondEnded = false
  private var cancellables: Set<AnyCancellable> = []

  init(_ isFaulty: Bool, _ downstream: Downstream) {
    self.isFaulty = isFaulty
    self.downstream = downstream
  }

  func start(_ first: some Publisher<First, Never>, _ second: some Publisher<Second, Never>) {
    first.sink(
      receiveCompletion: { [weak self] _ in
        self?.hasFirstEnded = true
        self?.proceed()
      },
      receiveValue: { [weak self] value in
        self?.firsts.append(value)
        self?.proceed()
      }
    )
    .store(in: &cancellables)
    second.sink(
      receiveCompletion: { [weak self] _ in
        self?.hasSecondEnded = true
        self?.proceed()
      },
      receiveValue: { [weak self] value in
        self?.seconds.append(value)
        self?.proceed()
      }
    )
    .store(in: &cancellables)
  }

  func request(_ demand: Subscribers.Demand) {
    self.demand += demand
    proceed()
  }

  func cancel() {
    downstream = nil
    cancellables = []
  }

  private func proceed() {
    while let downstream, demand > .none, !firsts.isEmpty, !seconds.isEmpty {
      demand -= 1
      demand += downstream.receive((firsts.removeFirst(), seconds.removeFirst()))
    }
    // The fault: the end of one side ends the pairs, although its last values still wait for the other side.
    let isOver =
      isFaulty
      ? hasFirstEnded || hasSecondEnded
      : hasFirstEnded && firsts.isEmpty || hasSecondEnded && seconds.isEmpty
    guard isOver, let downstream else { return }
    cancel()
    downstream.receive(completion: .finished)
  }
}

extension PlantedFault {
  /// After cx-org/CombineX#106.
  ///
  /// Shown by `a` and the end of the letters, followed by a number.
  static var endsWithQueuedValues: Self {
    PlantedFault("the zip that ends with values in its queue", origin: "museum 57") { isFaulty in
      .lettersAndNumbers { letters, numbers, scheduler in
        let recorder = scheduler.record(
          Paired(first: letters, second: numbers, isFaulty: isFaulty).map { "\($0)\($1)" })
        let reference = scheduler.record(letters.zip(numbers).map { "\($0)\($1)" })
        scheduler.run()
        try claim(recorder.events, equals: reference.events, "all letters are paired that can be")
      }
    }
  }
}
