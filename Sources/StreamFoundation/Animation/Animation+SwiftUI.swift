#if canImport(SwiftUI)
  public import StreamSchedulers
  public import Streams
  public import SwiftUI

  // The module is named because SwiftUI re-exports Combine, whose protocol has the same name.
  extension Streams.Scheduler where Self: Sendable {
    /// Returns a scheduler that runs each action of this one in an animation.
    ///
    /// ```swift
    /// publisher.receive(on: DispatchQueue.main.animation(.easeOut)).assign(to: &$items)
    /// ```
    ///
    /// Views change on the main actor, so use this method with a scheduler that runs its actions there.
    ///
    /// - Parameter animation: The animation to use.
    public func animation(_ animation: Animation? = .default) -> AnySchedulerOf<Self> {
      wrappingActions { action in withAnimation(animation, action) }
    }

    /// Returns a scheduler that runs each action of this one in a transaction.
    ///
    /// - Parameter transaction: The transaction to use.
    public func transaction(_ transaction: Transaction) -> AnySchedulerOf<Self> {
      // A transaction is a value, which every action reads and none changes.
      let transaction = UnsafeTransfer(transaction)
      return wrappingActions { action in withTransaction(transaction.value, action) }
    }
  }
#endif
