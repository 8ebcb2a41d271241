import Streams

/// A subscriber that requests two values, then one at a time, and follows all rules but one.
final class FaultySubscriber: Subscriber, Cancellable {
  typealias Input = Int
  typealias Failure = Mishap

  enum Fault: CaseIterable {
    case none
    case neverAsks
    case cancelsInCompletion
    case cancelsInFailure
    case asksInCompletion
    case cancelsAfterTheEnd
    case asksAfterTheEnd
    case ignoresSecondSubscription
    case cancelsSecondSubscriptionTwice
    case asksSecondSubscription
    case cancelsBothSubscriptions
    case changesToSecondSubscription
    case changesSilently
    case asksAfterCancel
    case ignoresCompletionBeforeValues
    case ignoresFailureBeforeValues
    case asksForNone
    case asksForNoneLater
    case asksForNoneAtSecondSubscription
    case forgetsToCancel
    case cancelsInLateCompletion
    case stopsInLateCompletion
    case losesValuesInside
    case keepsSubscriptionAfterEndInside
    case forgetsEndInside
  }

  let fault: Fault
  private(set) var hasEnded = false
  private var subscription: (any Subscription)?
  private var old: (any Subscription)?
  private var isOver = false
  private var valueCount = 0

  init(_ fault: Fault) { self.fault = fault }

  func receive(subscription second: any Subscription) {
    guard subscription == nil, !isOver else { return receiveSecond(second) }
    if fault != .losesValuesInside { subscription = second }
    old = second
    if fault == .asksForNone { second.request(.none) }
    if fault != .neverAsks { second.request(.max(2)) }
    if fault == .losesValuesInside, !isOver { subscription = second }
    if fault == .keepsSubscriptionAfterEndInside { subscription = second }
    if fault == .forgetsEndInside { hasEnded = false }
  }

  func receive(_ input: Int) -> Subscribers.Demand {
    valueCount += 1
    if isOver, fault == .asksAfterCancel { old?.request(.max(1)) }
    guard let subscription else { return .none }
    if valueCount == 1, fault == .asksForNoneLater { subscription.request(.none) }
    return .max(1)
  }

  func receive(completion: Subscribers.Completion<Mishap>) {
    if isOver, fault == .cancelsInLateCompletion { old?.cancel() }
    precondition(!isOver || fault != .stopsInLateCompletion)
    if valueCount == 0 {
      switch completion {
      case .finished: if fault == .ignoresCompletionBeforeValues { return isOver = true }
      case .failure: if fault == .ignoresFailureBeforeValues { return isOver = true }
      }
    }
    switch completion {
    case .finished: if fault == .cancelsInCompletion, valueCount > 0 { subscription?.cancel() }
    case .failure: if fault == .cancelsInFailure, valueCount > 0 { subscription?.cancel() }
    }
    if fault == .asksInCompletion, valueCount > 0 { subscription?.request(.max(1)) }
    hasEnded = true
    isOver = true
    if fault != .cancelsAfterTheEnd { subscription = nil }
  }

  func cancel() {
    isOver = true
    if fault != .forgetsToCancel { subscription.take()?.cancel() }
  }

  /// Work to do later, on a scheduler for example.
  func settle() {
    if hasEnded, fault == .asksAfterTheEnd { old?.request(.max(1)) }
  }

  private func receiveSecond(_ second: any Subscription) {
    switch fault {
    case .ignoresSecondSubscription: return
    case .cancelsSecondSubscriptionTwice: second.cancel()
    case .cancelsBothSubscriptions: cancel()
    case .asksForNoneAtSecondSubscription: subscription?.request(.none)
    case .asksSecondSubscription: second.request(.max(1))
    case .changesToSecondSubscription:
      subscription?.cancel()
      subscription = second
      return
    case .changesSilently:
      subscription = second
      return second.request(.max(1))
    default: break
    }
    second.cancel()
  }
}
