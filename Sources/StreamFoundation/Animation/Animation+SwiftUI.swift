#if canImport(SwiftUI)
  public import StreamSchedulers
  public import Streams
  public import SwiftUI

  // The module is named because SwiftUI brings in Combine's protocol of the same name.
  extension Streams.Scheduler where Self: Sendable {
    /// Returns this scheduler with all of its work animated.
    ///
    /// ```swift
    /// publisher.receive(on: DispatchQueue.main.animation(.easeOut)).assign(to: &$items)
    /// ```
    ///
    /// The work has to change what views show on the main actor, as ever; give this to schedulers that run there.
    public func animation(_ animation: Animation? = .default) -> AnySchedulerOf<Self> {
      wrappingActions { action in withAnimation(animation, action) }
    }

    /// Returns this scheduler with all of its work done in a transaction.
    public func transaction(_ transaction: Transaction) -> AnySchedulerOf<Self> {
      // A transaction is a value; every run of work reads it and none changes it.
      let transaction = HandedOver(transaction)
      return wrappingActions { action in withTransaction(transaction.value, action) }
    }
  }
#endif
