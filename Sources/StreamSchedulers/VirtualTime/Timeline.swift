public import Streams
internal import Synchronization

/// Virtual time: pending actions, which the thread that advances time runs in order of date and sequence number.
///
/// Its time is the number of nanoseconds since its beginning. Each scheduler has its own time type and converts dates to
/// distances from the beginning. Schedulers and clocks retain their timeline. A canceller retains only the table of actions,
/// which is emptied in the timeline's `deinit`, so an action may capture its own canceller without leaving a retain cycle.
///
/// An action runs, and is released, while no lock is held.
@usableFromInline
package final class Timeline {
  @usableFromInline let table = Locked(ActionTable())

  // Exclusive: the agenda is used only under the lock of `table`, while no outside code runs.
  @usableFromInline
  @exclusivity(unchecked) var agenda = Agenda()

  /// The number of tasks that are inside a sleep on this timeline, from the call to its return.
  let sleeperCount = Atomic<Int>(0)

  package init(_ order: RunOrder = .fifo) {
    KnownExecutionEnvironment.install
    agenda.chooser = OrderChooser(order)
  }

  // Exclusive: each access to `willRunJob`, `tellsOfJobs` and `world` is a load or a store, during which
  // no outside code runs.

  /// The closure called before each job, if any. The timeline's owner sets it before starting any task.
  @exclusivity(unchecked) private nonisolated(unsafe) var willRunJob: ((DrivingThread) -> Void)?

  /// Indicates whether `willRunJob` is set. Checking this before each job doesn't retain anything.
  @exclusivity(unchecked) private(set) nonisolated(unsafe) var tellsOfJobs = false

  /// Sets the closure that is called before each job.
  package func onJob(_ body: ((DrivingThread) -> Void)?) {
    willRunJob = body
    tellsOfJobs = body != nil
  }

  @inline(never)
  func tellOfJob(on thread: DrivingThread) { willRunJob?(thread) }

  /// The virtual world of this timeline (a scope whose tasks all run on it), or `nil` if there hasn't been one. Only threads in
  /// a world may read it.
  @exclusivity(unchecked) package nonisolated(unsafe) var world: TimelineWorld?

  /// The executor for tasks on this timeline, created on first use because most timelines don't have tasks.
  package var taskExecutor: VirtualTaskExecutor {
    if let existing = withLock({ agenda, _ in agenda.taskExecutor }) { return existing }
    let new = VirtualTaskExecutor(self)
    return withLock { agenda, _ in
      if agenda.taskExecutor == nil { agenda.taskExecutor = new }
      return agenda.taskExecutor ?? new
    }
  }

  deinit {
    _ = table.withLock { $0.removeAll() }
  }

  /// The current date, in nanoseconds since the beginning.
  @inlinable package var now: Int { table.withLock { _ in agenda.now } }

  /// The date of the first pending action, or `nil` if there's none.
  package var nextDate: Int? { withLock { agenda, table in agenda.first(&table)?.date } }

  /// The number of actions that have run. Several calls share one budget if each receives the number that was current when the
  /// first began.
  package var runCount: Int { withLock { agenda, _ in agenda.runCount } }

  @inline(__always)
  func withLock<Result: ~Copyable>(_ transition: (inout Agenda, inout ActionTable) -> Result) -> Result {
    table.withLock { transition(&agenda, &$0) }
  }

  /// Arms an action for a date, or for the current date if that is later or `date` is `nil`.
  @usableFromInline
  func insert(
    after date: Int?, interval: Int? = nil, _ action: @escaping () -> Void
  ) -> ActionTable.Name {
    insert(after: date, interval: interval, lane: .closures, action)
  }

  /// Arms an action in a lane.
  @inline(__always)
  func insert(
    after date: Int?, interval: Int? = nil, lane: ActionTable.Lane, isBarrier: Bool = false,
    _ action: @escaping () -> Void
  ) -> ActionTable.Name {
    if ArmingObservation.count.load(ordering: .relaxed) > 0 {
      return insertObserved(after: date, interval: interval, lane: lane, isBarrier: isBarrier, action)
    }
    return insertUnobserved(after: date, interval: interval, lane: lane, isBarrier: isBarrier, action)
  }

  @inline(never)
  private func insertObserved(
    after date: Int?, interval: Int?, lane: ActionTable.Lane, isBarrier: Bool, _ action: @escaping () -> Void
  ) -> ActionTable.Name {
    let name = insertUnobserved(after: date, interval: interval, lane: lane, isBarrier: isBarrier, action)
    noteArming(of: name)
    return name
  }

  @inline(__always)
  private func insertUnobserved(
    after date: Int?, interval: Int?, lane: ActionTable.Lane, isBarrier: Bool, _ action: @escaping () -> Void
  ) -> ActionTable.Name {
    let (name, waiters) = withLock { agenda, table -> (ActionTable.Name, ArmingWaiters?) in
      let repetition = interval.map { agenda.repetition(every: $0, &table) } ?? -1
      var due = agenda.now
      if let date, due < date { due = date }
      let name = agenda.arm(
        ActionTable.Action(run: action), at: due, repetition: repetition, lane: lane, isBarrier: isBarrier, &table)
      return (name, agenda.armingWaiters)
    }
    waiters?.arm()
    return name
  }

  /// Arms an action on behalf of a location in the source code.
  @usableFromInline
  func insertCancellable(
    after date: Int, interval: Int?, fileID: StaticString, filePath: StaticString, line: UInt, column: UInt,
    _ action: @escaping () -> Void
  ) -> ActionCanceller {
    let canceller = insertCancellable(after: date, interval: interval, action)
    note(CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column), of: canceller.name)
    return canceller
  }

  /// Arms an action like `insert`, and returns its canceller.
  @usableFromInline
  func insertCancellable(after date: Int?, interval: Int? = nil, _ action: @escaping () -> Void) -> ActionCanceller {
    ActionCanceller(table, insert(after: date, interval: interval, action))
  }

  /// Runs the first action, at its date. Returns `false` if there was none.
  @usableFromInline
  func step() -> Bool {
    let action = withLock { agenda, table -> ActionTable.DueAction? in
      guard let entry = agenda.first(&table) else { return nil }
      return agenda.begin(entry, &table)
    }
    guard let action else { return false }
    driving { action.run() }
    return true
  }

  /// Runs, in order, the actions that are due up to a target, or all actions if the target is `nil`, and moves time to the
  /// target.
  ///
  /// When the budget is exceeded, it stops and returns the excess. Nested and concurrent calls share the budget and return the
  /// excess once. So do the parts of one advance, which pass the run count from when the advance began.
  package func run(through target: Int?, within budget: TimelineBudget, since start: Int? = nil) -> TimelineExcess? {
    driving {
      withLock { agenda, _ in agenda.beginCall(since: start) }
      var excess: TimelineExcess?
      while let action = next(through: target, within: budget, &excess) { action.run() }
      return excess
    }
  }

  /// Runs a closure while the calling thread counts as advancing this timeline.
  @inline(__always)
  func driving<Result>(_ body: () -> Result) -> Result {
    DrivingThread.unmanaged._withUnsafeGuaranteedRef { $0.driving(self, body) }
  }

  /// Returns the action to run next, or `nil` if the call is over.
  @inline(__always)
  func next(
    through target: Int?, within budget: TimelineBudget, keepsCall: Bool = false, _ excess: inout TimelineExcess?
  ) -> ActionTable.DueAction? {
    withLock { agenda, table in
      guard let entry = agenda.first(&table), target.map({ !($0 < entry.date) }) ?? true else {
        if !keepsCall { agenda.endCall(at: target) }
        return nil
      }
      if let limit = agenda.exceededLimit(of: budget, at: entry.date) {
        if !keepsCall { agenda.endCall(at: nil) }
        excess = agenda.takeExcess(limit)
        return nil
      }
      return agenda.begin(entry, &table)
    }
  }
}

