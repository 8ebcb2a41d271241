internal import Streams

/// A value that chooses the next action to run.
struct OrderChooser {
  let record: ChoiceRecord?

  private let kind: RunOrder.Kind
  private var random: SplitMix
  private var priorities: Priorities?
  private var madeCount = 0
  private var armedCount = 0

  /// The running action's sequence number, if it's known.
  private var running: Int?

  /// Creates a chooser, or returns `nil` if actions run in the order in which they were armed and nothing is recorded.
  init?(_ order: RunOrder) {
    if order.kind == .fifo, order.record == nil { return nil }
    record = order.record
    kind = order.kind
    if case .shuffled(let seed) = kind { random = SplitMix(state: seed) } else { random = SplitMix(state: 0) }
    if case .prioritized(let seed) = kind { priorities = Priorities(seed: seed) }
  }

  /// Chooses one of several actions, given by their sequence numbers, and returns its index.
  mutating func choose(among sequences: [Int]) -> Int {
    let choice: Int
    switch kind {
    case .fifo: choice = 0
    case .shuffled: choice = Int(random.next() % UInt64(sequences.count))
    case .prioritized: choice = priorities?.highest(of: sequences) ?? 0
    case .script(let script):
      let wanted = madeCount < script.count ? script[madeCount] : 0
      choice = sequences.indices.contains(wanted) ? wanted : 0
    }
    madeCount += 1
    return choice
  }

  /// Notes that an action has been armed. A repeating action that's armed again keeps its number and isn't noted again.
  mutating func arm(_ sequence: Int) {
    guard sequence & ~ActionTable.barrier == armedCount else { return }
    armedCount += 1
    priorities?.arm()
    guard let record, let running else { return }
    // A task's name can be read only while the task is running.
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *), let name = Task.name {
      record.name(running, name)
    }
  }

  /// Notes the action that runs now, or `nil` if none does.
  mutating func run(_ sequence: Int?) {
    running = sequence
    priorities?.run(sequence)
  }
}

/// The priorities of actions, for ``RunOrder/prioritized(seed:)``.
struct Priorities {
  private var random: SplitMix

  /// On average, one in this many actions doesn't inherit the priority of the action that armed it.
  private let period: UInt64

  /// The priorities of all actions ever armed, by sequence number.
  private var all: [UInt64] = []

  /// The priority of the running action, or `nil` once that action has armed another.
  private var passedOn: UInt64?

  init(seed: UInt64) {
    random = SplitMix(state: seed)
    period = 1 << (random.next() % 6)
  }

  /// Gives the next action its own priority or the running action's. A running action passes its priority on at most once.
  mutating func arm() {
    let own = random.next()
    let isKept = random.next() % period != 0
    all.append(isKept ? passedOn ?? own : own)
    passedOn = nil
  }

  mutating func run(_ sequence: Int?) { passedOn = sequence.map { all[$0 & ~ActionTable.barrier] } }

  /// Returns the index of the first action with the highest priority.
  func highest(of sequences: [Int]) -> Int {
    var highest = 0
    for index in sequences.indices where all[sequences[index]] > all[sequences[highest]] { highest = index }
    return highest
  }
}
