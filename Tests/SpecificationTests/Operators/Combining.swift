import StreamAlgorithms
import Streams

/// Values that wait for demand or for the delivery of another, at most one of each publisher, in turn.
struct Turns {
  private var waiting: [(value: Int, from: Int)] = []
  /// The publisher whose value is being delivered.
  private(set) var current: Int?

  private var isFailing = false

  var isEmpty: Bool { !isFailing && waiting.isEmpty && current == nil }
  func holds(_ upstream: Int) -> Bool { current == upstream || waiting.contains { $0.from == upstream } }

  mutating func receive(_ value: Int, from upstream: Int, _ context: Context) -> [Effect] {
    waiting.append((value, upstream))
    return deliver(context)
  }

  /// Delivers the next value.
  mutating func deliver(_ context: Context) -> [Effect] {
    guard current == nil else { return [] }
    guard context.demand != .none, !waiting.isEmpty else { return isFailing ? [.end(.failed)] : [] }
    let next = waiting.removeFirst()
    current = next.from
    return [.send(next.value), .again]
  }

  /// Ends after the values for which there is demand.
  mutating func fail(_ context: Context) -> [Effect] {
    isFailing = true
    return context.running.sorted().map { .cancel($0) } + deliver(context)
  }

  /// Returns the publisher whose value has been delivered.
  mutating func delivered() -> Int {
    defer { current = nil }
    return current!
  }
}

struct Merge: BinaryOperator {
  var turns = Turns()
  var isStarted = false
  /// Indicates whether the publisher is made of a collection.
  let isOfMany: Bool
  func publisher(of a: some Source, _ b: some Source, in world: World) -> any Source {
    isOfMany ? [a.eraseToAnyPublisher(), b.eraseToAnyPublisher()].merge() : a.merge(with: b)
  }

  mutating func receive(_ value: Int, from upstream: Int, _ context: Context) -> [Effect] {
    turns.receive(value, from: upstream, context)
  }

  mutating func request(_ demand: Demand, _ context: Context) -> [Effect] {
    defer { isStarted = true }
    let each: Demand = demand == .unlimited ? .unlimited : isStarted ? .none : .max(1)
    return [.request(each, from: 0), .request(each, from: 1)] + turns.deliver(context)
  }

  mutating func again(_ context: Context) -> [Effect] {
    let upstream = turns.delivered()
    return [.request(context.demand == .unlimited ? .none : .max(1), from: upstream)] + turns.deliver(context)
      + finish(context)
  }

  mutating func end(_ ending: Ending, from upstream: Int, _ context: Context) -> [Effect] {
    ending == .failed ? turns.fail(context) : finish(context)
  }

  private func finish(_ context: Context) -> [Effect] {
    context.running.isEmpty && turns.isEmpty ? [.end(.finished)] : []
  }
}

struct Zip: BinaryOperator {
  var values: [[Int]] = [[], []]
  let isOfMany: Bool
  func publisher(of a: some Source, _ b: some Source, in world: World) -> any Source {
    let token = world.token()
    return isOfMany
      ? [a.eraseToAnyPublisher(), b.eraseToAnyPublisher()].zip().map(digest)
      : a.zip(b) { digest([token.touch($0), $1]) }
  }

  func request(_ demand: Demand, _ context: Context) -> [Effect] {
    [.request(demand, from: 0), .request(demand, from: 1)]
  }

  mutating func receive(_ value: Int, from upstream: Int, _ context: Context) -> [Effect] {
    values[upstream].append(value)
    guard !values[0].isEmpty, !values[1].isEmpty else { return [] }
    let pair = digest([values[0].removeFirst(), values[1].removeFirst()])
    let isOver = (0...1).contains { !context.running.contains($0) && values[$0].isEmpty }
    return isOver ? [.send(pair), .end(.finished)] : [.send(pair)]
  }

  func end(_ ending: Ending, from upstream: Int, _ context: Context) -> [Effect] {
    ending == .failed || values[upstream].isEmpty ? [.end(ending)] : []
  }
}

