import Streams

/// What has been asked of a publisher.
final class ProbeRecord: CustomStringConvertible {
  var subscriptions = 0
  var requested = Demand.none
  var cancellations = 0
  var description: String { "subscribed \(subscriptions), requested \(requested), cancelled \(cancellations)" }
}

/// Counts what a subscriber requests. What it requests while a value is delivered counts only if the stream goes on after that.
struct RequestCount {
  let record: ProbeRecord
  private var isDelivering = false
  private var requested = Demand.none

  init(_ record: ProbeRecord) { self.record = record }

  mutating func begin() { isDelivering = true }

  mutating func end(returning more: Demand = .none, goesOn: Bool) {
    isDelivering = false
    if goesOn { record.requested += requested + more }
    requested = .none
  }

  mutating func request(_ demand: Demand) {
    if isDelivering { requested += demand } else { record.requested += demand }
  }
}

/// Publishes what arrives, and records what is requested.
struct ProbePublisher<Upstream: Source>: Publisher {
  typealias Output = Int
  typealias Failure = Failed
  let source: Upstream
  let record: ProbeRecord

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Failed {
    record.subscriptions += 1
    source.subscribe(Inner(subscriber, record))
  }

  private final class Inner<S: Subscriber<Int, Failed>>: Subscriber, Subscription {
    private var downstream: S?
    private var upstream: (any Subscription)?
    private var requests: RequestCount

    init(_ downstream: S, _ record: ProbeRecord) { (self.downstream, requests) = (downstream, RequestCount(record)) }

    func receive(subscription: any Subscription) {
      upstream = subscription
      downstream?.receive(subscription: self)
    }

    func receive(_ input: Int) -> Demand {
      requests.begin()
      let more = downstream?.receive(input) ?? .none
      requests.end(returning: more, goesOn: upstream != nil)
      return more
    }

    func receive(completion: Subscribers.Completion<Failed>) {
      let last = downstream
      (downstream, upstream) = (nil, nil)
      last?.receive(completion: completion)
    }

    func request(_ demand: Demand) {
      guard let upstream else { return }
      requests.request(demand)
      upstream.request(demand)
    }

    func cancel() {
      guard let last = upstream else { return }
      (downstream, upstream) = (nil, nil)
      requests.record.cancellations += 1
      last.cancel()
    }
  }
}

/// The same, in the model.
final class ModelProbe: ModelSubscriber, ModelSubscription {
  private var requests: RequestCount
  private let downstream: any ModelSubscriber
  private let place: Int
  private var upstream: (any ModelSubscription)?

  init(_ record: ProbeRecord, _ downstream: any ModelSubscriber, _ place: Int) {
    (requests, self.downstream, self.place) = (RequestCount(record), downstream, place)
  }

  func dispose() { upstream = nil }

  func receive(subscription: any ModelSubscription, as upstream: Int) {
    self.upstream = subscription
    downstream.receive(subscription: self, as: place)
  }

  func receive(_ value: Int, from upstream: Int) {
    requests.begin()
    downstream.receive(value, from: place)
    requests.end(goesOn: self.upstream != nil)
  }

  func receive(ending: Ending, from upstream: Int) {
    self.upstream = nil
    downstream.receive(ending: ending, from: place)
  }

  func request(_ demand: Demand) {
    guard let upstream else { return }
    requests.request(demand)
    upstream.request(demand)
  }

  func cancel() {
    guard let last = upstream else { return }
    upstream = nil
    requests.record.cancellations += 1
    last.cancel()
  }
}
