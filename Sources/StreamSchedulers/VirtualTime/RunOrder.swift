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
public struct RunOrder: Hashable, Sendable, CustomStringConvertible {
  package enum Kind: Hashable {
    case fifo
    case shuffled(seed: UInt64)
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

/// The choices made in one run, each with the number of possibilities.
package final class ChoiceRecord: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` is not marked: the lock protects the list.
  private let choices = Locked<[(choice: Int, count: Int)]>([])

  package init() {}

  package var all: [(choice: Int, count: Int)] { choices.withLock { $0 } }

  func append(_ choice: Int, among count: Int) { choices.withLock { $0.append((choice, count)) } }
}

/// Chooses the next action to run.
struct OrderChooser {
  private let order: RunOrder
  private var random: SplitMix
  private var madeCount = 0

  /// Creates a chooser, or returns `nil` if actions run in the order in which they were armed and no record is kept.
  init?(_ order: RunOrder) {
    if order.kind == .fifo, order.record == nil { return nil }
    self.order = order
    if case .shuffled(let seed) = order.kind { random = SplitMix(state: seed) } else { random = SplitMix(state: 0) }
  }

  mutating func choose(among count: Int) -> Int {
    let choice: Int
    switch order.kind {
    case .fifo: choice = 0
    case .shuffled: choice = Int(random.next() % UInt64(count))
    case .script(let script):
      let wanted = madeCount < script.count ? script[madeCount] : 0
      choice = (0..<count).contains(wanted) ? wanted : 0
    }
    madeCount += 1
    order.record?.append(choice, among: count)
    return choice
  }
}