struct CombineLatest: BinaryOperator {
  var latest: [Int?] = [nil, nil]
  let isOfMany: Bool
  func publisher(of a: some Source, _ b: some Source, in world: World) -> any Source {
    let token = world.token()
    return isOfMany
      ? [a.eraseToAnyPublisher(), b.eraseToAnyPublisher()].combineLatest().map(digest)
      : a.combineLatest(b) { digest([token.touch($0), $1]) }
  }

  func request(_ demand: Demand, _ context: Context) -> [Effect] {
    [.request(demand, from: 0), .request(demand, from: 1)]
  }

  mutating func receive(_ value: Int, from upstream: Int, _ context: Context) -> [Effect] {
    latest[upstream] = value
    guard let a = latest[0], let b = latest[1], context.demand != .none else { return [] }
    return [.send(digest([a, b]))]
  }

  func end(_ ending: Ending, from upstream: Int, _ context: Context) -> [Effect] {
    ending == .failed || latest[upstream] == nil || context.running.isEmpty ? [.end(ending)] : []
  }
}

struct Append: BinaryOperator {
  var isSuccession: Bool { true }
  func publisher(of a: some Source, _ b: some Source, in world: World) -> any Source { a.append(b) }

  func start(_ context: Context) -> [Effect] { beginAtOnce() }

  func request(_ demand: Demand, _ context: Context) -> [Effect] {
    [.request(demand, from: context.running.first ?? 0)]
  }

  func end(_ ending: Ending, from upstream: Int, _ context: Context) -> [Effect] {
    upstream == 0 && ending == .finished
      ? [.request(context.demand, from: 1), .subscribe(source: 1, as: 1)] : [.end(ending)]
  }
}

struct WithLatest: BinaryOperator {
  var latest: Int?
  func publisher(of a: some Source, _ b: some Source, in world: World) -> any Source {
    let token = world.token()
    return a.withLatest(from: b) { digest([token.touch($0), $1]) }
  }

  func start(_ context: Context) -> [Effect] {
    [.begin, .request(.unlimited, from: 1), .subscribe(source: 1, as: 1), .subscribe(source: 0, as: 0)]
  }

  func request(_ demand: Demand, _ context: Context) -> [Effect] { latest == nil ? [] : [.request(demand, from: 0)] }

  mutating func receive(_ value: Int, from upstream: Int, _ context: Context) -> [Effect] {
    if upstream == 1 {
      defer { latest = value }
      return latest == nil ? [.request(context.demand, from: 0)] : []
    }
    return latest.map { [.send(digest([value, $0]))] } ?? [.request()]
  }

  func end(_ ending: Ending, from upstream: Int, _ context: Context) -> [Effect] {
    upstream == 0 || ending == .failed || latest == nil ? [.end(ending)] : []
  }
}

struct Sample: BinaryOperator {
  var newest: Int?
  var isLast = false
  func publisher(of a: some Source, _ b: some Source, in world: World) -> any Source { a.sample(by: b) }

  func start(_ context: Context) -> [Effect] {
    [
      .begin, .request(.unlimited, from: 0), .request(.unlimited, from: 1), .subscribe(source: 0, as: 0),
      .subscribe(source: 1, as: 1),
    ]
  }

  func request(_ demand: Demand, _ context: Context) -> [Effect] { [] }

  mutating func receive(_ value: Int, from upstream: Int, _ context: Context) -> [Effect] {
    if upstream == 0 {
      newest = value
    } else if let sample = newest, context.demand != .none {
      newest = nil
      return isLast ? [.send(sample), .end(.finished)] : [.send(sample)]
    }
    return []
  }

  mutating func end(_ ending: Ending, from upstream: Int, _ context: Context) -> [Effect] {
    if upstream == 1 || ending == .failed || newest == nil { return [.end(ending)] }
    isLast = true
    return []
  }
}

