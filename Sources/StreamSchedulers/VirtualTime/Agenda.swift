internal import Streams

/// The dates of a timeline's actions, and the timeline's current time.
///
/// Dates and intervals are whole nanoseconds. Dates count from the beginning of the timeline.
///
/// Entries are ordered by date and then by sequence number. The action itself is in the ``ActionTable``. An entry whose action
/// is gone is dropped when it becomes the first. When such entries outnumber the rest, all of them are dropped.
@usableFromInline
struct Agenda: ~Copyable {
  struct Entry {
    var date: Int
    let name: ActionTable.Name

    func precedes(_ other: Entry) -> Bool {
      date < other.date || date == other.date && name.sequence < other.name.sequence
    }
  }

  struct Repetition {
    let interval: Int
    var tally: ActionTally
  }

  /// The current date. No pending action is due before it.
  @usableFromInline var now = 0

  /// Entries that arrived in order, such as timers with the same interval for a delay or a timeout. Adding or removing one
  /// takes constant time.
  private var queue = Ring<Entry>()
  /// The other entries, as a binary heap.
  private var heap: [Entry] = []

  var repetitions: [Repetition] = []

  /// The number of calls that are advancing time, nested or on several threads.
  var depth = 0

  /// The number of actions that have ever run, and its values when the outermost call began and when `now` was reached.
  var runCount = 0
  var runCountAtStart = 0
  var runCountAtInstant = 0

  /// Indicates whether it has been reported that the outermost call exceeded its budget.
  var hasExceeded = false

  /// The number of awaited advances ever begun from outside the timeline.
  var moveCount = 0

  #if DEBUG
    /// Indicates whether an action was ever armed, and whether time was ever advanced. A test that does only one of these is
    /// probably wrong.
    var wasArmed = false
    var wasDriven = false
  #endif
  /// The numbers that identify the awaited advances in progress.
  var moves: [Int] = []

  /// The number of foreign jobs (see `Timeline.enqueue`), plus other jobs that entered from another thread while time was being
  /// advanced.
  var foreignEnqueueCount = 0

  var taskExecutor: VirtualTaskExecutor?

  /// The objects that other modules keep with the timeline, once there are any.
  var attachments: Attachments?

  /// The known source locations where actions were armed, by sequence number.
  var armedLocations: [Int: CodeLocation] = [:]

  var laneCount = 0

  /// The waiters for the next action to be armed, if there have been any.
  var armingWaiters: ArmingWaiters?

  /// The chooser among simultaneous actions, or `nil` if they run in the order in which they were armed.
  var chooser: OrderChooser?

  /// The tally of all actions that don't repeat.
  var once = ActionTally(0)

  var entryCount: Int { queue.count &+ heap.count }

  /// The entries whose actions are pending, in no particular order.
  func pendingEntries(_ table: borrowing ActionTable) -> [Entry] {
    ((0..<queue.count).map { queue[$0] } + heap).filter { table.contains($0.name) }
  }

  mutating func insert(_ entry: Entry) {
    // A chooser looks at the heap only.
    if chooser != nil {
      chooser?.arm(entry.name.sequence)
    } else if queue.isEmpty || queue[queue.count &- 1].precedes(entry) {
      return queue.append(entry)
    }
    heap.append(entry)
    let last = heap.count &- 1
    heap.withUnsafeMutableBufferPointer { Self.raise(entry, from: last, in: $0) }
  }

  /// Indicates whether the first entry is in the queue. There must be an entry.
  private var isFirstInQueue: Bool {
    guard let first = queue.first else { return false }
    return heap.isEmpty || first.precedes(heap[0])
  }

  mutating func removeFirst() {
    if isFirstInQueue {
      _ = queue.removeExistingFirst()
    } else {
      let last = heap.removeLast()
      if !heap.isEmpty { replaceFirstInHeap(with: last) }
    }
  }

  mutating func replaceFirst(with entry: Entry) {
    if isFirstInQueue {
      _ = queue.removeExistingFirst()
      insert(entry)
    } else {
      replaceFirstInHeap(with: entry)
    }
  }

  private mutating func replaceFirstInHeap(with entry: Entry) {
    heap.withUnsafeMutableBufferPointer { Self.lower(entry, from: 0, in: $0) }
  }

