import Streams

/// What has been asked of a publisher.
final class ProbeRecord: CustomStringConvertible {
  var subscriptions = 0
  var requested = Demand.none
  var cancellations = 0
  var description: String { "subscribed \(subscriptions), requested \(requested), cancelled \(cancellations)" }
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
    private let record: ProbeRecord
    /// What is requested while a value is delivered counts only if the stream goes on after that.
    private var isDelivering = false
    private var requested = Demand.none

    init(_ downstream: S, _ record: ProbeRecord) { (self.downstream, self.record) = (downstream, record) }

    func receive(subscription: any Subscription) {
      upstream = subscription
      downstream?.receive(subscription: self)
    }

    func receive(_ input: Int) -> Demand {
      isDelivering = true
      let more = downstream?.receive(input) ?? .none
      isDelivering = false
      if upstream != nil { record.requested += requested + more }
      requested = .none
      return more
    }

    func receive(completion: Subscribers.Completion<Failed>) {
      let last = downstream
      (downstream, upstream) = (nil, nil)
      last?.receive(completion: completion)
    }

    func request(_ demand: Demand) {
      guard let upstream else { return }
      if isDelivering { requested += demand } else { record.requested += demand }
      upstream.request(demand)
    }

    func cancel() {
      guard let last = upstream else { return }
      (downstream, upstream) = (nil, nil)
      record.cancellations += 1
      last.cancel()
    }
  }
}

/// The same, in the model.
final class ModelProbe: ModelSubscriber, ModelSubscription {
  private let record: ProbeRecord
  private let downstream: any ModelSubscriber
  private let place: Int
  private var upstream: (any ModelSubscription)?
  private var isDelivering = false
  private var requested = Demand.none

  init(_ record: ProbeRecord, _ downstream: any ModelSubscriber, _ place: Int) {
    (self.record, self.downstream, self.place) = (record, downstream, place)
  }

  func dispose() { upstream = nil }

  func receive(subscription: any ModelSubscription, as upstream: Int) {
    self.upstream = subscription
    downstream.receive(subscription: self, as: place)
  }

  func receive(_ value: Int, from upstream: Int) {
    isDelivering = true
    downstream.receive(value, from: place)
    isDelivering = false
    if self.upstream != nil { record.requested += requested }
    requested = .none
  }

  func receive(ending: Ending, from upstream: Int) {
    self.upstream = nil
    downstream.receive(ending: ending, from: place)
  }

  func request(_ demand: Demand) {
    guard let upstream else { return }
    if isDelivering { requested += demand } else { record.requested += demand }
    upstream.request(demand)
  }

  func cancel() {
    guard let last = upstream else { return }
    upstream = nil
    record.cancellations += 1
    last.cancel()
  }
}