struct Race: BinaryOperator {
  let isOfMany: Bool
  var winner: Int?
  func publisher(of a: some Source, _ b: some Source, in world: World) -> any Source {
    isOfMany ? [a.eraseToAnyPublisher(), b.eraseToAnyPublisher()].race() : a.race(with: b)
  }

  func request(_ demand: Demand, _ context: Context) -> [Effect] {
    winner.map { [.request(demand, from: $0)] } ?? [.request(demand, from: 0), .request(demand, from: 1)]
  }

  mutating func receive(_ value: Int, from upstream: Int, _ context: Context) -> [Effect] {
    if winner != nil { return [.send(value)] }
    winner = upstream
    return [.cancel(1 - upstream), .send(value)]
  }
}

struct DropUntilOutput: BinaryOperator {
  var isOpen = false
  func publisher(of a: some Source, _ b: some Source, in world: World) -> any Source { a.drop(untilOutputFrom: b) }

  func start(_ context: Context) -> [Effect] {
    [.begin, .request(from: 1), .subscribe(source: 1, as: 1), .subscribe(source: 0, as: 0)]
  }

  mutating func receive(_ value: Int, from upstream: Int, _ context: Context) -> [Effect] {
    if upstream == 0 { return isOpen ? [.send(value)] : [.request()] }
    isOpen = true
    return [.cancel(1)]
  }

  func end(_ ending: Ending, from upstream: Int, _ context: Context) -> [Effect] {
    upstream == 1 && isOpen ? [] : [.end(ending)]
  }
}

struct PrefixUntilOutput: BinaryOperator {
  func publisher(of a: some Source, _ b: some Source, in world: World) -> any Source { a.prefix(untilOutputFrom: b) }

  func start(_ context: Context) -> [Effect] {
    [.begin, .request(from: 1), .subscribe(source: 1, as: 1), .subscribe(source: 0, as: 0)]
  }

  func receive(_ value: Int, from upstream: Int, _ context: Context) -> [Effect] {
    upstream == 0 ? [.send(value)] : [.end(.finished)]
  }

  func end(_ ending: Ending, from upstream: Int, _ context: Context) -> [Effect] {
    upstream == 0 ? [.end(ending)] : []
  }
}

/// Publishes values while the latest value of another publisher is odd.
struct Pausable: BinaryOperator {
  var isRunning: Bool?
  func publisher(of a: some Source, _ b: some Source, in world: World) -> any Source {
    let token = world.token()
    return a.pausable(runningWhile: b.map { token.touch($0) % 2 == 1 })
  }

  func start(_ context: Context) -> [Effect] {
    [.begin, .request(.unlimited, from: 1), .subscribe(source: 1, as: 1), .subscribe(source: 0, as: 0)]
  }

  func request(_ demand: Demand, _ context: Context) -> [Effect] { isRunning == nil ? [] : [.request(demand, from: 0)] }

  mutating func receive(_ value: Int, from upstream: Int, _ context: Context) -> [Effect] {
    if upstream == 0 { return isRunning == true ? [.send(value)] : [.request()] }
    defer { isRunning = value % 2 == 1 }
    return isRunning == nil ? [.request(context.demand, from: 0)] : []
  }

  func end(_ ending: Ending, from upstream: Int, _ context: Context) -> [Effect] {
    upstream == 0 || ending == .failed || isRunning == nil ? [.end(ending)] : []
  }
}

/// Keeps values while the latest value of another publisher is even.
struct PausableBuffer: BinaryOperator {
  var kept: Kept
  var isOpen = false
  var ending: Ending?

  init(size: Int, whenFull: WhenFull) { kept = Kept(size: size, whenFull: whenFull) }

  func publisher(of a: some Source, _ b: some Source, in world: World) -> any Source {
    let token = world.token()
    return a.pausable(
      runningWhile: b.map { token.touch($0) % 2 == 1 }, buffering: kept.size,
      whenFull: kept.whenFull.overflowStrategy(in: world))
  }

  func start(_ context: Context) -> [Effect] {
    [
      .begin, .request(.unlimited, from: 1), .subscribe(source: 1, as: 1), .request(.unlimited, from: 0),
      .subscribe(source: 0, as: 0),
    ]
  }

