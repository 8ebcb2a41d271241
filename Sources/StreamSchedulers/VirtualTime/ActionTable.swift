/// The pending actions of a timeline.
///
/// A timeline consists of this table and an `Agenda`. Cancelling an action uses only the table. An action has a cell, which is
/// reused after the action is gone, and a sequence number, which isn't. Together, they form its name. The name of an action
/// that is gone doesn't refer to anything.
///
/// A removed action is returned rather than released here, so that it's released while no lock is held.
@usableFromInline
struct ActionTable {
  /// An action. It's a struct, because a bare closure would be wrapped in a newly allocated one whenever it passes through
  /// generic code.
  struct Action {
    let run: () -> Void
  }

  /// An action that is due. It isn't copyable, so its closure is called in place. A closure in a variable would be retained for
  /// the call.
  struct DueAction: ~Copyable {
    private let action: Action

    init(_ action: consuming Action) { self.action = action }

    func run() { action.run() }
  }

  /// The name of an action: its cell and its sequence number.
  @usableFromInline
  struct Name {
    let cell: Int
    let sequence: Int
  }

  struct Cell {
    var action: Action?
    var sequence: Int
    /// The index of a repeating action's repetition, the next vacant cell if this one is vacant, or -1.
    var link: Int
    var lane: Lane
  }

  /// A set of actions. In an ordered lane, they run in the order in which they were armed, even where orders are explored.
  struct Lane: Hashable {
    let number: Int

    static let closures = Lane(number: 0)

    /// The jobs of a virtual world's main actor.
    static let mainActor = Lane(number: 1)

    /// Work that any thread may take up at any time, in any order.
    static let none = Lane(number: -1)

    /// The wake-ups of sleeping tasks, which may run in any order.
    static let sleeps = Lane(number: -2)

    /// A virtual world's jobs, except the main actor's. They may run in any order.
    static let world = Lane(number: -3)

    /// Indicates whether the lane's actions have a fixed order.
    var isOrdered: Bool { number >= 0 }
  }

  /// A bit in the sequence number that puts an action after all others with the same date.
  static let barrier = 1 << 62

  var cells: [Cell] = []
  var firstVacancy = -1
  var vacantRepetitions: [Int] = []
  var nextSequence = 0

  var liveCount = 0

  /// The number of cancelled actions whose entries are still in the agenda.
  var staleCount = 0

  /// The number of pending actions that wake a sleeping task.
  var sleepCount = 0

  var cancelCount = 0

  /// Adds an action and gives it the next sequence number.
  mutating func insert(_ action: Action, repetition: Int = -1, lane: Lane, isBarrier: Bool) -> Name {
    let sequence = isBarrier ? nextSequence | Self.barrier : nextSequence
    nextSequence &+= 1
    liveCount &+= 1
    if lane == .sleeps { sleepCount &+= 1 }
    let vacancy = firstVacancy
    guard vacancy >= 0 else {
      cells.append(Cell(action: action, sequence: sequence, link: repetition, lane: lane))
      return Name(cell: cells.count &- 1, sequence: sequence)
    }
    firstVacancy = cells[vacancy].link
    cells[vacancy] = Cell(action: action, sequence: sequence, link: repetition, lane: lane)
    return Name(cell: vacancy, sequence: sequence)
  }

  func contains(_ name: Name) -> Bool { cells[name.cell].sequence == name.sequence }

  /// Removes and returns a pending action, and makes its cell vacant.
  mutating func remove(at cell: Int) -> Action? {
    let action = cells[cell].action.take()
    cells[cell].sequence = -1
    cells[cell].link = firstVacancy
    firstVacancy = cell
    liveCount &-= 1
    if cells[cell].lane == .sleeps { sleepCount &-= 1 }
    return action
  }

  /// Cancels an action and returns it, or returns `nil` if it's no longer pending.
  mutating func cancel(_ name: Name) -> Action? {
    guard name.cell < cells.count, contains(name) else { return nil }
    let repetition = cells[name.cell].link
    if repetition >= 0 { vacantRepetitions.append(repetition) }
    staleCount += 1
    cancelCount &+= 1
    return remove(at: name.cell)
  }

  mutating func removeAll() -> [Cell] {
    defer { self = ActionTable() }
    return cells
  }
}
