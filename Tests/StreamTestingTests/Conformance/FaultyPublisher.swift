import Foundation
import StreamSchedulers
import Streams

@testable import StreamTesting

// `@testable`: the thread on which the checks call, too, so that both agree how long to wait.

struct Mishap: Error {}

/// A publisher of the numbers from 1 that follows all rules but one, in ways that only the checks of publishers detect.
///
/// ``MisbehavingPublisher`` has the ways that matter to subscribers.
final class FaultyPublisher: Publisher {
  typealias Output = Int
  typealias Failure = Mishap

  enum Fault: CaseIterable {
    case none
    case addsOneToEveryRequest
    case addsOneToThirdRequest
    case takesReturnedDemandTwice
    case sendsInsideValueWhenAskedForTwo
    case neverFinishes
    case neverFinishesWhenUnlimited
    case finishesOnlyWhenAsked
    case finishesEarly
    case failsAtTheEnd
    case sendsOneTooMany
    case sendsAfterTheEndWhenAsked
    case finishesWhenCancelledAfterTheEnd
    case sendsAfterFailureWhenAsked
    case sendsTwoMoreOnAnotherThread
    case servesOnlyTheFirst
    case ignoresRequestsInsideSubscription
    case ignoresRequestsInsideValue
    case recursesOnRequest
    case recursesOnReturnedDemand
    case goesOnWhenAskedAfterCancel
    case finishesOnSecondCancel
    case stopsOthersOnSecondCancel
    case forgetsEarlierRequests
    case forgetsWhatIsLeft
    case neverWakesUp
    case ignoresReturnedDemand
    case takesUnlimitedForOne
    case turnsUnlimitedIntoNumber
    case addsUnlimitedToNothing
    case addsLargeNumbersToNothing
    case waitsForLackingValues
    case failsForLackingValues
    case finishesAfterCancelInLastValue
    case stopsOthersOnCancelAfterTheEnd
    case starvesTheSecond
    case holdsLockWhileSending
    case sendsNoSubscriptionAfterCancel
    case sendsNoSubscriptionAfterTheEnd
  }

  let fault: Fault
  let count: Int
  /// The scheduler on which it sends; `nil` if it sends immediately.
  let scheduler: TestSchedulerOf<DispatchQueue>?
  private(set) var subscriberCount = 0
  var liveCount = 0
  var hasEnded = false
  var hasBeenCancelled = false

  init(_ fault: Fault, count: Int = 5, scheduler: TestSchedulerOf<DispatchQueue>? = nil) {
    self.fault = fault
    self.count = count
    self.scheduler = scheduler
  }

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Mishap {
    subscriberCount += 1
    liveCount += 1
    if fault == .servesOnlyTheFirst && subscriberCount > 1 { return }
    if fault == .sendsNoSubscriptionAfterCancel && hasBeenCancelled { return }
    if fault == .sendsNoSubscriptionAfterTheEnd && hasEnded { return }
    let subscription = FaultySubscription(self, subscriber)
    subscriber.receive(subscription: subscription)
    subscription.isAttaching = false
  }
}

/// A subscription to the faulty publisher.
private final class FaultySubscription<S: Subscriber>: Subscription where S.Input == Int, S.Failure == Mishap {
  let publisher: FaultyPublisher
  var subscriber: S?
  var demand = Subscribers.Demand.none
  var next = 1
  var isAttaching = true
  var isSending = false
  var requestCount = 0
  var hasSlept = false
  var isCancelled = false
  /// The state that a cancelled subscription should have released.
  weak var ghost: AnyObject?
  let number: Int
  let lock = NSRecursiveLock()

  init(_ publisher: FaultyPublisher, _ subscriber: S) {
    number = publisher.subscriberCount
    self.publisher = publisher
    self.subscriber = subscriber
    ghost = subscriber as AnyObject
  }

  var fault: FaultyPublisher.Fault { publisher.fault }
  var isExhausted: Bool { next > publisher.count + (fault == .sendsOneTooMany ? 1 : 0) }