  mutating func request(_ demand: Demand, _ context: Context) -> [Effect] { deliver(context) }

  mutating func receive(_ value: Int, from upstream: Int, _ context: Context) -> [Effect] {
    if upstream == 1 {
      // An end that has passed the gate is not held back any more.
      if ending == nil || !isOpen { isOpen = value % 2 == 1 }
      return deliver(context)
    }
    // What has been kept precedes it, also while that is being delivered.
    if isOpen, kept.values.isEmpty, context.demand != .none { return [.send(value)] }
    if kept.keep(value) { return [] }
    (isOpen, ending) = (true, .failed)
    return [.cancel(0), .cancel(1)] + deliver(context)
  }

  private mutating func deliver(_ context: Context) -> [Effect] {
    if !isOpen { return [] }
    if let value = kept.take(context.demand == .none ? .none : .max(1)).first { return [.send(value), .again] }
    return kept.values.isEmpty ? ending.map { [.end($0)] } ?? [] : []
  }

  /// The delivery of a value may have closed the gate.
  mutating func again(_ context: Context) -> [Effect] { deliver(context) }

  mutating func end(_ ending: Ending, from upstream: Int, _ context: Context) -> [Effect] {
    if upstream == 1 {
      if isOpen, self.ending != nil || ending == .finished { return [] }
      return [.end(ending == .failed ? .failed : self.ending ?? .finished)]
    }
    self.ending = ending
    return kept.values.isEmpty ? [.end(ending)] : []
  }
}

/// Collects values until another publisher sends one.
struct BufferByBoundary: BinaryOperator {
  let maxCount: Int
  var group: [Int] = []
  var isStarted = false
  /// Values and boundaries that wait until an array is requested, at most one of each.
  var waiting: [(value: Int, from: Int)] = []
  /// The publisher whose value is being delivered, or has been, and whether another value has been requested of it since.
  var delivering: Int?
  var isRequested = false
  var ending: Ending?
  func publisher(of a: some Source, _ b: some Source, in world: World) -> any Source {
    a.buffer(by: b, maxCount: maxCount).map(digest)
  }

  mutating func request(_ demand: Demand, _ context: Context) -> [Effect] {
    defer { isStarted = true }
    let each: Demand = demand == .unlimited ? .unlimited : isStarted ? .none : .max(1)
    return [.request(each, from: 0), .request(each, from: 1)] + deliver(context)
  }

  mutating func receive(_ value: Int, from upstream: Int, _ context: Context) -> [Effect] {
    waiting.append((value, upstream))
    return deliver(context)
  }

  private mutating func deliver(_ context: Context) -> [Effect] {
    if delivering != nil { return [] }
    guard context.demand != .none, !waiting.isEmpty else { return finish(context) }
    let (value, upstream) = waiting.removeFirst()
    delivering = upstream
    if upstream == 0 { group.append(value) }
    if group.isEmpty || upstream == 0 && group.count < maxCount { return [.again] }
    defer { group = [] }
    return [.send(digest(group)), .again]
  }

  /// What the request leads to waits.
  mutating func again(_ context: Context) -> [Effect] {
    guard let upstream = delivering else { return [] }
    if !isRequested, ending != .failed {
      isRequested = true
      return [.request(from: upstream), .again]
    }
    isRequested = false
    delivering = nil
    return deliver(context)
  }

  mutating func end(_ ending: Ending, from upstream: Int, _ context: Context) -> [Effect] {
    if upstream == 1, ending == .finished { return [] }
    self.ending = ending
    return context.running.sorted().map { Effect.disregard($0) } + deliver(context)
  }

  private func finish(_ context: Context) -> [Effect] {
    guard let ending else { return [] }
    if ending == .failed { return [.end(.failed)] }
    return waiting.contains { $0.from == 0 } ? [] : group.isEmpty ? [.end(.finished)] : [.finish(with: digest(group))]
  }
}
