import StreamAlgorithms
import Streams
import StreamsMigration

struct Filter: Operator {
  let tries: Bool
  let multiplesOf: Int
  /// Indicates whether the publisher is one of a partition.
  var partitions = false
  func publisher(of source: some Source, in world: World) -> any Source {
    let token = world.token()
    return tries
      ? source.tryFilter { try token.check($0) % multiplesOf != 0 }.mapError { $0 as! Failed }
      : partitions
        ? source.partition { token.touch($0) % multiplesOf == 0 }.others
        : source.filter { token.touch($0) % multiplesOf != 0 }
  }

  func receive(_ value: Int) -> [Effect] {
    tries && isRefused(value) ? [.end(.failed)] : value % multiplesOf != 0 ? [.send(value)] : [.request()]
  }
}

struct CompactMap: Operator {
  let tries: Bool
  let multiplesOf: Int
  func publisher(of source: some Source, in world: World) -> any Source {
    let token = world.token()
    return tries
      ? source.tryCompactMap { try token.check($0) % multiplesOf == 0 ? nil : $0 * 2 }.mapError { $0 as! Failed }
      : source.compactMap { token.touch($0) % multiplesOf == 0 ? nil : $0 * 2 }
  }

  func receive(_ value: Int) -> [Effect] {
    tries && isRefused(value) ? [.end(.failed)] : value % multiplesOf == 0 ? [.request()] : [.send(value * 2)]
  }
}

struct RemoveDuplicates: Operator {
  let tries: Bool
  let modulo: Int
  var last: Int?
  func publisher(of source: some Source, in world: World) -> any Source {
    let token = world.token()
    return tries
      ? source.tryRemoveDuplicates { $0 % modulo == (try token.check($1)) % modulo }.mapError { $0 as! Failed }
      : source.removeDuplicates { token.touch($0) % modulo == $1 % modulo }
  }

  mutating func receive(_ value: Int) -> [Effect] {
    if let last {
      if tries, isRefused(value) { return [.end(.failed)] }
      if last % modulo == value % modulo { return [.request()] }
    }
    last = value
    return [.send(value)]
  }
}

struct RemoveAllDuplicates: Operator {
  let modulo: Int
  var earlier: [Int] = []
  func publisher(of source: some Source, in world: World) -> any Source {
    let token = world.token()
    return source.removeAllDuplicates { token.touch($0) % modulo == $1 % modulo }
  }

  mutating func receive(_ value: Int) -> [Effect] {
    if earlier.contains(where: { $0 % modulo == value % modulo }) { return [.request()] }
    earlier.append(value)
    return [.send(value)]
  }
}

struct Distinct: Operator {
  let modulo: Int
  let remembering: Int
  var keys: [Int] = []
  func publisher(of source: some Source, in world: World) -> any Source {
    let token = world.token()
    return source.distinct(by: { token.touch($0) % modulo }, remembering: remembering)
  }

  mutating func receive(_ value: Int) -> [Effect] {
    if keys.contains(value % modulo) { return [.request()] }
    keys = (keys + [value % modulo]).suffix(remembering)
    return [.send(value)]
  }
}

struct DropFirst: Operator {
  let count: Int
  var dropped = 0
  func publisher(of source: some Source, in world: World) -> any Source { source.dropFirst(count) }

  func start(_ context: Context) -> [Effect] { [.request(count), .pass] }

  mutating func receive(_ value: Int) -> [Effect] {
    if dropped == count { return [.send(value)] }
    dropped += 1
    return []
  }
}

struct DropWhile: Operator {
  let tries: Bool
  let below: Int
  var isOpen = false
  func publisher(of source: some Source, in world: World) -> any Source {
    let token = world.token()
    return tries
      ? source.tryDrop { try token.check($0) < below }.mapError { $0 as! Failed }
      : source.drop { token.touch($0) < below }
  }

  mutating func receive(_ value: Int) -> [Effect] {
    if tries, !isOpen, isRefused(value) { return [.end(.failed)] }
    isOpen = isOpen || value >= below
    return isOpen ? [.send(value)] : [.request()]
  }
}

struct Prefix: Operator {
  let count: Int
  var sent = 0
  func publisher(of source: some Source, in world: World) -> any Source { source.prefix(count) }

  func start(_ context: Context) -> [Effect] {
    count == 0 ? [.end(.finished)] : [.pass]
  }

  mutating func receive(_ value: Int) -> [Effect] {
    sent += 1
    return sent == count ? [.send(value), .end(.finished)] : [.send(value)]
  }
}

struct PrefixWhile: Operator {
  let below: Int
  let isInclusive: Bool
  let tries: Bool
  func publisher(of source: some Source, in world: World) -> any Source {
    let token = world.token()
    if isInclusive { return source.prefix(while: { token.touch($0) < below }, behavior: .inclusive) }
    return tries
      ? source.tryPrefix { try token.check($0) < below }.mapError { $0 as! Failed }
      : source.prefix { token.touch($0) < below }
  }

  func receive(_ value: Int) -> [Effect] {
    tries && !isInclusive && isRefused(value)
      ? [.end(.failed)]
      : value < below ? [.send(value)] : isInclusive ? [.send(value), .end(.finished)] : [.end(.finished)]
  }
}

struct Output: Operator {
  let from: Int
  let count: Int
  var position = 0
  func publisher(of source: some Source, in world: World) -> any Source {
    count == 1 ? source.output(at: from) : source.output(in: from..<from + count)
  }

  func start(_ context: Context) -> [Effect] {
    count == 0 ? [.end(.finished)] : [.pass]
  }

  mutating func receive(_ value: Int) -> [Effect] {
    position += 1
    return position <= from
      ? [.request()] : position == from + count ? [.send(value), .end(.finished)] : [.send(value)]
  }
}

struct First: Operator {
  let tries: Bool
  let multipleOf: Int
  func publisher(of source: some Source, in world: World) -> any Source {
    let token = world.token()
    if tries { return source.tryFirst { try token.check($0) % multipleOf == 0 }.mapError { $0 as! Failed } }
    return multipleOf == 1 ? source.first() : source.first { token.touch($0) % multipleOf == 0 }
  }

  func start(_ context: Context) -> [Effect] { [.request(.unlimited, from: 0), .pass] }
  func request(_ demand: Demand, _ context: Context) -> [Effect] { [] }
  func receive(_ value: Int) -> [Effect] {
    tries && isRefused(value) ? [.end(.failed)] : value % multipleOf == 0 ? [.finish(with: value)] : []
  }
}
