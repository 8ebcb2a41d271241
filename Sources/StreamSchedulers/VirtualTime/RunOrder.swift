internal import Streams

/// In which order a test scheduler runs what is due at the same moment.
///
/// Only orders are tried that could happen outside of a test as well. Scheduled closures run in the order in which they were
/// scheduled, as on a serial queue; so do the jobs of the main actor, and those of each serial executor. Tasks that wait for
/// a thread have no order.
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

  /// Where the choices of a run are written down, by whoever explores.
  package let record: ChoiceRecord?

  package init(_ kind: Kind, record: ChoiceRecord? = nil) {
    self.kind = kind
    self.record = record
  }

  /// In the order in which it was armed.
  public static let fifo = RunOrder(.fifo)

  /// In an order that a number decides; the same number gives the same order.
  public static func shuffled(seed: UInt64) -> RunOrder { RunOrder(.shuffled(seed: seed)) }

  /// As a list of choices says: the first is made where there is more than one possibility, and so on.
  ///
  /// A choice is the place among what could run, counted from 0 in the order in which it was armed. When the list is at its
  /// end, or a choice is too large, the first is taken.
  public static func script(_ choices: [Int]) -> RunOrder { RunOrder(.script(choices)) }

  /// As it is written in Swift.
  public var description: String {
    switch kind {
    case .fifo: ".fifo"
    case .shuffled(let seed): ".shuffled(seed: \(seed))"
    case .script(let choices): ".script(\(choices))"
    }
  }

  /// Whether both choose alike.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.kind == rhs.kind }

  /// Feeds what it chooses into a hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(kind) }
}

/// What was chosen in one run, and among how many.
package final class ChoiceRecord: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` says nothing of it: the lock protects the list.
  private let choices = Locked<[(choice: Int, count: Int)]>([])

  package init() {}

  package var all: [(choice: Int, count: Int)] { choices.withLock { $0 } }

  func append(_ choice: Int, among count: Int) { choices.withLock { $0.append((choice, count)) } }
}

/// Chooses what runs next.
struct OrderChooser {
  private let order: RunOrder
  private var random: SplitMix
  private var madeCount = 0

  /// Makes one, unless everything is to run in the order in which it was armed and nobody wants to know of it.
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

/// A generator of numbers that gives the same ones for the same seed, on every machine.
private struct SplitMix {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
