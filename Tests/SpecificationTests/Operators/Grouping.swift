import StreamAlgorithms
import Streams

/// Values that share a key, as numbers: one for each group, when it has ended.
struct GroupBy: Operator {
  let modulo: Int
  let maxGroups: Int
  var open: [(number: Int, key: Int, values: [Int])] = []
  var count = 0
  var turns = Turns()

  func publisher(of source: some Source, in world: World) -> any Source {
    let token = world.token()
    return source.groupBy({ [modulo] in token.touch($0) % modulo }, maxGroups: maxGroups, bufferSize: 1)
      .flatMap { group in group.collect().map { digest([group.key] + $0) } }
  }

  func start(_ context: Context) -> [Effect] { beginAtOnce(requesting: .unlimited) }
  mutating func request(_ demand: Demand, _ context: Context) -> [Effect] { turns.deliver(context) }

  mutating func receive(_ value: Int, from upstream: Int, _ context: Context) -> [Effect] {
    if let group = open.firstIndex(where: { $0.key == value % modulo }) {
      open[group].values.append(value)
      return []
    }
    defer {
      count += 1
      open.append((count, value % modulo, [value]))
    }
    return open.count == maxGroups ? close(context) : []
  }

  /// Ends the group that was opened first.
  private mutating func close(_ context: Context) -> [Effect] {
    let group = open.removeFirst()
    return turns.receive(digest([group.key] + group.values), from: group.number, context)
  }

  mutating func end(_ ending: Ending, from upstream: Int, _ context: Context) -> [Effect] {
    if ending == .failed { return open.isEmpty && turns.isEmpty ? [.end(.failed)] : turns.fail(context) }
    var effects: [Effect] = []
    while !open.isEmpty { effects += close(context) }
    return effects + finish()
  }

  mutating func again(_ context: Context) -> [Effect] {
    _ = turns.delivered()
    return turns.deliver(context) + (context.running.isEmpty ? finish() : [])
  }

  private func finish() -> [Effect] { turns.isEmpty ? [.end(.finished)] : [] }
}

/// The values between two that another publisher sends, as a number each time.
struct Window: BinaryOperator {
  var values: [Int] = []
  var count = 0
  var turns = Turns()

  func publisher(of a: some Source, _ b: some Source, in world: World) -> any Source {
    a.window(by: b, bufferSize: 1).flatMap { $0.collect().map(digest) }
  }

  func start(_ context: Context) -> [Effect] {
    [
      .begin, .request(.unlimited, from: 0), .request(.unlimited, from: 1), .subscribe(source: 0, as: 0),
      .subscribe(source: 1, as: 1),
    ]
  }

  mutating func request(_ demand: Demand, _ context: Context) -> [Effect] { turns.deliver(context) }

  mutating func receive(_ value: Int, from upstream: Int, _ context: Context) -> [Effect] {
    if upstream == 1 { return close(context) }
    values.append(value)
    return []
  }

  private mutating func close(_ context: Context) -> [Effect] {
    if values.isEmpty { return [] }
    count += 1
    defer { values = [] }
    return turns.receive(digest(values), from: count, context)
  }

  mutating func end(_ ending: Ending, from upstream: Int, _ context: Context) -> [Effect] {
    if ending == .failed { return values.isEmpty && turns.isEmpty ? [.end(.failed)] : turns.fail(context) }
    return upstream == 0 ? [.cancel(1)] + close(context) + finish(context) : []
  }

  mutating func again(_ context: Context) -> [Effect] {
    _ = turns.delivered()
    return turns.deliver(context) + finish(context)
  }

  private func finish(_ context: Context) -> [Effect] {
    !context.running.contains(0) && turns.isEmpty ? [.end(.finished)] : []
  }
}
