import StreamAlgorithms
import Streams

/// An object on a bench that values can be put into.
protocol Feed: AnyObject {
  func send(_ parcel: Parcel)
  func finish()
  func fail()
}

/// The interface of a source to the laws, whether it can fail or not.
protocol ProbeSource: Feed {
  var isStubborn: Bool { get set }
  var onRequest: () -> Void { get set }
  var onSubscriptionDeinit: (() -> Void)? { get set }

  /// Sends every subscriber another subscription, and returns the number of subscribers.
  func intrude(_ subscription: any Subscription) -> Int

  /// Sends every subscriber, even one whose stream has ended, a value and two completions.
  func babble()
}

/// A publisher that obeys the contract, and records how it is treated. It can also be made to violate the contract.
///
/// Values wait until there is demand, and keep their context. A value that is sent during a delivery waits until that delivery has ended.
/// Everything happens on one thread.
final class ProbePublisher<Failure: Error>: Publisher, ProbeSource {
  typealias Output = Parcel

  /// The records of the subscriptions, in the order in which those were created. Subscriptions are held only while they
  /// are active.
  private(set) var records: [ProbeRecord] = []
  private var active: [ProbeSubscription<Failure>] = []

  /// Indicates whether subscribers are kept after the end, so that forbidden signals can be sent to them.
  var isStubborn = false
  var onRequest: () -> Void = {}

  /// An action that runs when a subscription is deallocated.
  var onSubscriptionDeinit: (() -> Void)?

  /// A subject that sends in place of the probe, if there is one: the package knows its own sources when a stream is inspected.
  var subject: PassthroughSubject<Parcel, Failure>?

  private let failure: Failure?
  private let script: SourceScript

  init(failure: Failure?, script: SourceScript = .none) {
    self.failure = failure
    self.script = script
  }

  func receive<S: Subscriber>(subscriber: S) where S.Input == Parcel, S.Failure == Failure {
    if let subject { return subject.subscribe(subscriber) }
    let subscription = ProbeSubscription(AnySubscriber(subscriber), self)
    records.append(subscription.record)
    active.append(subscription)
    subscription.begin(script)
  }

  /// Forgets the subscriptions that have ended.
  func forget() { records.removeAll { !$0.isLive } }

  func send(_ parcel: Parcel) {
    if let subject { return subject.send(parcel) }
    for subscription in active { subscription.offer(parcel) }
  }

  func finish() { end(.finished) }

  func fail() { end(failure.map { .failure($0) } ?? .finished) }

  private func end(_ completion: Subscribers.Completion<Failure>) {
    for subscription in active { subscription.end(completion) }
  }

  fileprivate func remove(_ subscription: ProbeSubscription<Failure>) {
    if !isStubborn { active.removeAll { $0 === subscription } }
  }

  func intrude(_ subscription: any Subscription) -> Int {
    let subscribers = active.compactMap(\.subscriber)
    for subscriber in subscribers { subscriber.receive(subscription: subscription) }
    return subscribers.count
  }

  func babble() {
    for subscriber in active.compactMap(\.subscriber) {
      _ = subscriber.receive(Parcel(99))
      subscriber.receive(completion: .finished)
      subscriber.receive(completion: failure.map { .failure($0) } ?? .finished)
    }
  }
}

extension ProbePublisher where Failure == ContractError {
  convenience init(script: SourceScript = .none) { self.init(failure: ContractError(), script: script) }
}

/// What a source sends to each subscriber without being told to.
enum SourceScript {
  case none

  /// The numbers from 1 to 20 and a completion, as they are requested; never from inside `receive(subscription:)`.
  case numbers

  /// The same, from inside each request, even one that is made in `receive(subscription:)`.
  case numbersInsideRequests
}

/// The history of one subscription.
final class ProbeRecord {
  fileprivate(set) var demand = Subscribers.Demand.none
  fileprivate(set) var requestCount = 0
  fileprivate(set) var cancelCount = 0
  fileprivate(set) var hasEnded = false
  /// The number of calls after the end, or from inside it.
  fileprivate(set) var callsAfterEnd = 0
  fileprivate(set) weak var subscription: AnyObject?

  /// Indicates whether upstream still has to be cancelled.
  var isLive: Bool { !hasEnded && cancelCount == 0 }
}

final class ProbeSubscription<Failure: Error>: Subscription {
  let record = ProbeRecord()
  fileprivate var subscriber: AnySubscriber<Parcel, Failure>?
  private weak var publisher: ProbePublisher<Failure>?
  private var outstanding = Subscribers.Demand.none
  private var parcels: [(parcel: Parcel, context: StreamContext)] = []
  private var completion: Subscribers.Completion<Failure>?
  private var isSending = true

  init(_ subscriber: AnySubscriber<Parcel, Failure>, _ publisher: ProbePublisher<Failure>) {
    self.subscriber = subscriber
    self.publisher = publisher
    record.subscription = self
  }

  func begin(_ script: SourceScript) {
    if script != .none {
      parcels = (1...20).map { (Parcel($0), .current) }
      completion = .finished
    }
    if script == .numbersInsideRequests { isSending = false }
    // Only the subscriber holds this object, so that it is deallocated when the subscriber releases it.
    if let onDeinit = publisher?.onSubscriptionDeinit {
      subscriber?.receive(subscription: FragileSubscription(self, onDeinit))
    } else {
      subscriber?.receive(subscription: self)
    }
    isSending = false
    sendAll()
  }

  func offer(_ parcel: Parcel) {
    if !record.isLive || completion != nil { return }
    parcels.append((parcel, .current))
    sendAll()
  }

  func end(_ completion: Subscribers.Completion<Failure>) {
    if !record.isLive || self.completion != nil { return }
    self.completion = completion
    sendAll()
  }

  func request(_ demand: Subscribers.Demand) {
    if record.hasEnded { record.callsAfterEnd += 1 }
    record.requestCount += 1
    record.demand += demand
    outstanding += demand
    publisher?.onRequest()
    sendAll()
  }

  func cancel() {
    if record.hasEnded { record.callsAfterEnd += 1 }
    record.cancelCount += 1
    if record.cancelCount > 1 { return }
    releaseClosures()
  }

  private func releaseClosures() {
    if publisher?.isStubborn != true { subscriber = nil }
    parcels = []
    publisher?.remove(self)
  }

  private func sendAll() {
    guard !isSending else { return }
    isSending = true
    while record.isLive, let subscriber {
      if !parcels.isEmpty, outstanding > 0 {
        outstanding -= 1
        let (parcel, context) = parcels.removeFirst()
        outstanding += context.run { subscriber.receive(parcel) }
      } else if parcels.isEmpty, let completion {
        record.hasEnded = true
        releaseClosures()
        subscriber.receive(completion: completion)
      } else {
        break
      }
    }
    isSending = false
  }
}

/// A subscription that forwards all calls to another, and reports its own deallocation.
private final class FragileSubscription: Subscription {
  private let subscription: any Subscription
  private let onDeinit: () -> Void

  init(_ subscription: any Subscription, _ onDeinit: @escaping () -> Void) {
    self.subscription = subscription
    self.onDeinit = onDeinit
  }

  deinit { onDeinit() }

  func request(_ demand: Subscribers.Demand) { subscription.request(demand) }

  func cancel() { subscription.cancel() }
}
