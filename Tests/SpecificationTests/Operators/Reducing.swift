import StreamAlgorithms
import Streams

/// Publishes one value when upstream finishes.
protocol Reduction: Operator {
  var result: Int? { get }
}

extension Reduction {
  func start(_ context: Context) -> [Effect] { [.request(.unlimited, from: 0), .pass] }
  func request(_ demand: Demand, _ context: Context) -> [Effect] { [] }

  func end(_ ending: Ending) -> [Effect] {
    guard ending == .finished, let result else { return [.end(ending)] }
    return [.finish(with: result)]
  }
}

struct Last: Reduction {
  let tries: Bool
  let multipleOf: Int
  var result: Int?
  func publisher(of source: some Source, in world: World) -> any Source {
    let token = world.token()
    if tries { return source.tryLast { try token.check($0) % multipleOf == 0 }.mapError { $0 as! Failed } }
    return multipleOf == 1 ? source.last() : source.last { token.touch($0) % multipleOf == 0 }
  }

  mutating func receive(_ value: Int) -> [Effect] {
    if tries, isRefused(value) { return [.end(.failed)] }
    if value % multipleOf == 0 { result = value }
    return []
  }
}

struct Reduce: Reduction {
  let tries: Bool
  var result: Int? = 1
  func publisher(of source: some Source, in world: World) -> any Source {
    let token = world.token()
    return tries
      ? source.tryReduce(1) { digest([$0, try token.check($1)]) }.mapError { $0 as! Failed }
      : source.reduce(1) { digest([$0, token.touch($1)]) }
  }

  mutating func receive(_ value: Int) -> [Effect] {
    if tries, isRefused(value) { return [.end(.failed)] }
    result = digest([result!, value])
    return []
  }
}

struct CollectAll: Reduction {
  var values: [Int] = []
  var result: Int? { digest(values) }
  func publisher(of source: some Source, in world: World) -> any Source { source.collect().map(digest) }

  mutating func receive(_ value: Int) -> [Effect] {
    values.append(value)
    return []
  }
}

struct Count: Reduction {
  var result: Int? = 0
  func publisher(of source: some Source, in world: World) -> any Source { source.count() }

  mutating func receive(_ value: Int) -> [Effect] {
    result! += 1
    return []
  }
}

struct Extreme: Reduction {
  let isMaximum: Bool
  var result: Int?
  func publisher(of source: some Source, in world: World) -> any Source { isMaximum ? source.max() : source.min() }

  mutating func receive(_ value: Int) -> [Effect] {
    result = result.map { isMaximum ? max($0, value) : min($0, value) } ?? value
    return []
  }
}

struct Contains: Reduction {
  let tries: Bool
  let multipleOf: Int
  var result: Int? { 0 }
  func publisher(of source: some Source, in world: World) -> any Source {
    let token = world.token()
    return tries
      ? source.tryContains { try token.check($0) % multipleOf == 0 }.map { $0 ? 1 : 0 }.mapError { $0 as! Failed }
      : source.contains { token.touch($0) % multipleOf == 0 }.map { $0 ? 1 : 0 }
  }

  func receive(_ value: Int) -> [Effect] {
    tries && isRefused(value) ? [.end(.failed)] : value % multipleOf == 0 ? [.finish(with: 1)] : []
  }
}

struct AllSatisfy: Reduction {
  let tries: Bool
  let below: Int
  var result: Int? { 1 }
  func publisher(of source: some Source, in world: World) -> any Source {
    let token = world.token()
    return tries
      ? source.tryAllSatisfy { try token.check($0) < below }.map { $0 ? 1 : 0 }.mapError { $0 as! Failed }
      : source.allSatisfy { token.touch($0) < below }.map { $0 ? 1 : 0 }
  }

  func receive(_ value: Int) -> [Effect] {
    tries && isRefused(value) ? [.end(.failed)] : value < below ? [] : [.finish(with: 0)]
  }
}

struct IgnoreOutput: Reduction {
  var result: Int? { nil }
  func publisher(of source: some Source, in world: World) -> any Source {
    source.ignoreOutput().setOutputType(to: Int.self)
  }

  func receive(_ value: Int) -> [Effect] { [] }
}

struct Collect: Operator {
  let count: Int
  var group: [Int] = []
  func publisher(of source: some Source, in world: World) -> any Source { source.collect(count).map(digest) }

  func request(_ demand: Demand, _ context: Context) -> [Effect] { [.request(demand * count, from: 0)] }

  mutating func receive(_ value: Int) -> [Effect] {
    group.append(value)
    guard group.count == count else { return [] }
    defer { group = [] }
    return [.send(digest(group))]
  }

  func end(_ ending: Ending) -> [Effect] {
    ending == .failed || group.isEmpty ? [.end(ending)] : [.finish(with: digest(group))]
  }
}

struct ReplaceEmpty: Operator {
  let with: Int
  var isEmpty = true
  func publisher(of source: some Source, in world: World) -> any Source { source.replaceEmpty(with: with) }

  mutating func receive(_ value: Int) -> [Effect] {
    isEmpty = false
    return [.send(value)]
  }

