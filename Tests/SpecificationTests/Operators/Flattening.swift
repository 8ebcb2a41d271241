import StreamAlgorithms
import Streams

struct FlatMap: FlatteningOperator {
  /// The maximum number of publishers at a time; 0 for no limit.
  let maxPublishers: Int
  var inner: Chain
  var count = 0
  var active: Set<Int> = []
  var turns = Turns()

  func publisher(of source: some Source, in world: World) -> any Source {
    source.flatMap(maxPublishers: maxPublishers == 0 ? .unlimited : .max(maxPublishers), makeInner(in: world))
  }

  func start(_ context: Context) -> [Effect] {
    beginAtOnce(requesting: maxPublishers == 0 ? .unlimited : .max(maxPublishers))
  }

  mutating func receive(_ value: Int, from upstream: Int, _ context: Context) -> [Effect] {
    if upstream == 0 {
      count += 1
      active.insert(count)
      return [
        .request(context.demand == .unlimited ? .unlimited : .max(1), from: count),
        subscribe(toInnerOf: value, as: count),
      ]
    }
    return turns.receive(value, from: upstream, context)
  }

  mutating func request(_ demand: Demand, _ context: Context) -> [Effect] {
    let all = demand == .unlimited ? context.running.subtracting([0]).sorted() : []
    return all.map { .request(.unlimited, from: $0) } + turns.deliver(context)
  }

  mutating func again(_ context: Context) -> [Effect] {
    let inner = turns.delivered()
    var effects: [Effect] = []
    if !context.running.contains(inner), !turns.holds(inner) {
      effects = inactive(inner)
    } else if context.demand != .unlimited {
      effects = [.request(from: inner)]
    }
    return effects + turns.deliver(context) + finish(context)
  }

  mutating func end(_ ending: Ending, from upstream: Int, _ context: Context) -> [Effect] {
    if ending == .failed { return turns.fail(context) }
    if upstream == 0 || turns.holds(upstream) { return finish(context) }
    return inactive(upstream) + finish(context)
  }

  private mutating func inactive(_ inner: Int) -> [Effect] {
    active.remove(inner)
    return maxPublishers == 0 ? [] : [.request()]
  }

  private func finish(_ context: Context) -> [Effect] {
    active.isEmpty && turns.isEmpty && !context.running.contains(0) ? [.end(.finished)] : []
  }
}

struct SwitchToLatest: FlatteningOperator {
  var inner: Chain
  var count = 0

  func publisher(of source: some Source, in world: World) -> any Source {
    source.map(makeInner(in: world)).switchToLatest()
  }

  func start(_ context: Context) -> [Effect] { beginAtOnce(requesting: .unlimited) }

  func request(_ demand: Demand, _ context: Context) -> [Effect] {
    context.running.contains(count) && count > 0 ? [.request(demand, from: count)] : []
  }

  mutating func receive(_ value: Int, from upstream: Int, _ context: Context) -> [Effect] {
    if upstream > 0 { return [.send(value)] }
    count += 1
    let previous: [Effect] = count > 1 ? [.cancel(count - 1)] : []
    return previous + [.request(context.demand, from: count), subscribe(toInnerOf: value, as: count)]
  }

  func end(_ ending: Ending, from upstream: Int, _ context: Context) -> [Effect] {
    ending == .failed || context.running.isEmpty ? [.end(ending)] : []
  }
}

struct FlatMapFirst: FlatteningOperator {
  var inner: Chain
  var count = 0
  var waiting: Int?

  func publisher(of source: some Source, in world: World) -> any Source {
    source.flatMapFirst(makeInner(in: world))
  }

  func start(_ context: Context) -> [Effect] { beginAtOnce(requesting: .unlimited) }

  mutating func receive(_ value: Int, from upstream: Int, _ context: Context) -> [Effect] {
    if upstream == 0 {
      guard context.running.subtracting([0]).isEmpty, waiting == nil else { return [] }
      count += 1
      return [
        .request(context.demand == .unlimited ? .unlimited : .max(1), from: count),
        subscribe(toInnerOf: value, as: count),
      ]
    }
    if context.demand == .unlimited { return [.send(value)] }
    if context.demand != .none { return [.send(value), .request(from: upstream)] }
    waiting = value
    return []
  }

  mutating func request(_ demand: Demand, _ context: Context) -> [Effect] {
    var effects: [Effect] = []
    if let value = waiting {
      waiting = nil
      effects.append(.send(value))
      if demand != .unlimited { effects.append(.request(from: count)) }
    }
    if demand == .unlimited, context.running.contains(count), count > 0 {
      effects.append(.request(.unlimited, from: count))
    }
    return effects + finish(context)
  }

  func end(_ ending: Ending, from upstream: Int, _ context: Context) -> [Effect] {
    ending == .failed ? [.end(.failed)] : finish(context)
  }

  private func finish(_ context: Context) -> [Effect] {
    context.running.isEmpty && waiting == nil ? [.end(.finished)] : []
  }
}
