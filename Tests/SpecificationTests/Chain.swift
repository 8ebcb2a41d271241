import Streams

/// A stream: a source, or an operator with its upstream publishers.
indirect enum Chain: CustomDebugStringConvertible {
  /// One of the sources of a case.
  case source(Int)
  /// One of the shared streams of a case.
  case shared(Int)
  case apply(any Operator, to: Chain)
  case combine(any BinaryOperator, Chain, Chain)
  /// The same stream as an `AnyPublisher`.
  case erased(Chain)

  var debugDescription: String {
    switch self {
    case .source(let number): ".source(\(number))"
    case .shared(let number): ".shared(\(number))"
    case .apply(let `operator`, let source): ".apply(\(`operator`), to: \(source))"
    case .combine(let `operator`, let a, let b): ".combine(\(`operator`), \(a), \(b))"
    case .erased(let source): ".erased(\(source))"
    }
  }

  /// The publisher that must meet the specification.
  func publisher(in world: World) -> AnyPublisher<Int, Failed> { erase(build(in: world)) }

  private func build(in world: World) -> any Source {
    switch self {
    case .source(let number): world.source(number)
    case .shared(let number): world.shared(number)
    case .apply(let `operator`, let source): `operator`.publisher(of: source.build(in: world), in: world)
    case .combine(let `operator`, let a, let b):
      `operator`.publisher(of: a.build(in: world), b.build(in: world), in: world)
    case .erased(let source): erase(source.build(in: world))
    }
  }

  /// The stream and its parts, in place and with one of them replaced.
  func replacements(_ simpler: (Chain) -> [Chain]) -> [Chain] {
    let deeper: [Chain] =
      switch self {
      case .source, .shared: []
      case .apply(let nesting as any NestingOperator, let source):
        source.replacements(simpler).map { .apply(nesting, to: $0) }
          + nesting.inner.replacements(simpler).map { .apply(nesting.with(inner: $0), to: source) }
      case .apply(let `operator`, let source): source.replacements(simpler).map { .apply(`operator`, to: $0) }
      case .combine(let `operator`, let a, let b):
        a.replacements(simpler).map { .combine(`operator`, $0, b) }
          + b.replacements(simpler).map { .combine(`operator`, a, $0) }
      case .erased(let source): source.replacements(simpler).map { .erased($0) }
      }
    return simpler(self) + deeper
  }
}

extension Chain {
  /// The stream and all of its parts.
  var parts: [Chain] {
    let deeper: [Chain] =
      switch self {
      case .source, .shared: []
      case .apply(let `operator`, let source): source.parts + ((`operator` as? any NestingOperator)?.inner.parts ?? [])
      case .erased(let source): source.parts
      case .combine(_, let a, let b): a.parts + b.parts
      }
    return [self] + deeper
  }
}

private func erase(_ publisher: some Source) -> AnyPublisher<Int, Failed> { publisher.eraseToAnyPublisher() }

/// A source of values.
enum SourceKind: CustomDebugStringConvertible {
  case subject(ModelSubject.Kind)
  /// Sends values as they are requested.
  case sequence([Int], Ending)
  /// A `Just`, which is a special case of the library.
  case just(Int)
  /// A `Future`, which the first value or end fulfills.
  case future
  case never

  var debugDescription: String {
    switch self {
    case .subject(let kind): ".subject(\(kind))"
    case .sequence(let values, let ending): ".sequence(\(values), .\(ending))"
    case .just(let value): ".just(\(value))"
    case .future: ".future"
    case .never: ".never"
    }
  }
}

/// What a test does at some time, or a subscriber does when it receives a value.
enum Step: CustomDebugStringConvertible {
  case send(Int, to: Int)
  case end(Ending, source: Int)
  case request(Int)
  case cancel
  /// Adds another subscriber, with unlimited demand.
  case subscribe

  var debugDescription: String {
    switch self {
    case .send(let value, let source): ".send(\(value), to: \(source))"
    case .end(let ending, let source): ".end(.\(ending), source: \(source))"
    case .request(let count): ".request(\(count))"
    case .cancel: ".cancel"
    case .subscribe: ".subscribe"
    }
  }
}

struct TimedStep: CustomDebugStringConvertible {
  var time: Int
  var step: Step
  init(_ time: Int, _ step: Step) { (self.time, self.step) = (time, step) }
  var debugDescription: String { ".init(\(time), \(step))" }
}

struct SharedStream: CustomDebugStringConvertible {
  var kind: ModelSubject.Kind
  var stream: Chain
  init(_ kind: ModelSubject.Kind, _ stream: Chain) { (self.kind, self.stream) = (kind, stream) }
  var debugDescription: String { ".init(\(kind), \(stream))" }
}

/// A stream, and what is done to it.
struct Case: CustomStringConvertible {
  var chain: Chain
  var sources: [SourceKind]
  var shared: [SharedStream] = []
  /// What the subscriber requests with its subscription; `nil` is unlimited.
  var demand: Int?
  /// What it requests more with each value.
  var more = 0
  /// What the subscriber does when it receives the value of that number, counted from 1.
  var reactions: [TimedStep] = []
  var script: [TimedStep] = []
  /// Indicates whether the script consists of scheduled actions, which run before those that streams schedule for the same
  /// date; else time advances from one step to the next.
  var isScheduled = false

  var description: String {
    """
    Case(
      chain: \(chain),
      sources: \(sources),
      shared: \(shared),
      demand: \(demand.map(String.init) ?? "nil"), more: \(more),
      reactions: \(reactions),
      script: \(script),
      isScheduled: \(isScheduled))
    """
  }
}