  func end(_ ending: Ending) -> [Effect] {
    isEmpty && ending == .finished ? [.finish(with: with)] : [.end(ending)]
  }
}

/// What happens to a value for which a buffer has no room.
enum WhenFull: CaseIterable {
  case dropNewest, dropOldest, fail

  func bufferingStrategy(in world: World) -> Publishers.BufferingStrategy<Failed> {
    let token = world.token()
    return switch self {
    case .dropNewest: .dropNewest
    case .dropOldest: .dropOldest
    case .fail: .customError { failure(token) }
    }
  }

  func overflowStrategy(in world: World) -> OverflowStrategy<Failed> {
    let token = world.token()
    return switch self {
    case .dropNewest: .dropNewest
    case .dropOldest: .dropOldest
    case .fail: .fail(failure(token))
    }
  }

  private func failure(_ token: Token) -> Failed {
    _ = token.touch(0)
    return Failed()
  }
}

/// Values that wait, up to a number.
struct Kept {
  let size: Int
  let whenFull: WhenFull
  private(set) var values: [Int] = []

  init(size: Int, whenFull: WhenFull) { (self.size, self.whenFull) = (size, whenFull) }

  /// Keeps a value. Returns `false` if the stream must fail instead.
  mutating func keep(_ value: Int) -> Bool {
    if values.count < size {
      values.append(value)
    } else if whenFull == .dropOldest {
      values = (values + [value]).suffix(size)
    } else {
      return whenFull != .fail
    }
    return true
  }

  /// Returns the oldest values for which there is demand.
  mutating func take(_ demand: Demand) -> [Int] {
    defer { values.removeFirst(min(values.count, demand.max ?? .max)) }
    return Array(values.prefix(demand.max ?? .max))
  }
}

struct BufferOperator: Operator {
  let keepsFull: Bool
  var kept: Kept
  var ending: Ending?

  init(size: Int, keepsFull: Bool, whenFull: WhenFull) {
    self.keepsFull = keepsFull
    kept = Kept(size: size, whenFull: whenFull)
  }

  func publisher(of source: some Source, in world: World) -> any Source {
    source.buffer(
      size: kept.size, prefetch: keepsFull ? .keepFull : .byRequest,
      whenFull: kept.whenFull.bufferingStrategy(in: world))
  }

  func start(_ context: Context) -> [Effect] {
    [.request(keepsFull ? .max(kept.size) : .unlimited, from: 0), .subscribe(source: 0, as: 0)]
  }

  mutating func receive(_ value: Int, from upstream: Int, _ context: Context) -> [Effect] {
    if context.demand != .none {
      return keepsFull && context.demand != .unlimited ? [.send(value), .request()] : [.send(value)]
    }
    if kept.keep(value) { return [] }
    ending = .failed
    return kept.values.isEmpty ? [.cancel(0), .end(.failed)] : [.cancel(0)]
  }

  mutating func end(_ ending: Ending) -> [Effect] {
    self.ending = ending
    return kept.values.isEmpty ? [.end(ending)] : []
  }

  mutating func request(_ demand: Demand, _ context: Context) -> [Effect] {
    var effects: [Effect] = keepsFull && demand == .unlimited ? [.request(.unlimited, from: 0)] : []
    for value in kept.take(context.demand) {
      effects += keepsFull && demand != .unlimited ? [.send(value), .request()] : [.send(value)]
    }
    if kept.values.isEmpty, let ending { effects.append(.end(ending)) }
    return effects
  }
}

/// A publisher whose values come from a closure, which sends those of a source.
struct CreateOperator: Operator {
  var subscribesInClosure: Bool { true }
  /// `nil` for any number of values, which do not hold back the end.
  let size: Int?
  var buffer: BufferOperator

  init(size: Int?, whenFull: WhenFull) {
    self.size = size
    buffer = BufferOperator(size: size ?? .max, keepsFull: false, whenFull: whenFull)
  }

  func publisher(of source: some Source, in world: World) -> any Source {
    let token = world.token()
    let begin = { (subscriber: CreatePublisher<Int, Failed>.Subscriber) -> any Cancellable in
      source.sink(
        receiveCompletion: { subscriber.send(completion: $0) }, receiveValue: { subscriber.send(token.touch($0)) })
    }
    return size.map {
      CreatePublisher(bufferSize: $0, whenFull: buffer.kept.whenFull.overflowStrategy(in: world), begin)
    } ?? CreatePublisher(begin)
  }

  func start(_ context: Context) -> [Effect] { beginAtOnce(requesting: .unlimited) }

  mutating func receive(_ value: Int, from upstream: Int, _ context: Context) -> [Effect] {
    buffer.receive(value, from: upstream, context)
  }

  mutating func end(_ ending: Ending) -> [Effect] { size == nil ? [.end(ending)] : buffer.end(ending) }

  mutating func request(_ demand: Demand, _ context: Context) -> [Effect] { buffer.request(demand, context) }
}

/// A publisher that a closure makes for each subscriber.
struct DeferredOperator: Operator {
  func publisher(of source: some Source, in world: World) -> any Source {
    let token = world.token()
    return Deferred { source.map { token.touch($0) } }
  }
}
