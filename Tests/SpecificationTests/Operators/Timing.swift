import Dispatch
import StreamAlgorithms
import StreamSchedulers
import Streams

/// What waits for its turn.
enum Waiting {
  case value(Int)
  case ending(Ending)

  var effect: Effect {
    switch self {
    case .value(let value): .send(value)
    case .ending(let ending): .end(ending)
    }
  }
}

/// Delivers values and the end in order, on a scheduler.
protocol QueueingOperator: Operator {
  mutating func enqueue(_ signal: Waiting, _ context: Context) -> [Effect]
}

extension QueueingOperator {
  func start(_ context: Context) -> [Effect] { beginAtOnce() }

  mutating func receive(_ value: Int, from upstream: Int, _ context: Context) -> [Effect] {
    enqueue(.value(value), context)
  }

  mutating func end(_ ending: Ending, from upstream: Int, _ context: Context) -> [Effect] {
    enqueue(.ending(ending), context)
  }
}

struct ReceiveOn: QueueingOperator {
  let clock: Clock
  var waiting: [Waiting] = []
  func publisher(of source: some Source, in world: World) -> any Source { source.receive(on: world.scheduler(clock)) }

  mutating func enqueue(_ signal: Waiting, _ context: Context) -> [Effect] {
    waiting.append(signal)
    return waiting.count == 1 ? [.schedule(0)] : []
  }

  mutating func fire(_ action: Int, _ context: Context) -> [Effect] {
    defer { waiting = [] }
    return waiting.map(\.effect)
  }
}

struct Delay: QueueingOperator {
  let duration: Int
  let clock: Clock
  var waiting: [(date: Int, signal: Waiting)] = []
  func publisher(of source: some Source, in world: World) -> any Source {
    source.delay(for: .seconds(duration), scheduler: world.scheduler(clock))
  }

  mutating func enqueue(_ signal: Waiting, _ context: Context) -> [Effect] {
    let date = context.now + duration
    let isNew = waiting.last?.date != date
    waiting.append((date, signal))
    return isNew ? [.arm(date, at: date)] : []
  }

  mutating func fire(_ action: Int, _ context: Context) -> [Effect] {
    let due = waiting.filter { $0.date <= action }
    waiting.removeFirst(due.count)
    return due.map(\.signal.effect)
  }
}

struct Debounce: Operator {
  let duration: Int
  let clock: Clock
  var newest: Int?
  /// The date at which the newest value is due, while an action is armed.
  var due: Int?
  /// Indicates whether the newest value has arrived since the action was armed.
  var isReplaced = false
  func publisher(of source: some Source, in world: World) -> any Source {
    source.debounce(for: .seconds(duration), scheduler: world.scheduler(clock))
  }

  func start(_ context: Context) -> [Effect] { beginAtOnce(requesting: .unlimited) }
  func request(_ demand: Demand, _ context: Context) -> [Effect] { [] }

  mutating func receive(_ value: Int, from upstream: Int, _ context: Context) -> [Effect] {
    newest = value
    isReplaced = due != nil
    due = context.now + duration
    return isReplaced ? [] : [.arm(0, at: due!)]
  }

  func end(_ ending: Ending, from upstream: Int, _ context: Context) -> [Effect] {
    [.disarm(0), .schedule(ending == .finished ? 1 : 2)]
  }

  mutating func fire(_ action: Int, _ context: Context) -> [Effect] {
    if action > 0 { return [.end(action == 1 ? .finished : .failed)] }
    if isReplaced {
      isReplaced = false
      return [.arm(0, at: due!)]
    }
    due = nil
    return context.demand == .none ? [] : [.send(newest!)]
  }
}

struct Throttle: Operator {
  let interval: Int
  let isLatest: Bool
  let clock: Clock
  var waiting: Int?
  var next = 0
  var isArmed = false
  var ending: Ending?
  func publisher(of source: some Source, in world: World) -> any Source {
    source.throttle(for: .seconds(interval), scheduler: world.scheduler(clock), latest: isLatest)
  }

  func start(_ context: Context) -> [Effect] { beginAtOnce(requesting: .unlimited) }
  func request(_ demand: Demand, _ context: Context) -> [Effect] { [] }

  mutating func receive(_ value: Int, from upstream: Int, _ context: Context) -> [Effect] {
    waiting = isLatest ? value : waiting ?? value
    if isArmed { return [] }
    isArmed = true
    return [.arm(0, at: max(context.now, next))]
  }

