package import Dispatch
internal import Foundation
package import Streams
internal import Synchronization

/// A barrier at which threads wait for one another before they begin.
///
/// They spin for a moment, so that they begin together, and then sleep, so that they leave the processor to the others.
package final class StartingLine: Sendable {
  private let count: Int
  private let missing: Atomic<Int>
  private let isOpen = DispatchSemaphore(value: 0)

  package init(_ count: Int) {
    self.count = count
    missing = Atomic(count)
  }

  package func wait() {
    if missing.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
      for _ in 1..<count { isOpen.signal() }
    }
    for _ in 0..<20_000 where missing.load(ordering: .acquiring) == 0 { return }
    isOpen.wait()
  }
}

/// A subscriber that detects overlapping signals.
///
/// The received values are deliberately not protected: the contract states that signals are serial, and the thread
/// sanitizer reports a violation.
package final class Witness<Input, Failure: Error>: Subscriber, @unchecked Sendable {
  package private(set) var received: [Input] = []
  package private(set) var completionCount = 0
  package private(set) var valuesAfterCompletion = 0
  private let isReceiving = Atomic(false)
  private let overlaps = Atomic(0)
  private let cancelled = Atomic(false)
  private let box = NSLock()
  private var upstream: (any Subscription)?
  private let initialDemand: Subscribers.Demand
  private let more: Subscribers.Demand

  /// Signaled once the expected number of values or the completion has been received.
  package let done = DispatchSemaphore(value: 0)
  private let expected: Int

  package init(
    _ demand: Subscribers.Demand = .unlimited, more: Subscribers.Demand = .none, expecting expected: Int = .max
  ) {
    initialDemand = demand
    self.more = more
    self.expected = expected
  }

  package var hasOverlapped: Bool { overlaps.load(ordering: .relaxed) > 0 }
  package var subscription: (any Subscription)? { box.withLock { upstream } }

  package func receive(subscription: any Subscription) {
    box.withLock { upstream = subscription }
    if cancelled.load(ordering: .acquiring) { subscription.cancel() }
    if initialDemand != .none { subscription.request(initialDemand) }
  }

  package func receive(_ input: Input) -> Subscribers.Demand {
    enter()
    defer { leave() }
    received.append(input)
    if completionCount > 0 { valuesAfterCompletion += 1 }
    if received.count == expected { done.signal() }
    return more
  }

  package func receive(completion: Subscribers.Completion<Failure>) {
    enter()
    defer { leave() }
    completionCount += 1
    done.signal()
  }

  package func cancel() {
    cancelled.store(true, ordering: .releasing)
    subscription?.cancel()
  }

  /// Waits for the expected values or the completion.
  package func wait() -> Bool { done.wait(timeout: .hang) == .success }

  private func enter() {
    if isReceiving.exchange(true, ordering: .acquiringAndReleasing) { overlaps.add(1, ordering: .relaxed) }
  }

  private func leave() { isReceiving.store(false, ordering: .releasing) }
}

/// A number that many threads increment.
package final class Tally: Sendable {
  package init() {}

  private let count = Atomic(0)

  package var value: Int { count.load(ordering: .acquiring) }

  package func add() { count.add(1, ordering: .acquiringAndReleasing) }
}
