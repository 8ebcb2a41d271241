import Streams

/// A subject without a lock that follows all rules but one.
final class FaultySubject: Subject {
  typealias Output = Int
  typealias Failure = Mishap

  enum Fault: CaseIterable {
    case none
    case ignoresDemand
    case sendsInsideValue
    case finishesInsideValue
    case finishesInsteadOfFailing
    case sendsAfterTheEnd
    case finishesTwice
    case doesNotStopWhenCancelled
    case finishesAfterCancelInValue
    case sendsNoSubscription
    case sendsNoSubscriptionAfterTheEnd
    case sendsTwoSubscriptions
    case servesOnlyTheFirst
    case starvesTheSecond
    case neverAsksUpstream
    case goesOnWhenAskedAfterCancel
    case stopsOthersOnSecondCancel
    case forgetsEarlierRequests
    case keepsSubscriberAfterCancel
    case keepsSubscriberAfterTheEnd
    case sendsNoSubscriptionAfterCancel
    case addsLargeNumbersToNothing
    case dropsEverySecondValue
    case losesTheCompletion
    case losesTheFailure
    case waitsWithTheFailure
  }

  let fault: Fault
  private var receivers: [FaultyReceiver] = []
  private var waiting: [() -> Void] = []
  private var isSending = false
  private var completion: Subscribers.Completion<Mishap>?
  private var subscriberCount = 0
  private var valueCount = 0
  fileprivate var hasBeenCancelled = false

  init(_ fault: Fault) { self.fault = fault }

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Mishap {
    subscriberCount += 1
    switch fault {
    case .sendsNoSubscription: return
    case .sendsNoSubscriptionAfterTheEnd where completion != nil: return
    case .sendsNoSubscriptionAfterCancel where hasBeenCancelled: return
    case .servesOnlyTheFirst where subscriberCount > 1: return
    default: break
    }
    let receiver = FaultyReceiver(AnySubscriber(subscriber), self)
    if fault != .starvesTheSecond || subscriberCount == 1 { receivers.append(receiver) }
    subscriber.receive(subscription: receiver)
    if fault == .sendsTwoSubscriptions { subscriber.receive(subscription: receiver) }
    if let completion { receiver.end(completion) }
  }

  func send(subscription: any Subscription) {
    if fault != .neverAsksUpstream { subscription.request(.unlimited) }
  }

  func send(_ value: Int) {
    if isSending, fault == .sendsInsideValue { return deliver(value) }
    waiting.append { self.deliver(value) }
    sendWaiting()
  }

  func send(completion: Subscribers.Completion<Mishap>) {
    if isSending, fault == .finishesInsideValue { return finish(completion) }
    waiting.append { self.finish(completion) }
    sendWaiting()
  }

  fileprivate func stopAll() { receivers = [] }

  private func sendWaiting() {
    guard !isSending else { return }
    isSending = true
    while !waiting.isEmpty { waiting.removeFirst()() }
    isSending = false
  }

  private func deliver(_ value: Int) {
    valueCount += 1
    if completion != nil, fault != .sendsAfterTheEnd { return }
    if fault == .dropsEverySecondValue, valueCount.isMultiple(of: 2) { return }
    for receiver in receivers { receiver.take(value) }
  }

  private func finish(_ completion: Subscribers.Completion<Mishap>) {
    if self.completion != nil, fault != .finishesTwice { return }
    self.completion = completion
    switch (fault, completion) {
    case (.losesTheCompletion, .finished), (.losesTheFailure, .failure): return
    case (.finishesInsteadOfFailing, _): for receiver in receivers { receiver.end(.finished) }
    case (.waitsWithTheFailure, .failure):
      for receiver in receivers where receiver.demand > 0 { receiver.end(completion) }
    default: for receiver in receivers { receiver.end(completion) }
    }
  }
}

private final class FaultyReceiver: Subscription {
  private let subject: FaultySubject
  private var subscriber: AnySubscriber<Int, Mishap>?
  private(set) var demand = Subscribers.Demand.none
  private var isCancelled = false
  private var isReceiving = false

  init(_ subscriber: AnySubscriber<Int, Mishap>, _ subject: FaultySubject) {
    self.subscriber = subscriber
    self.subject = subject
  }

  func take(_ value: Int) {
    guard let subscriber, demand > 0 || subject.fault == .ignoresDemand else { return }
    if demand > 0 { demand -= 1 }
    isReceiving = true
    demand += subscriber.receive(value)
    isReceiving = false
  }

  func end(_ completion: Subscribers.Completion<Mishap>) {
    let subscriber = subscriber
    switch subject.fault {
    case .sendsAfterTheEnd, .finishesTwice, .keepsSubscriberAfterTheEnd: break
    default: self.subscriber = nil
    }
    if isCancelled, subject.fault != .doesNotStopWhenCancelled, subject.fault != .finishesAfterCancelInValue { return }
    subscriber?.receive(completion: completion)
    if subject.fault == .keepsSubscriberAfterTheEnd { demand = .none }
  }

  func request(_ more: Subscribers.Demand) {
    switch subject.fault {
    case .goesOnWhenAskedAfterCancel where isCancelled: _ = subscriber?.receive(0)
    case .forgetsEarlierRequests: demand = more
    case .addsLargeNumbersToNothing where demand > .max / 2 && demand + more == .unlimited && more != .unlimited:
      demand = .none
    default: if !isCancelled { demand += more }
    }
  }

  func cancel() {
    if isCancelled, subject.fault == .stopsOthersOnSecondCancel { subject.stopAll() }
    isCancelled = true
    subject.hasBeenCancelled = true
    switch subject.fault {
    case .doesNotStopWhenCancelled where isReceiving: return
    case .finishesAfterCancelInValue where isReceiving: demand = .none
    case .goesOnWhenAskedAfterCancel, .keepsSubscriberAfterCancel: demand = .none
    default: subscriber = nil
    }
  }
}
