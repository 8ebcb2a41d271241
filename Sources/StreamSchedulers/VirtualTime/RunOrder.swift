internal import Streams

/// The order in which a test scheduler runs actions that are due at the same date.
///
/// Every order could also occur outside a test. Scheduled closures run in the order in which you schedule them, as on a serial
/// queue. The jobs of the main actor and of each serial executor run in the order in which they're enqueued. Tasks that wait
/// for a thread can run in any order.
///
/// ```swift
/// let scheduler = DispatchQueue.test(order: .shuffled(seed: 7))
/// ```
///
/// You can write an order as a short string, ``replayString``, and create it again from that string.
public struct RunOrder: Hashable, Sendable, CustomStringConvertible {
  package enum Kind: Hashable {
    case fifo
    case shuffled(seed: UInt64)
    case prioritized(seed: UInt64)
    case script([Int])
  }

  package let kind: Kind

  /// The record of a run's choices, for exploring orders.
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
  public static func shuffled(seed: UInt64) -> RunOrder { RunOrder(.shuffled(seed: seed)) }

  /// Returns an order that assigns pseudo-random priorities to actions and runs the action with the highest priority first.
  ///
  /// ```swift
  /// let scheduler = DispatchQueue.test(order: .prioritized(seed: 7))
  /// ```
  ///
  /// It finds bugs that occur only if one task waits while another runs many times in a row. The probability that one
  /// task runs *m* times in a row is about 1/(*m* + 1), compared with 1/2ᵐ for a shuffled order. If a bug needs tasks to alternate, a shuffled order
  /// finds it sooner.
  ///
  /// Each action gets a random priority when it's scheduled. That's basic partial order sampling (Yuan, Yang and Gu, *Partial
  /// Order Aware Concurrency Sampling*, CAV 2018). The first action that a running action schedules, such as the continuation
  /// of a task that yields or sleeps, may inherit the running action's priority instead. A task then keeps its priority until
  /// it reaches a change point, as in probabilistic concurrency testing (Burckhardt et al., *A Randomized Scheduler with
  /// Probabilistic Guarantees of Finding Bugs*, ASPLOS 2010). Depending on the seed, every action is a change point, or on
  /// average every second, fourth, eighth, 16th or 32nd one. That method's probability bound doesn't apply, because the number
  /// of actions isn't known in advance.
  ///
  /// The order stores eight bytes for each action that you ever schedule.
  ///
  /// - Parameter seed: The seed. The same seed always gives the same order.
  public static func prioritized(seed: UInt64) -> RunOrder { RunOrder(.prioritized(seed: seed)) }

  /// Returns an order that follows a list of choices, one for each time that more than one action can run.
  ///
  /// ```swift
  /// let scheduler = DispatchQueue.test(order: .script([0, 1]))   // of the second choice, the second action
  /// ```
  ///
  /// When the list is exhausted, or a choice is out of range, the first action runs.
  ///
  /// - Parameter choices: The choices. Each is an index into the list of actions that can run, in the order in which they were
  ///   scheduled.
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

  /// Returns whether both orders are of the same kind, with the same seed or choices.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.kind == rhs.kind }

  public func hash(into hasher: inout Hasher) { hasher.combine(kind) }
}