@usableFromInline
final class ActionCanceller: Cancellable {
  let table: Locked<ActionTable>
  let name: ActionTable.Name

  init(_ table: Locked<ActionTable>, _ name: ActionTable.Name) {
    self.table = table
    self.name = name
  }

  @usableFromInline
  func cancel() {
    // The action is returned from the critical section and released outside it.
    _ = table.withLock { $0.cancel(name) }
  }
}

extension Agenda {
  /// Arms an action for a date that hasn't passed.
  @inline(__always)
  mutating func arm(
    _ action: ActionTable.Action, at date: Int, repetition: Int = -1, lane: ActionTable.Lane, isBarrier: Bool = false,
    _ table: inout ActionTable
  ) -> ActionTable.Name {
    #if DEBUG
      wasArmed = true
    #endif
    if table.staleCount > 64, table.staleCount > table.liveCount { compact(&table) }
    let name = table.insert(action, repetition: repetition, lane: lane, isBarrier: isBarrier)
    insert(Entry(date: date, name: name))
    return name
  }

  mutating func repetition(every interval: Int, _ table: inout ActionTable) -> Int {
    let repetition = Repetition(interval: interval, tally: ActionTally(now))
    guard let vacancy = table.vacantRepetitions.popLast() else {
      repetitions.append(repetition)
      return repetitions.count &- 1
    }
    repetitions[vacancy] = repetition
    return vacancy
  }

  /// Begins a call, or a part of one that began at an earlier run count.
  mutating func beginCall(since start: Int? = nil) {
    #if DEBUG
      wasDriven = true
    #endif
    depth &+= 1
    guard depth == 1 else { return }
    runCountAtStart = start ?? runCount
    hasExceeded = false
  }

  mutating func endCall(at target: Int?) {
    depth &-= 1
    chooser?.run(nil)
    if let target { move(to: target) }
  }

  mutating func move(to date: Int) {
    guard now < date else { return }
    now = date
    runCountAtInstant = runCount
  }

  /// Moves time to the date of the first entry, and returns an action with that date: the first, or the one that the chooser
  /// picks.
  mutating func begin(_ first: Entry, _ table: inout ActionTable) -> ActionTable.DueAction {
    #if DEBUG
      wasDriven = true
    #endif
    move(to: first.date)
    let isChosen = chooser != nil
    let entry = isChosen ? choose(at: first.date, table) : first
    let ordinal = runCount
    runCount &+= 1
    let cell = entry.name.cell
    let repetition = table.cells[cell].link
    guard repetition >= 0 else {
      once.count(entry.date, ordinal: ordinal, since: runCountAtStart)
      if !isChosen { removeFirst() }
      return ActionTable.DueAction(table.remove(at: cell).unsafelyUnwrapped)
    }
    // A repeating action is armed again before it runs, so that it can be cancelled from inside.
    repetitions[repetition].tally.count(entry.date, ordinal: ordinal, since: runCountAtStart)
    let next = Entry(date: entry.date.addingSaturating(repetitions[repetition].interval), name: entry.name)
    if isChosen { insert(next) } else { replaceFirst(with: next) }
    return ActionTable.DueAction(table.cells[cell].action.unsafelyUnwrapped)
  }
}
