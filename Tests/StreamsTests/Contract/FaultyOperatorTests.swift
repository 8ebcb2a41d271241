import Streams
import Testing

/// An operator that forwards everything, and breaks one law.
private final class FaultyOperator: Publisher {
  typealias Output = Parcel
  typealias Failure = ContractError

  enum Fault {
    case servesOnlyTheFirst
    case losesTheEnd
    case endsOnlyAfterRequest
    case endsAgainWhenCancelled
    case requestsAfterTheEnd
    case requestsAfterCancel
    case ignoresRequestsInsideValues
    case countsOneRequest
    case takesUnlimitedForOne
    case endsAfterCancelInsideValue
  }

  fileprivate let fault: Fault
  private let upstream: ProbePublisher<ContractError>
  private var count = 0

  init(_ upstream: ProbePublisher<ContractError>, _ fault: Fault) {
    self.upstream = upstream
    self.fault = fault
  }

  func receive<S: Subscriber>(subscriber: S) where S.Input == Parcel, S.Failure == ContractError {
    count += 1
    if fault == .servesOnlyTheFirst, count > 1 { return }
    upstream.subscribe(Relay(AnySubscriber(subscriber), fault))
  }

  private final class Relay: Subscriber, Subscription {
    private let fault: Fault
    private let downstream: AnySubscriber<Parcel, ContractError>
    private var upstream: (any Subscription)?
    private var isReceiving = false
    private var isCancelled = false
    private var hasEnded = false
    private var requestCount = 0

    init(_ downstream: AnySubscriber<Parcel, ContractError>, _ fault: Fault) {
      self.downstream = downstream
      self.fault = fault
    }

    func receive(subscription: any Subscription) {
      upstream = subscription
      downstream.receive(subscription: self)
    }

    func receive(_ input: Parcel) -> Subscribers.Demand {
      if isCancelled {
        if fault == .requestsAfterCancel { upstream?.request(.max(1)) }
        return .none
      }
      isReceiving = true
      defer { isReceiving = false }
      let more = downstream.receive(input)
      return fault == .takesUnlimitedForOne && more == .max(.max) ? .none : more
    }

    func receive(completion: Subscribers.Completion<ContractError>) {
      if isCancelled, fault != .endsAfterCancelInsideValue { return }
      hasEnded = true
      let isLost = fault == .losesTheEnd || fault == .endsOnlyAfterRequest && requestCount == 0
      if !isLost { downstream.receive(completion: completion) }
      if fault == .requestsAfterTheEnd { upstream?.request(.max(1)) }
    }

    func request(_ demand: Subscribers.Demand) {
      requestCount += 1
      switch fault {
      case .ignoresRequestsInsideValues where isReceiving: return
      case .countsOneRequest where requestCount > 1: return
      case .takesUnlimitedForOne where demand == .unlimited || demand == .max(.max):
        if requestCount == 1 { upstream?.request(.max(1)) }
      default: upstream?.request(demand)
      }
    }

    func cancel() {
      isCancelled = true
      switch fault {
      case .endsAgainWhenCancelled where hasEnded: downstream.receive(completion: .finished)
      case .endsAfterCancelInsideValue where isReceiving: return
      default: upstream?.cancel()
      }
    }
  }
}

/// A publisher that sends a value for each request, before the request returns.
private struct Recursive: Publisher {
  typealias Output = String
  typealias Failure = ContractError

  func receive<S: Subscriber>(subscriber: S) where S.Input == String, S.Failure == ContractError {
    subscriber.receive(subscription: Inner(subscriber))
  }

  private final class Inner<S: Subscriber>: Subscription where S.Input == String {
    private let subscriber: S
    private var next = 0

    init(_ subscriber: S) { self.subscriber = subscriber }

    func request(_ demand: Subscribers.Demand) {
      if next == 100 { return }
      next += 1
      _ = subscriber.receive("\(next)")
    }

    func cancel() {}
  }
}

/// Tests that the laws for rules of Reactive Streams detect an operator that breaks them.
struct FaultyOperatorTests {
  @Test(
    arguments: [
      (.losesTheEnd, .fewer), (.losesTheEnd, .insideRequests), (.endsOnlyAfterRequest, .endWithoutDemand),
      (.endsAgainWhenCancelled, .over), (.servesOnlyTheFirst, .twoSubscribers), (.servesOnlyTheFirst, .newcomer),
      (.requestsAfterTheEnd, .endForGood), (.requestsAfterCancel, .lateValues),
      (.ignoresRequestsInsideValues, .requestInside), (.countsOneRequest, .addition),
      (.takesUnlimitedForOne, .unlimited), (.endsAfterCancelInsideValue, .cancelInLastValue),
    ] as [(FaultyOperator.Fault, Law)])
  fileprivate func `a law detects the operator that breaks it`(_ fault: FaultyOperator.Fault, _ law: Law) {
    let entry = CatalogEntry("faulty", gives: "1 2 3 finished") { FaultyOperator($0.source(), fault).asText() }
    withKnownIssue { law.check(entry) }
  }

  @Test func `the law about recursion detects a publisher that sends the next value inside a request`() {
    let entry = CatalogEntry("recursive", gives: "1 2 3") { _ in Recursive().eraseToAnyPublisher() }
    withKnownIssue { Law.recursion.check(entry) }
  }
}
