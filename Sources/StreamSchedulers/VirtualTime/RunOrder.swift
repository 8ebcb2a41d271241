internal import Streams

/// The order in which a test scheduler runs actions that are due at the same date.
///
/// Only orders that are possible outside a test are tried. Scheduled closures run in the order in which they were
/// scheduled, as on a serial queue, and so do the jobs of the main actor and those of each serial executor. Tasks that
/// wait for a thread have no order.
///
/// ```swift
/// let scheduler = DispatchQueue.test(order: .shuffled(seed: 7))
/// ```
///
/// An order can be written as a short string, ``replayString``, and created from it again.
public struct RunOrder: Hashable, Sendable, CustomStringConvertible {
  package enum Kind: Hashable {
    case fifo
    case shuffled(seed: UInt64)
    case prioritized(seed: UInt64)
    case script([Int])
  }

  package let kind: Kind

  /// The record of the choices of a run, kept for the exploration of orders.
  package let record: ChoiceRecord?

  package init(_ kind: Kind, record: ChoiceRecord? = nil) {
    self.kind = kind
    self.record = record
  }

  /// The order in which actions were scheduled.
  public static let fifo = RunOrder(.fifo)

  /// Returns a pseudo-random order.
  ///
  /// - Parameter seed: The seed. The same seed always gives the same order.
  /// - Returns: The order.
  public static func shuffled(seed: UInt64) -> RunOrder { RunOrder(.shuffled(seed: seed)) }

  /// Returns a pseudo-random order in which the action with the highest priority runs.
  ///
  /// It finds bugs that need a slow task to overtake a fast one. While one task waits, another takes *m* steps in a row
  /// in about one of *m* + 1 such orders, but in only one of 2ᵐ shuffled ones. Bugs that need tasks to alternate are
  /// found sooner by shuffled orders.
  ///
  /// Each action gets a random priority when it is scheduled. That is basic partial order sampling (Yuan, Yang and Gu,
  /// *Partial Order Aware Concurrency Sampling*, CAV 2018); the full method gives actions that conflict with the one
  /// that has run new priorities, but a scheduler does not know conflicts. The first action that an action schedules, as
  /// a task that yields or sleeps schedules its own continuation, may instead keep its priority. A task then has a
  /// priority until it reaches a change point, as in probabilistic concurrency testing (Burckhardt et al., *A Randomized
  /// Scheduler with Probabilistic Guarantees of Finding Bugs*, ASPLOS 2010). Depending on the seed, a change point comes
  /// with every action, or on average with every second, fourth, eighth, 16th or 32nd one. The bound of that method does
  /// not apply, because it needs to know the number of steps.
  ///
  /// The order stores eight bytes for each action that is ever scheduled.
  ///
  /// - Parameter seed: The seed. The same seed always gives the same order.
  /// - Returns: The order.
  public static func prioritized(seed: UInt64) -> RunOrder { RunOrder(.prioritized(seed: seed)) }

  /// Returns an order that follows a list of choices, one for each time that more than one action can run.
  ///
  /// When the list is exhausted, or a choice is out of range, the first action runs.
  ///
  /// - Parameter choices: The choices, each an index among the actions that can run, in the order in which they were
  ///   scheduled.
  /// - Returns: The order.
  public static func script(_ choices: [Int]) -> RunOrder { RunOrder(.script(choices)) }

  /// The order as Swift source code.
  public var description: String {
    switch kind {
    case .fifo: ".fifo"
    case .shuffled(let seed): ".shuffled(seed: \(seed))"
    case .prioritized(let seed): ".prioritized(seed: \(seed))"
    case .script(let choices): ".script(\(choices))"
    }
  }

  /// Returns whether both orders make the same choices.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.kind == rhs.kind }

  /// Hashes the choices of the order.
  ///
  /// - Parameter hasher: The hasher to use.
  public func hash(into hasher: inout Hasher) { hasher.combine(kind) }
}