  /// Removes and returns the entry that the chooser picks from the ones due at a date.
  mutating func choose(at date: Int, _ table: borrowing ActionTable) -> Entry {
    var heads: [ActionTable.Lane: Int] = [:]
    var candidates: [Int] = []
    for index in heap.indices where heap[index].date == date && table.contains(heap[index].name) {
      let lane = table.cells[heap[index].name.cell].lane
      if !lane.isOrdered {
        candidates.append(index)
      } else if heads[lane].map({ heap[index].precedes(heap[$0]) }) ?? true {
        heads[lane] = index
      }
    }
    candidates += heads.values
    candidates.sort { heap[$0].precedes(heap[$1]) }
    let free = candidates.prefix { heap[$0].name.sequence < ActionTable.barrier }
    let choice = free.count > 1 ? choose(among: free.map { heap[$0].name }, at: date, table) : 0
    let entry = removeEntry(at: candidates[choice])
    chooser?.run(entry.name.sequence)
    return entry
  }

  /// Returns the chooser's choice among several actions, and records it.
  private mutating func choose(among names: [ActionTable.Name], at date: Int, _ table: borrowing ActionTable) -> Int {
    let index = chooser?.choose(among: names.map(\.sequence)) ?? 0
    guard let record = chooser?.record else { return index }
    func action(_ name: ActionTable.Name) -> Choice.Action {
      Choice.Action(sequence: name.sequence, lane: table.cells[name.cell].lane, location: armedLocations[name.sequence])
    }
    let deviation = Choice.Deviation(date: date, chosen: action(names[index]), first: action(names[0]))
    record.append(Choice(index: index, count: names.count, deviation: index == 0 ? nil : deviation))
    return index
  }

  private mutating func removeEntry(at index: Int) -> Entry {
    let entry = heap[index]
    let last = heap.removeLast()
    guard index < heap.count else { return entry }
    heap.withUnsafeMutableBufferPointer { heap in
      Self.raise(last, from: index, in: heap)
      Self.lower(heap[index], from: index, in: heap)
    }
    return entry
  }

  /// Removes the entries of all actions that are gone.
  mutating func compact(_ table: inout ActionTable) {
    for _ in 0..<queue.count {
      let entry = queue.removeExistingFirst()
      if table.contains(entry.name) { queue.append(entry) }
    }
    heap.removeAll { !table.contains($0.name) }
    table.staleCount = 0
    heap.withUnsafeMutableBufferPointer { heap in
      var index = heap.count / 2
      while index > 0 {
        index &-= 1
        Self.lower(heap[index], from: index, in: heap)
      }
    }
  }

  /// Returns the first entry whose action is still pending.
  mutating func first(_ table: inout ActionTable) -> Entry? {
    while entryCount > 0 {
      let entry = isFirstInQueue ? queue[0] : heap[0]
      if table.contains(entry.name) { return entry }
      table.staleCount &-= 1
      removeFirst()
    }
    return nil
  }

  /// Fills a hole with an entry that belongs there or further up.
  static func raise(_ entry: Entry, from index: Int, in heap: UnsafeMutableBufferPointer<Entry>, top: Int = 0) {
    var hole = index
    while hole > top {
      let parent = (hole &- 1) / 2
      guard entry.precedes(heap[parent]) else { break }
      heap[hole] = heap[parent]
      hole = parent
    }
    heap[hole] = entry
  }

  /// Fills a hole with an entry that belongs there or further down.
  ///
  /// The hole first moves all the way down, and then the entry moves up. The entry comes from the bottom or is due an interval
  /// later, so it usually belongs far down. Moving a hole down takes one comparison per level instead of two.
  static func lower(_ entry: Entry, from index: Int, in heap: UnsafeMutableBufferPointer<Entry>) {
    let count = heap.count
    var hole = index
    var child = 2 &* hole &+ 2
    while child < count {
      if heap[child &- 1].precedes(heap[child]) { child &-= 1 }
      heap[hole] = heap[child]
      hole = child
      child = 2 &* hole &+ 2
    }
    if child == count {
      heap[hole] = heap[child &- 1]
      hole = child &- 1
    }
    raise(entry, from: hole, in: heap, top: index)
  }
}
