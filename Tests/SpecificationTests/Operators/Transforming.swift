import StreamAlgorithms
import Streams

struct Map: Operator {
  let plus: Int
  func publisher(of source: some Source, in world: World) -> any Source {
    let token = world.token()
    return source.map { token.touch($0) + plus }
  }

  func receive(_ value: Int) -> [Effect] { [.send(value + plus)] }
}

struct TryMap: Operator {
  func publisher(of source: some Source, in world: World) -> any Source {
    let token = world.token()
    return source.tryMap { try token.check($0) + 1 }.mapError { $0 as! Failed }
  }

  func receive(_ value: Int) -> [Effect] { throwing(value) { [.send(value + 1)] } }
}

struct Scan: Operator {
  let tries: Bool
  var sum = 0
  func publisher(of source: some Source, in world: World) -> any Source {
    let token = world.token()
    return tries
      ? source.tryScan(0) { $0 + (try token.check($1)) }.mapError { $0 as! Failed }
      : source.scan(0) { $0 + token.touch($1) }
  }

  mutating func receive(_ value: Int) -> [Effect] {
    if tries, isRefused(value) { return [.end(.failed)] }
    sum += value
    return [.send(sum)]
  }
}

/// An operator of `Optional` values, and one that reads a property.
struct ReplaceNil: Operator {
  let multiplesOf: Int
  func publisher(of source: some Source, in world: World) -> any Source {
    let token = world.token()
    return source.map { token.touch($0) % multiplesOf == 0 ? nil : $0 }.replaceNil(with: 1).map(\.magnitude).map {
      Int($0)
    }
  }

  func receive(_ value: Int) -> [Effect] { [.send(value % multiplesOf == 0 ? 1 : abs(value))] }
}

struct Enumerated: Operator {
  var number = 0
  func publisher(of source: some Source, in world: World) -> any Source {
    source.enumerated().map { digest([$0.offset, $0.element]) }
  }

  mutating func receive(_ value: Int) -> [Effect] {
    number += 1
    return [.send(digest([number - 1, value]))]
  }
}

struct Windows: Operator {
  let size: Int
  var last: [Int] = []
  func publisher(of source: some Source, in world: World) -> any Source { source.nwise(size).map(digest) }

  mutating func receive(_ value: Int) -> [Effect] {
    last.append(value)
    guard last.count >= size else { return [.request()] }
    defer { last.removeFirst() }
    return [.send(digest(last))]
  }
}

struct Pairwise: Operator {
  var previous: Int?
  func publisher(of source: some Source, in world: World) -> any Source {
    source.pairwise().map { digest([$0.0, $0.1]) }
  }

  mutating func receive(_ value: Int) -> [Effect] {
    defer { previous = value }
    return previous.map { [.send(digest([$0, value]))] } ?? [.request()]
  }
}

struct Chunked: Operator {
  let maxCount: Int
  let byMultiplesOf: Int
  var chunk: [Int] = []
  func publisher(of source: some Source, in world: World) -> any Source {
    let token = world.token()
    return source.chunked(maxCount: maxCount) { token.touch($0) / byMultiplesOf == $1 / byMultiplesOf }.map(digest)
  }

  func start(_ context: Context) -> [Effect] { beginAtOnce() }

  mutating func receive(_ value: Int) -> [Effect] {
    if let last = chunk.last, last / byMultiplesOf != value / byMultiplesOf {
      defer { chunk = [value] }
      return [.send(digest(chunk))]
    }
    chunk.append(value)
    guard chunk.count == maxCount else { return [.request()] }
    defer { chunk = [] }
    return [.send(digest(chunk))]
  }

  func end(_ ending: Ending) -> [Effect] {
    ending == .failed || chunk.isEmpty ? [.end(ending)] : [.finish(with: digest(chunk))]
  }
}

/// Publishes what arrives, and records what is requested.
struct Probe: Operator {
  let number: Int
  func publisher(of source: some Source, in world: World) -> any Source {
    ProbePublisher(source: source, record: world.probe(number))
  }
}

/// Signals as values, and back: the end is a value, which waits for demand.
struct Materialized: Operator {
  var ending: Ending?
  func publisher(of source: some Source, in world: World) -> any Source { source.materialize().dematerialize() }

  func start(_ context: Context) -> [Effect] { beginAtOnce() }

  mutating func end(_ ending: Ending, from upstream: Int, _ context: Context) -> [Effect] {
    self.ending = ending
    return context.demand == .none ? [] : [.end(ending)]
  }

  func request(_ demand: Demand, _ context: Context) -> [Effect] {
    ending.map { [.end($0)] } ?? [.request(demand, from: 0)]
  }
}

struct HandledEvents: Operator {
  func publisher(of source: some Source, in world: World) -> any Source {
    let token = world.token()
    return source.handleEvents(
      receiveOutput: { _ = token.touch($0) }, receiveCancel: { _ = token.touch(0) },
      receiveRequest: { _ in _ = token.touch(0) })
  }
}

struct Acknowledged: Operator {
  let anyOrder: Bool
  func publisher(of source: some Source, in world: World) -> any Source {
    let target = Target(token: world.token())
    return anyOrder ? source.acknowledge(to: target, after: 0) : source.acknowledge(to: target)
  }

  // Unchecked: a case runs on one thread.
  private struct Target: AcknowledgementTarget, @unchecked Sendable {
    let token: Token
    func acknowledge(_ index: Int) { _ = token.touch(index) }
  }
}

struct Checkpoint: Operator {
  func publisher(of source: some Source, in world: World) -> any Source { source.checkpoint("here") }
}