  mutating func end(_ ending: Ending, from upstream: Int, _ context: Context) -> [Effect] {
    self.ending = ending
    return waiting == nil ? [.schedule(0)] : []
  }

  mutating func fire(_ action: Int, _ context: Context) -> [Effect] {
    isArmed = false
    var effects: [Effect] = []
    if let value = waiting {
      waiting = nil
      next = context.now + interval
      if context.demand != .none { effects = [.send(value)] }
    }
    return effects + (ending.map { [.end($0)] } ?? [])
  }
}

struct Timeout: Operator {
  let interval: Int
  let fails: Bool
  let clock: Clock
  var deadline = 0
  var queue = ReceiveOn(clock: .immediate)
  func publisher(of source: some Source, in world: World) -> any Source {
    let token = world.token()
    return source.timeout(
      .seconds(interval), scheduler: world.scheduler(clock),
      customError: fails
        ? {
          _ = token.touch(0)
          return Failed()
        } : nil)
  }

  func start(_ context: Context) -> [Effect] { beginAtOnce() }

  mutating func connected(_ context: Context) -> [Effect] {
    deadline = context.now + interval
    return context.isImmediate ? [] : [.arm(1, at: deadline)]
  }

  mutating func receive(_ value: Int, from upstream: Int, _ context: Context) -> [Effect] {
    deadline = context.now + interval
    return queue.receive(value, from: 0, context)
  }

  mutating func end(_ ending: Ending, from upstream: Int, _ context: Context) -> [Effect] {
    [.disarm(1)] + queue.end(ending, from: 0, context)
  }

  mutating func fire(_ action: Int, _ context: Context) -> [Effect] {
    if action == 0 { return queue.fire(0, context) }
    return context.now < deadline ? [.arm(1, at: deadline)] : [.end(fails ? .failed : .finished)]
  }
}

struct MeasureInterval: Operator {
  let clock: Clock
  var last = 0
  func publisher(of source: some Source, in world: World) -> any Source {
    source.measureInterval(using: world.scheduler(clock)).map { $0.magnitude / 1_000_000_000 }
  }

  mutating func start(_ context: Context) -> [Effect] {
    last = context.now
    return [.pass]
  }

  mutating func receive(_ value: Int, from upstream: Int, _ context: Context) -> [Effect] {
    defer { last = context.now }
    return [.send(context.now - last)]
  }
}

struct CollectByTime: Operator {
  let interval: Int
  /// The number of elements that complete a group; 0 for any.
  let count: Int
  let clock: Clock
  var beginning = 0
  var group: [Int] = []
  var ready: [Int] = []
  var isArmed = false
  var isFlushing = false
  var isStarted = false
  var ending: Ending?
  /// The number of groups that the current action delivers, and whether it also delivers the end.
  var due = 0
  var isConcluding = false
  func publisher(of source: some Source, in world: World) -> any Source {
    let scheduler = world.scheduler(clock)
    return source.collect(
      count == 0 ? .byTime(scheduler, .seconds(interval)) : .byTimeOrCount(scheduler, .seconds(interval), count)
    ).map(digest)
  }

  func start(_ context: Context) -> [Effect] { beginAtOnce() }

  mutating func connected(_ context: Context) -> [Effect] {
    beginning = context.now
    return []
  }

  mutating func receive(_ value: Int, from upstream: Int, _ context: Context) -> [Effect] {
    group.append(value)
    if group.count == count {
      ready.append(digest(group))
      group = []
      return flush()
    }
    if isArmed { return [] }
    isArmed = true
    return [.arm(0, at: beginning + ((context.now - beginning) / interval + 1) * interval)]
  }

  private mutating func flush() -> [Effect] {
    if isFlushing { return [] }
    isFlushing = true
    return [.schedule(1)]
  }

  mutating func request(_ demand: Demand, _ context: Context) -> [Effect] {
    defer { isStarted = true }
    return [.request(count > 0 ? demand * count : isStarted ? .none : .unlimited, from: 0)]
      + (ready.isEmpty ? [] : flush())
  }

  mutating func end(_ ending: Ending, from upstream: Int, _ context: Context) -> [Effect] {
    self.ending = ending
    // A failure leaves what has been requested, and an action that is delivering delivers all of it.
    if ending == .failed {
      ready = Array(ready.prefix(context.demand.max ?? .max))
      due = ready.count
    } else if !group.isEmpty {
      ready.append(digest(group))
    }
    group = []
    return [.disarm(0)] + flush()
  }

