internal import Streams

/// When the actions of a timeline are due, and how far its time has come.
///
/// Dates and intervals are whole numbers of nanoseconds; dates count from the beginning of the timeline.
///
/// The dates are a binary heap in the order (date, sequence). An entry is a few plain words: the action is in the
/// ``ActionTable``, and an entry whose action has gone is dropped when it comes up, or with all others of its kind as
/// soon as they outnumber the rest.
@usableFromInline
struct Agenda {
  struct Entry {
    var date: Int
    let name: ActionTable.Name

    func precedes(_ other: Entry) -> Bool {
      date < other.date || date == other.date && name.sequence < other.name.sequence
    }
  }

  struct Repetition {
    let interval: Int
    var tally: Tally
  }

  /// The present moment. No action that waits is due before it.
  @usableFromInline var now = 0

  var entries: [Entry] = []
  var repetitions: [Repetition] = []

  /// How many calls are moving time at this moment, one inside the other or on several threads.
  var depth = 0

  /// How many actions have ever been run; had been when the outermost call began; and when `now` was reached.
  var runCount = 0
  var runCountAtStart = 0
  var runCountAtInstant = 0

  /// Whether it has been said that the budget of the outermost call did not suffice.
  var hasExceeded = false

  /// How many calls that move time on have ever been awaited from outside, and the numbers of those that are.
  var moveCount = 0
  var moves: [Int] = []

  /// How many jobs have entered from another thread while time was being moved.
  var foreignEnqueueCount = 0

  var taskExecutor: VirtualTaskExecutor?

  /// What modules above keep, once they keep something.
  var attachments: Attachments?

  /// Where actions were armed, by their sequence numbers, as far as somebody has said so.
  var armedPlaces: [Int: SourcePlace] = [:]

  /// How many lanes have been made.
  var laneCount = 0

  /// Who waits until something is armed, if anyone does.
  var armingWaiters: ArmingWaiters?

  /// Who chooses among what is due at the same moment; nobody, where it runs in the order in which it was armed.
  var chooser: OrderChooser?

  /// The tally of everything that does not repeat.
  var once = Tally(0)

  /// Remembers a date.
  mutating func insert(_ entry: Entry) {
    entries.append(entry)
    let last = entries.count &- 1
    entries.withUnsafeMutableBufferPointer { Self.raise(entry, from: last, in: $0) }
  }

  /// Forgets the first date.
  mutating func removeFirst() {
    let last = entries.removeLast()
    if !entries.isEmpty { replaceFirst(with: last) }
  }

  /// Puts an entry in the place of the first.
  mutating func replaceFirst(with entry: Entry) {
    entries.withUnsafeMutableBufferPointer { Self.lower(entry, from: 0, in: $0) }
  }

  /// Takes out one of the entries that are due first, as the chooser says.
  mutating func choose(at date: Int, _ table: borrowing ActionTable) -> Entry {
    var heads: [ActionTable.Lane: Int] = [:]
    var candidates: [Int] = []
    for index in entries.indices where entries[index].date == date && table.contains(entries[index].name) {
      let lane = table.places[entries[index].name.place].lane
      if !lane.isOrdered {
        candidates.append(index)
      } else if heads[lane].map({ entries[index].precedes(entries[$0]) }) ?? true {
        heads[lane] = index
      }
    }
    candidates += heads.values
    candidates.sort { entries[$0].precedes(entries[$1]) }
    let free = candidates.prefix { entries[$0].name.sequence < ActionTable.barrier }
    let choice = free.count > 1 ? chooser?.choose(among: free.count) ?? 0 : 0
    return removeEntry(at: candidates[choice])
  }

  private mutating func removeEntry(at index: Int) -> Entry {
    let entry = entries[index]
    let last = entries.removeLast()
    guard index < entries.count else { return entry }
    entries.withUnsafeMutableBufferPointer { heap in
      Self.raise(last, from: index, in: heap)
      Self.lower(heap[index], from: index, in: heap)
    }
    return entry
  }

  /// Forgets the dates of all actions that have gone.
  mutating func compact(_ table: inout ActionTable) {
    entries.removeAll { !table.contains($0.name) }
    table.staleCount = 0
    entries.withUnsafeMutableBufferPointer { heap in
      var index = heap.count / 2
      while index > 0 {
        index &-= 1
        Self.lower(heap[index], from: index, in: heap)
      }
    }
  }

  /// The first entry whose action is still there.
  mutating func first(_ table: inout ActionTable) -> Entry? {
    while let entry = entries.first {
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
  /// The hole goes all the way down first and the entry then up: what is put here comes from the bottom or is due
  /// after its interval, so it most often belongs far down, and the way down takes one comparison a level, not two.
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
