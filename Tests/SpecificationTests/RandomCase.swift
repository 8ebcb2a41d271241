import StreamAlgorithms
import StreamSchedulers
import Streams

/// Makes random cases.
struct CaseGenerator {
  private var numbers: SplitMix
  private var sourceCount = 0
  private var sharedCount = 0
  private var probeCount = 0
  private var operatorsLeft = 0

  init(seed: UInt64) { numbers = SplitMix(state: seed) }

  private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &numbers) < percent }
  private mutating func any(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &numbers) }
  private mutating func one<Value>(of values: [Value]) -> Value { values.randomElement(using: &numbers)! }

  mutating func makeCase() -> Case {
    sourceCount = any(1...4)
    let sources = (0..<sourceCount).map { _ in source() }
    let count = one(of: [0, 0, 1, 2])
    var shared: [SharedStream] = []
    for _ in 0..<count {
      operatorsLeft = any(0...3)
      shared.append(
        SharedStream(one(of: [.passthrough, .passthrough, .replay(any(1...2)), .current(any(0...9))]), chain()))
      sharedCount += 1
    }
    operatorsLeft = any(1...8)
    var made = Case(chain: chain(), sources: sources, shared: shared)
    if chance(50) {
      made.demand = any(0...3)
      made.more = one(of: [0, 0, 1, 1, 2])
    }
    let length = any(0...10)
    var time = 0
    for _ in 0..<length {
      time += one(of: [0, 0, 1, 1, 2, 3, 5])
      made.script.append(TimedStep(time, step(canSubscribe: true)))
    }
    for _ in 0..<one(of: [0, 0, 0, 1, 2]) { made.reactions.append(TimedStep(any(1...4), step(canSubscribe: false))) }
    made.isScheduled = chance(50)
    return made
  }

  private mutating func source() -> SourceKind {
    switch any(0...9) {
    case 0...3: .subject(.passthrough)
    case 4: .subject(.current(any(0...9)))
    case 5: .subject(.replay(any(0...3)))
    case 6, 7: .sequence((0..<any(0...5)).map { _ in any(0...12) }, chance(70) ? .finished : .failed)
    case 8: one(of: [.just(any(0...12)), .future])
    default: chance(50) ? .never : .subject(.passthrough)
    }
  }

  private mutating func step(canSubscribe: Bool) -> Step {
    switch any(0...19) {
    case 0...12: .send(any(0...12), to: any(0...sourceCount - 1))
    case 13, 14: .end(chance(60) ? .finished : .failed, source: any(0...sourceCount - 1))
    case 15...17: .request(any(1...3))
    case 18: canSubscribe ? .subscribe : .request(1)
    default: .cancel
    }
  }

  private mutating func chain() -> Chain {
    guard operatorsLeft > 0 else { return leaf() }
    operatorsLeft -= 1
    if chance(12) { return .erased(chain()) }
    if chance(22) {
      let left = any(0...operatorsLeft)
      let rest = operatorsLeft - left
      operatorsLeft = left
      let a = chain()
      operatorsLeft += rest
      return .combine(binary(), a, chain())
    }
    let applied = unary()
    return .apply(applied, to: chain())
  }

  private mutating func leaf() -> Chain {
    sharedCount > 0 && chance(50) ? .shared(any(0...sharedCount - 1)) : .source(any(0...sourceCount - 1))
  }

  private mutating func inner() -> Chain {
    let count = min(operatorsLeft, any(0...2))
    let left = operatorsLeft - count
    operatorsLeft = count
    defer { operatorsLeft += left }
    return chain()
  }

  private mutating func clock() -> Clock { one(of: [.first, .first, .first, .second, .immediate]) }

  private mutating func binary() -> any BinaryOperator {
    switch any(0...14) {
    case 0, 1: Merge(isOfMany: chance(30))
    case 2: Zip(isOfMany: chance(30))
    case 3: CombineLatest(isOfMany: chance(30))
    case 4: Append()
    case 5: WithLatest()
    case 6: Sample()
    case 7: Race(isOfMany: chance(30))
    case 8: DropUntilOutput()
    case 9: PrefixUntilOutput()
    case 10: Pausable()
    case 11: Window()
    case 12, 13: PausableBuffer(size: any(1...3), whenFull: one(of: WhenFull.allCases))
    default: BufferByBoundary(maxCount: any(1...3))
    }
  }

  private mutating func unary() -> any Operator {
    switch any(0...67) {
    case 0: Map(plus: any(0...3))
    case 1: TryMap()
    case 2: Scan(tries: chance(30))
    case 3: Enumerated()
    case 4: Windows(size: any(1...3))
    case 5: Pairwise()
    case 6: Chunked(maxCount: any(1...3), byMultiplesOf: any(1...5))
    case 7...11: nextProbe()
    case 12: Materialized()
    case 13:
      chance(50) ? HandledEvents() : chance(50) ? Checkpoint() as any Operator : Acknowledged(anyOrder: chance(50))
    case 14: Filter(tries: chance(30), multiplesOf: any(2...4), partitions: chance(30))
    case 15: RemoveAllDuplicates(modulo: any(2...5))
    case 16: CompactMap(tries: chance(30), multiplesOf: any(2...4))
    case 17: RemoveDuplicates(tries: chance(30), modulo: any(1...4))
    case 18: Distinct(modulo: any(2...5), remembering: any(1...3))
    case 19: DropFirst(count: any(0...3))
    case 20: DropWhile(tries: chance(30), below: any(1...9))
    case 21: Prefix(count: any(0...4))
    case 22: PrefixWhile(below: any(5...12), isInclusive: chance(50), tries: chance(30))
    case 23: Output(from: any(0...2), count: any(0...2))
    case 24: First(tries: chance(30), multipleOf: any(1...3))
    case 25: Last(tries: chance(30), multipleOf: any(1...3))
    case 26: Reduce(tries: chance(30))
    case 27: CollectAll()
    case 28: Count()
    case 29: Extreme(isMaximum: chance(50))
    case 30: Contains(tries: chance(30), multipleOf: any(2...9))
    case 31: AllSatisfy(tries: chance(30), below: any(5...12))
    case 32: IgnoreOutput()
    case 33: Collect(count: any(1...3))
    case 34: ReplaceEmpty(with: any(0...9))
    case 35, 36:
      chance(50)
        ? BufferOperator(size: any(1...3), keepsFull: true, whenFull: one(of: WhenFull.allCases))
        : BufferOperator(size: any(0...3), keepsFull: false, whenFull: one(of: WhenFull.allCases))
    case 37: Catch(inner: inner(), tries: chance(30))
    case 38: ReplaceError(with: any(0...9))
    case 39: Retry(count: any(0...2))
    case 40: Repeat(count: any(0...3))
    case 41: RetryAfterDelay(count: any(1...2), delay: any(1...3), clock: clock())
    case 42, 43: FlatMap(maxPublishers: any(0...2), inner: inner())
    case 44: SwitchToLatest(inner: inner())
    case 45: FlatMapFirst(inner: inner())
    case 46: ReceiveOn(clock: clock())
    case 47, 48: Delay(duration: any(1...4), clock: clock())
    case 49, 50: Debounce(duration: any(1...4), clock: clock())
    case 51, 52: Throttle(interval: any(1...4), isLatest: chance(50), clock: clock())
    case 53: Timeout(interval: any(2...6), fails: chance(50), clock: clock())
    case 54: MeasureInterval(clock: clock())
    case 55, 56: CollectByTime(interval: any(1...4), count: any(0...3), clock: clock())
    case 57: PrefixDuration(duration: any(1...9), clock: clock())
    case 58: DelaySubscription(duration: any(1...4), clock: clock())
    case 59: SubscribeOn(clock: clock())
    case 60: chance(50) ? IgnoreFailure() : ReplaceNil(multiplesOf: any(2...4))
    case 61: GroupBy(modulo: any(2...4), maxGroups: any(1...3))
    case 62: CreateOperator(size: chance(70) ? any(1...3) : nil, whenFull: one(of: WhenFull.allCases))
    case 63: DeferredOperator()
    case 64, 65:
      RateLimit(
        count: any(1...3), per: any(1...4), clock: clock(), size: any(0...3), whenFull: one(of: WhenFull.allCases))
    case 66: MapTasks(maxTasks: any(1...3), clock: chance(80) ? .first : .second, tries: chance(30))
    default: RetryWhen(count: any(0...2))
    }
  }

  private mutating func nextProbe() -> Probe {
    probeCount += 1
    return Probe(number: probeCount)
  }
}