  mutating func fire(_ action: Int, _ context: Context) -> [Effect] {
    if action == 0 {
      isArmed = false
      if group.isEmpty { return [] }
      ready.append(digest(group))
      group = []
    } else {
      isFlushing = false
    }
    due = ready.count
    isConcluding = ending != nil
    return again(context)
  }

  /// Delivers what was ready when the action began. A failure that arrives meanwhile follows it.
  mutating func again(_ context: Context) -> [Effect] {
    if due > 0, context.demand != .none, !ready.isEmpty {
      due -= 1
      return [.send(ready.removeFirst()), .again]
    }
    return ready.isEmpty && (isConcluding || ending == .failed) ? [.end(ending!)] : []
  }
}

struct PrefixDuration: Operator {
  let duration: Int
  let clock: Clock
  func publisher(of source: some Source, in world: World) -> any Source {
    source.prefix(duration: .seconds(duration), scheduler: world.scheduler(clock))
  }

  func start(_ context: Context) -> [Effect] {
    [.begin, .arm(0, at: context.now + duration), .subscribe(source: 0, as: 0)]
  }
  func fire(_ action: Int, _ context: Context) -> [Effect] { [.end(.finished)] }
}

struct DelaySubscription: Operator {
  let duration: Int
  let clock: Clock
  func publisher(of source: some Source, in world: World) -> any Source {
    source.delay(subscription: .seconds(duration), scheduler: world.scheduler(clock))
  }

  func start(_ context: Context) -> [Effect] { [.begin, .arm(0, at: context.now + duration)] }
  func fire(_ action: Int, _ context: Context) -> [Effect] {
    [.request(context.demand, from: 0), .subscribe(source: 0, as: 0)]
  }
}

struct SubscribeOn: Operator {
  let clock: Clock
  /// Whether downstream is still receiving its subscription.
  var isEarly = true
  var early = Demand.none
  var subscribesOnClock: Bool { !isEarly }
  var count = 0
  var pending: [Int: Demand] = [:]

  init(clock: Clock) { self.clock = clock }

  func publisher(of source: some Source, in world: World) -> any Source { source.subscribe(on: world.scheduler(clock)) }

  func start(_ context: Context) -> [Effect] { [.begin, .again] }

  mutating func again(_ context: Context) -> [Effect] {
    isEarly = false
    return [.schedule(0)]
  }

  mutating func request(_ demand: Demand, _ context: Context) -> [Effect] {
    if isEarly {
      early += demand
      return []
    }
    if context.returnsDemand { return [.request(demand, from: 0)] }
    count += 1
    pending[count] = demand
    return [.schedule(count)]
  }

  mutating func fire(_ action: Int, _ context: Context) -> [Effect] {
    if action > 0 { return [.request(pending.removeValue(forKey: action)!, from: 0)] }
    return context.isCancelled ? [] : [.request(early, from: 0), .subscribe(source: 0, as: 0)]
  }
}

/// Delivers at most a number of values in an interval; others wait.
struct RateLimit: Operator {
  let count: Int
  let interval: Int
  let clock: Clock
  var kept: Kept
  /// Values whose turn has come, which the scheduler delivers.
  var granted: [Int] = []
  var dates: [Int] = []
  var isArmed = false
  var isScheduled = false
  var ending: Ending?
  /// Indicates whether the end has a time, too.
  var isConcluding = false

  init(count: Int, per interval: Int, clock: Clock, size: Int, whenFull: WhenFull) {
    (self.count, self.interval, self.clock) = (count, interval, clock)
    kept = Kept(size: size, whenFull: whenFull)
  }

  func publisher(of source: some Source, in world: World) -> any Source {
    source.rateLimit(
      count, per: .seconds(interval), scheduler: world.scheduler(clock), queueSize: kept.size,
      whenFull: kept.whenFull.overflowStrategy(in: world))
  }

  func start(_ context: Context) -> [Effect] { beginAtOnce(requesting: .unlimited) }

  private func isAllowed(_ context: Context) -> Bool { dates.count < count || dates[0] + interval <= context.now }
  private func hasDemand(_ context: Context) -> Bool { context.demand.max ?? .max > granted.count }

  private mutating func grant(_ value: Int, _ context: Context) {
    granted.append(value)
    dates = (dates + [context.now]).suffix(count)
  }

  private mutating func schedule() -> [Effect] {
    defer { isScheduled = true }
    return isScheduled ? [] : [.schedule(1)]
  }