  func request(_ more: Subscribers.Demand) {
    if fault == .holdsLockWhileSending { lock.lock() }
    defer { if fault == .holdsLockWhileSending { lock.unlock() } }
    guard prepare(for: more), !isCancelled, next <= publisher.count + 1 else { return }
    requestCount += 1
    switch fault {
    case .addsOneToEveryRequest: demand += more + 1
    case .addsOneToThirdRequest where requestCount == 3 && !isSending: demand += more + 1
    case .forgetsEarlierRequests: demand = more
    case .addsUnlimitedToNothing where demand == .unlimited: demand = .none
    case .addsLargeNumbersToNothing where demand > .max / 2 && demand + more == .unlimited && more != .unlimited:
      demand = .none
    case .takesUnlimitedForOne: demand += more == .unlimited ? .max(1) : more
    default: demand += more
    }
    if fault == .neverWakesUp, hasSlept { return }
    guard let scheduler = publisher.scheduler else { return send() }
    scheduler.schedule { self.send() }
  }

  func cancel() {
    if fault == .holdsLockWhileSending { lock.lock() }
    defer { if fault == .holdsLockWhileSending { lock.unlock() } }
    if isCancelled { cancelAgain() }
    isCancelled = true
    publisher.hasBeenCancelled = true
    switch fault {
    case .finishesWhenCancelledAfterTheEnd where isExhausted && subscriber == nil && !isAttaching:
      (ghost as? S)?.receive(completion: .finished)
    case .sendsTwoMoreOnAnotherThread: sendTwoOnAnotherThread()
    case .finishesAfterCancelInLastValue where isSending && isExhausted: return
    case .stopsOthersOnCancelAfterTheEnd where isExhausted && subscriber == nil: publisher.liveCount = 0
    default: break
    }
    demand = .none
    subscriber = nil
  }

  func send() {
    if isSending, !mayOverlap { return }
    let wasSending = isSending
    isSending = true
    sendValues()
    isSending = wasSending
    hasSlept = true
    if isExhausted, !wasSending || mayOverlap { finish() }
  }

  func sendValues() {
    while let subscriber, !isExhausted, demand > 0 {
      if isCancelled, !ignoresCancellation { return }
      if fault == .finishesEarly, next == publisher.count { return finish() }
      demand -= 1
      next += 1
      let more = subscriber.receive(next - 1)
      switch fault {
      case .takesReturnedDemandTwice: demand += more * 2
      case .forgetsWhatIsLeft where more > 0 && demand != .unlimited: demand = more
      case .turnsUnlimitedIntoNumber where more > 0 && demand == .unlimited: demand = more
      case .ignoresReturnedDemand: break
      default: demand += more
      }
      if fault == .recursesOnReturnedDemand, more > 0 {
        sendValues()
        // Work after the call, so that the compiler does not turn the call into a loop.
        isSending = true
      }
    }
  }

  func finish() {
    guard let subscriber, !isCancelled || ignoresCancellation else { return }
    switch fault {
    case .neverFinishesWhenUnlimited where demand == .unlimited: return
    case .neverFinishes: return
    case .finishesOnlyWhenAsked where demand == .none: return
    case .waitsForLackingValues where demand > 0 && demand != .unlimited: return
    default: self.subscriber = nil
    }
    publisher.hasEnded = true
    let isLacking = fault == .failsForLackingValues && demand > 0 && demand != .unlimited
    let fails = fault == .failsAtTheEnd || fault == .sendsAfterFailureWhenAsked || isLacking
    subscriber.receive(completion: fails ? .failure(Mishap()) : .finished)
  }

  private var ignoresCancellation: Bool { fault == .finishesAfterCancelInLastValue }

  private var mayOverlap: Bool {
    fault == .sendsInsideValueWhenAskedForTwo && demand == 2 || fault == .recursesOnRequest
  }

  /// Applies the faults of a request itself; returns whether the request counts.
  private func prepare(for more: Subscribers.Demand) -> Bool {
    switch fault {
    case .ignoresRequestsInsideSubscription: return !isAttaching
    case .ignoresRequestsInsideValue: return !isSending
    case .starvesTheSecond: return number == 1
    case .sendsAfterTheEndWhenAsked where subscriber == nil && !isCancelled,
      .sendsAfterFailureWhenAsked where subscriber == nil && !isCancelled:
      _ = (ghost as? S)?.receive(next)
      return false
    case .goesOnWhenAskedAfterCancel where isCancelled:
      _ = (ghost as? S)?.receive(next)
      return false
    default: return publisher.liveCount > 0
    }
  }

  private func sendTwoOnAnotherThread() {
    guard let subscriber else { return }
    CallOnAnotherThread().call { for _ in 0..<2 { _ = subscriber.receive(self.next) } }
  }

  private func cancelAgain() {
    switch fault {
    case .finishesOnSecondCancel: (ghost as? S)?.receive(completion: .finished)
    case .stopsOthersOnSecondCancel: publisher.liveCount = 0
    default: break
    }
  }
}
