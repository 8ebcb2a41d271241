import Foundation
import StreamSchedulers
import Streams

struct Mishap: Error {}

/// A publisher of the numbers from 1 that follows all rules but one.
final class FaultyPublisher: Publisher {
  typealias Output = Int
  typealias Failure = Mishap

  enum Fault: CaseIterable {
    case none
    case addsOneToEveryRequest
    case addsOneToThirdRequest
    case sendsUnasked
    case ignoresDemand
    case takesReturnedDemandTwice
    case sendsInsideValue
    case sendsOnAnotherThread
    case sendsInsideValueWhenAskedForTwo
    case finishesInsideValue
    case neverFinishes
    case neverFinishesWhenUnlimited
    case finishesOnlyWhenAsked
    case finishesEarly
    case failsAtTheEnd
    case sendsOneTooMany
    case finishesTwice
    case sendsAfterTheEnd
    case sendsAfterTheEndWhenAsked
    case finishesWhenCancelledAfterTheEnd
    case sendsAfterFailureWhenAsked
    case doesNotStopWhenCancelled
    case doesNotStopWhatIsScheduled
    case sendsOneMoreOnAnotherThread
    case sendsTwoMoreOnAnotherThread
    case finishesWhenCancelled
    case sendsOnceMoreAfterCancel
    case sendsNoSubscription
    case sendsTwoSubscriptions
    case sendsBeforeTheSubscription
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
    case keepsSubscriberAfterCancel
    case keepsSubscriberAfterTheEnd
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
    if fault == .sendsNoSubscription || fault == .servesOnlyTheFirst && subscriberCount > 1 { return }
    if fault == .sendsNoSubscriptionAfterCancel && hasBeenCancelled { return }
    if fault == .sendsNoSubscriptionAfterTheEnd && hasEnded { return }
    if fault == .sendsBeforeTheSubscription { _ = subscriber.receive(0) }
    let subscription = FaultySubscription(self, subscriber)
    subscriber.receive(subscription: subscription)
    if fault == .sendsTwoSubscriptions { subscriber.receive(subscription: subscription) }
    subscription.isAttaching = false
    if fault == .sendsUnasked { subscription.sendUnasked() }
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
    case .ignoresDemand: demand = .unlimited
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
    case .doesNotStopWhatIsScheduled where demand > 0 && next == 1: return
    case .finishesWhenCancelledAfterTheEnd where isExhausted && subscriber == nil && !isAttaching:
      (ghost as? S)?.receive(completion: .finished)
    case .sendsOneMoreOnAnotherThread: sendOnAnotherThread(1)
    case .sendsTwoMoreOnAnotherThread: sendOnAnotherThread(2)
    case .doesNotStopWhenCancelled where isSending: return
    case .finishesAfterCancelInLastValue where isSending && isExhausted: return
    case .stopsOthersOnCancelAfterTheEnd where isExhausted && subscriber == nil: publisher.liveCount = 0
    case .finishesWhenCancelled: subscriber?.receive(completion: .finished)
    case .sendsOnceMoreAfterCancel where subscriber != nil: _ = subscriber?.receive(next)
    case .keepsSubscriberAfterCancel: return
    default: break
    }
    demand = .none
    subscriber = nil
  }

  func sendUnasked() {
    guard next == 1, let subscriber else { return }
    next += 1
    isSending = true
    demand += subscriber.receive(1)
    isSending = false
    send()
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
    case .keepsSubscriberAfterTheEnd: next = .max
    default: self.subscriber = nil
    }
    publisher.hasEnded = true
    let isLacking = fault == .failsForLackingValues && demand > 0 && demand != .unlimited
    let fails = fault == .failsAtTheEnd || fault == .sendsAfterFailureWhenAsked || isLacking
    subscriber.receive(completion: fails ? .failure(Mishap()) : .finished)
    if fault == .finishesTwice { subscriber.receive(completion: .finished) }
    if fault == .sendsAfterTheEnd { _ = subscriber.receive(99) }
  }

  private var ignoresCancellation: Bool {
    fault == .doesNotStopWhenCancelled || fault == .doesNotStopWhatIsScheduled
      || fault == .finishesAfterCancelInLastValue
  }

  private var mayOverlap: Bool {
    fault == .sendsInsideValue || fault == .sendsInsideValueWhenAskedForTwo && demand == 2
      || fault == .recursesOnRequest || fault == .sendsOnAnotherThread
  }

  /// Applies the faults of a request itself; returns whether the request counts.
  private func prepare(for more: Subscribers.Demand) -> Bool {
    switch fault {
    case .ignoresRequestsInsideSubscription: return !isAttaching
    case .ignoresRequestsInsideValue: return !isSending
    case .starvesTheSecond: return number == 1
    case .finishesInsideValue where isSending && isExhausted:
      finish()
      return false
    case .sendsAfterTheEndWhenAsked where subscriber == nil && !isCancelled,
      .sendsAfterFailureWhenAsked where subscriber == nil && !isCancelled:
      _ = (ghost as? S)?.receive(next)
      return false
    case .goesOnWhenAskedAfterCancel where isCancelled:
      _ = (ghost as? S)?.receive(next)
      return false
    case .sendsOnAnotherThread where isSending:
      demand += more
      JoinedThread { self.send() }.run()
      return false
    default: return publisher.liveCount > 0
    }
  }

  private func sendOnAnotherThread(_ count: Int) {
    guard let subscriber else { return }
    JoinedThread { for _ in 0..<count { _ = subscriber.receive(self.next) } }.run()
  }

  private func cancelAgain() {
    switch fault {
    case .finishesOnSecondCancel: (ghost as? S)?.receive(completion: .finished)
    case .stopsOthersOnSecondCancel: publisher.liveCount = 0
    default: break
    }
  }
}

/// Runs work on a thread of its own and waits until it is done and released.
private final class JoinedThread: @unchecked Sendable {
  // `Sendable` is unchecked because of the closure, which only the new thread uses while the other one waits.
  private var work: (() -> Void)?
  private let done = DispatchSemaphore(value: 0)

  init(_ work: @escaping () -> Void) { self.work = work }

  func run() {
    Thread.detachNewThread {
      self.work?()
      self.work = nil
      self.done.signal()
    }
    done.wait()
  }
}