  private mutating func arm(_ context: Context) -> [Effect] {
    if isArmed || kept.values.isEmpty || !hasDemand(context) { return [] }
    isArmed = true
    return [.arm(0, at: dates.count < count ? context.now : max(context.now, dates[0] + interval))]
  }

  mutating func request(_ demand: Demand, _ context: Context) -> [Effect] { arm(context) }

  mutating func receive(_ value: Int, from upstream: Int, _ context: Context) -> [Effect] {
    if kept.values.isEmpty, hasDemand(context), isAllowed(context) {
      grant(value, context)
      return schedule()
    }
    if kept.keep(value) { return arm(context) }
    ending = .failed
    return [.cancel(0)] + (kept.values.isEmpty ? schedule() : [])
  }

  mutating func end(_ ending: Ending) -> [Effect] {
    self.ending = ending
    return kept.values.isEmpty ? schedule() : []
  }

  mutating func fire(_ action: Int, _ context: Context) -> [Effect] {
    if action == 1 {
      isScheduled = false
    } else {
      isArmed = false
      while !kept.values.isEmpty, hasDemand(context), context.isImmediate || isAllowed(context) {
        grant(kept.take(.max(1))[0], context)
      }
    }
    if ending != nil { isConcluding = true }
    return (action == 0 ? arm(context) : []) + again(context)
  }

  mutating func again(_ context: Context) -> [Effect] {
    if !granted.isEmpty { return [.send(granted.removeFirst()), .again] }
    return isConcluding && kept.values.isEmpty ? [.end(ending!)] : []
  }
}

/// Computes elements in tasks, and delivers them in the order of the values that they are computed from.
struct MapTasks: Operator {
  let maxTasks: Int
  let clock: Clock
  let tries: Bool
  var asked: Int
  /// The first value whose element has not been delivered, and the number of the next value.
  var first = 0
  var next = 0
  var values: [Int: Int] = [:]
  var computed: [Int: Int] = [:]
  /// Indicates whether an element is being delivered. Until it has been, no other one is, and no other value is requested.
  var isDelivering = false
  var ending: (Ending, at: Int)?

  init(maxTasks: Int, clock: Clock, tries: Bool) {
    (self.maxTasks, self.clock, self.tries, asked) = (maxTasks, clock, tries, maxTasks)
  }

  func publisher(of source: some Source, in world: World) -> any Source {
    // Safe: tasks run where the clock is advanced.
    nonisolated(unsafe) let token = world.token()
    return source.map(maxTasks: maxTasks, on: world.scheduler(clock)) { [tries] (value) async throws(Failed) in
      if tries, isRefused(token.touch(value)) { throw Failed() }
      return value + 1
    }
  }

  func start(_ context: Context) -> [Effect] { beginAtOnce(requesting: .max(maxTasks)) }

  private mutating func pull(_ context: Context) -> [Effect] {
    guard context.running.contains(0) else { return [] }
    let room = max(0, maxTasks - (next - first) - asked)
    asked += room
    return room > 0 ? [.request(room)] : []
  }

  private mutating func deliver(_ context: Context) -> [Effect] {
    if isDelivering { return [] }
    guard context.demand > .none, let element = computed.removeValue(forKey: first) else { return finish() }
    isDelivering = true
    first += 1
    return [.send(element), .again]
  }

  mutating func request(_ demand: Demand, _ context: Context) -> [Effect] { deliver(context) }

  mutating func receive(_ value: Int, from upstream: Int, _ context: Context) -> [Effect] {
    asked = max(0, asked - 1)
    values[next] = value
    next += 1
    return [.schedule(next - 1)]
  }

  mutating func fire(_ action: Int, _ context: Context) -> [Effect] {
    if let ending, action >= ending.at { return [] }
    let value = values.removeValue(forKey: action)!
    if tries, isRefused(value) {
      ending = (.failed, action)
      return [.cancel(0)] + finish()
    }
    computed[action] = value + 1
    return deliver(context)
  }

  mutating func again(_ context: Context) -> [Effect] {
    isDelivering = false
    return pull(context) + deliver(context)
  }

  mutating func end(_ ending: Ending, from upstream: Int, _ context: Context) -> [Effect] {
    if self.ending == nil { self.ending = (ending, next) }
    return finish()
  }

  private func finish() -> [Effect] {
    if let ending, first == ending.at { [.end(ending.0)] } else { [] }
  }
}
