/// In which order a test scheduler runs what is due at the same moment.
///
/// Only orders are tried that could happen outside of a test as well. Scheduled closures run in the order in which they were
/// scheduled, as on a serial queue; so do the jobs of the main actor, and those of each serial executor. Tasks that wait for
/// a thread, and sleeps that end at the same moment, have no order.
public enum RunOrder: Hashable, Sendable {
  /// In the order in which it was armed.
  case fifo

  /// In an order that a number decides; the same number gives the same order.
  case shuffled(seed: UInt64)

  /// As a list of choices says: the first is made where there is more than one possibility, and so on.
  ///
  /// A choice is the place among what could run, counted from 0 in the order in which it was armed. When the list is at its
  /// end, or a choice is too large, the first is taken.
  case script([Int])
}

/// Chooses what runs next, and writes down what could have been chosen.
final class OrderChooser {
  // Reached only inside of the timeline's lock, whose agenda holds it.
  private var random: SplitMix
  private let script: [Int]
  private let isShuffling: Bool

  /// What was chosen, and among how many.
  private(set) var choices: [(choice: Int, count: Int)] = []

  init?(_ order: RunOrder, recordsFirst: Bool = false) {
    switch order {
    case .fifo:
      guard recordsFirst else { return nil }
      (random, script, isShuffling) = (SplitMix(state: 0), [], false)
    case .shuffled(let seed): (random, script, isShuffling) = (SplitMix(state: seed), [], true)
    case .script(let script): (random, self.script, isShuffling) = (SplitMix(state: 0), script, false)
    }
  }

  func choose(among count: Int) -> Int {
    let choice: Int
    if isShuffling {
      choice = Int(random.next() % UInt64(count))
    } else {
      let wanted = choices.count < script.count ? script[choices.count] : 0
      choice = (0..<count).contains(wanted) ? wanted : 0
    }
    choices.append((choice, count))
    return choice
  }
}

/// A generator of numbers that gives the same ones for the same seed, on every machine.
struct SplitMix {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
