import StreamTesting
import Streams

/// Publishes values in groups of the same size, and at the end the values that are left.
private struct Groups<Upstream: Publisher>: Publisher {
  typealias Output = [Upstream.Output]
  typealias Failure = Upstream.Failure

  let upstream: Upstream
  let size: Int
  let isFaulty: Bool

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(GroupsSubscriber(size, isFaulty, subscriber))
  }
}

private final class GroupsSubscriber<Input, Downstream: Subscriber>: Subscriber where Downstream.Input == [Input] {
  typealias Failure = Downstream.Failure

  private let size: Int
  private let isFaulty: Bool
  private let downstream: Downstream
  private var group: [Input] = []

  init(_ size: Int, _ isFaulty: Bool, _ downstream: Downstream) {
    self.size = size
    self.isFaulty = isFaulty
    self.downstream = downstream
  }

  func receive(subscription: any Subscription) {
    downstream.receive(subscription: GroupsSubscription(subscription, size))
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    group.append(input)
    guard group.count == size else { return .none }
    let demand = downstream.receive(takeGroup())
    // The fault: a number of groups is returned as a number of values.
    return isFaulty ? demand : demand * size
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    if case .finished = completion, !group.isEmpty { _ = downstream.receive(takeGroup()) }
    downstream.receive(completion: completion)
  }

  private func takeGroup() -> [Input] {
    defer { group = [] }
    return group
  }
}

private final class GroupsSubscription: Subscription {
  private let upstream: any Subscription
  private let size: Int

  init(_ upstream: any Subscription, _ size: Int) {
    self.upstream = upstream
    self.size = size
  }

  func request(_ demand: Subscribers.Demand) { upstream.request(demand * size) }
  func cancel() { upstream.cancel() }
}

extension PlantedFault {
  /// After reactor/reactor-core#2892.
  ///
  /// Shown by `abcd` with a demand of one group at the beginning and one more with each group.
  static var demandOfGroups: Self {
    PlantedFault("the groups that request too few values", origin: "museum 9") { isFaulty in
      .lettersAndDemand { letters, demand, scheduler in
        let recorder = scheduler.record(Groups(upstream: letters, size: 2, isFaulty: isFaulty), demand: demand)
        let reference = scheduler.record(letters.collect(2), demand: demand)
        scheduler.run()
        try claim(recorder.events, equals: reference.events, "each group that is requested arrives")
      }
    }
  }
}
