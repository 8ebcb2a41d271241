import Streams

typealias Demand = Subscribers.Demand

/// How a stream ends.
enum Ending: Equatable, Sendable {
  case finished, failed
}

/// The error with which streams of the tests fail.
struct Failed: Error, Equatable {}

/// What an operator does in answer to something that has happened.
enum Effect {
  /// Sends a value downstream. There must be demand for it.
  case send(Int)
  /// Cancels what is still running, and ends the stream.
  case end(Ending)
  /// Cancels what is still running, sends a value as soon as it is requested, and finishes.
  case finish(with: Int)
  /// Requests values from the upstream publisher of that number, also before it has been subscribed to.
  case request(Demand, from: Int)
  case cancel(Int)
  /// Cancels, also a publisher that is yet to be subscribed to: then as soon as its subscription arrives.
  case disregard(Int)
  /// Gives downstream its subscription.
  case begin
  /// Subscribes to the first source, as number 0, and gives downstream its subscription when that of the source arrives.
  case pass
  /// Subscribes to one of the operator's sources.
  case subscribe(source: Int, as: Int)
  /// Subscribes to a publisher that comes from a closure.
  case subscribeInner(Chain, as: Int)
  /// Asks the specification again, with ``Specification/again(_:)``.
  case again
  /// Schedules an action, at a date of the operator's scheduler.
  case arm(Int, at: Int)
  case disarm(Int)
  /// Schedules an action for as soon as possible, which a scheduler cannot take back.
  case schedule(Int)

  static func request(_ count: Int = 1, from upstream: Int = 0) -> Effect { .request(.max(count), from: upstream) }
}

/// What an operator knows besides its own state when something happens.
struct Context {
  /// The demand of downstream that is outstanding.
  var demand: Demand
  /// The time of the operator's scheduler. It does not pass on one that runs work immediately.
  var now: Int
  var isImmediate: Bool
  /// The numbers of the publishers that are subscribed to and have not ended.
  var running: Set<Int>
  /// Indicates whether downstream has cancelled, and the clock has yet to carry that out.
  var isCancelled: Bool
  /// Indicates whether demand that arrives now is returned from a delivery.
  var returnsDemand: Bool
}

/// What an operator must do: for each thing that can happen, a pure function from the operator's state to what it does.
///
/// A conforming type states what is its own. What it does not state is passed on unchanged. It knows nothing of delivery:
/// ``Node`` delivers signals one after the other, counts demand, and lets nothing happen after the end.
protocol Specification {
  /// The scheduler that it uses, if any.
  var clock: Clock { get }
  /// Indicates whether it subscribes, and cancels, on its scheduler; downstream receives its subscription there, too.
  var subscribesOnClock: Bool { get }
  /// Indicates whether it subscribes to one publisher after the other.
  var isSuccession: Bool { get }
  /// Indicates whether a closure subscribes, so that what it has subscribed to can be cancelled only after that.
  var subscribesInClosure: Bool { get }

  /// Something subscribes to the operator. It receives its subscription last, if not before.
  mutating func start(_ context: Context) -> [Effect]
  /// The subscription of the first source has arrived.
  mutating func connected(_ context: Context) -> [Effect]
  mutating func receive(_ value: Int, from upstream: Int, _ context: Context) -> [Effect]
  mutating func receive(_ value: Int) -> [Effect]
  mutating func end(_ ending: Ending, from upstream: Int, _ context: Context) -> [Effect]
  mutating func end(_ ending: Ending) -> [Effect]
  mutating func request(_ demand: Demand, _ context: Context) -> [Effect]
  mutating func fire(_ action: Int, _ context: Context) -> [Effect]
  /// A value has been delivered, and there may be more to do.
  mutating func again(_ context: Context) -> [Effect]
}

extension Specification {
  var clock: Clock { .immediate }
  var isSuccession: Bool { false }
  var subscribesInClosure: Bool { false }
  var subscribesOnClock: Bool { false }

  func start(_ context: Context) -> [Effect] { [.pass] }
  /// Gives downstream its subscription at once, whenever that of upstream may arrive.
  func beginAtOnce(requesting demand: Demand = .none) -> [Effect] {
    [.begin, .request(demand, from: 0), .subscribe(source: 0, as: 0)]
  }
  func connected(_ context: Context) -> [Effect] { [] }
  mutating func receive(_ value: Int, from upstream: Int, _ context: Context) -> [Effect] { receive(value) }
  func receive(_ value: Int) -> [Effect] { [.send(value)] }
  mutating func end(_ ending: Ending, from upstream: Int, _ context: Context) -> [Effect] { end(ending) }
  func end(_ ending: Ending) -> [Effect] { [.end(ending)] }
  func request(_ demand: Demand, _ context: Context) -> [Effect] { [.request(demand, from: 0)] }
  func fire(_ action: Int, _ context: Context) -> [Effect] { [] }
  func again(_ context: Context) -> [Effect] { [] }
}

/// A scheduler: one of the two test schedulers of a case, or one that runs work immediately.
enum Clock: Equatable, CustomDebugStringConvertible {
  case first, second, immediate

  var debugDescription: String {
    switch self {
    case .first: ".first"
    case .second: ".second"
    case .immediate: ".immediate"
    }
  }
}

/// An operator with its specification, and the publisher that must meet it.
protocol Operator: Specification {
  func publisher(of source: some Source, in world: World) -> any Source
}

/// An operator with a closure that makes publishers.
protocol NestingOperator: Operator {
  /// The stream that the closure makes.
  var inner: Chain { get set }
}

extension NestingOperator {
  func with(inner: Chain) -> Self {
    var copy = self
    copy.inner = inner
    return copy
  }
}

/// An operator that adds its values to those of the publishers that it makes of them.
protocol FlatteningOperator: NestingOperator {}

extension FlatteningOperator {
  /// Returns the closure that makes a publisher of a value.
  func makeInner(in world: World) -> (Int) -> Publishers.Map<AnyPublisher<Int, Failed>, Int> {
    let (token, inner) = (world.token(), inner)
    return { [world = world.inner] value in inner.publisher(in: world()).map { token.touch($0) + value } }
  }

  func subscribe(toInnerOf value: Int, as upstream: Int) -> Effect {
    .subscribeInner(.apply(Map(plus: value), to: inner), as: upstream)
  }
}

/// An operator of two publishers.
protocol BinaryOperator: Specification {
  func publisher(of a: some Source, _ b: some Source, in world: World) -> any Source
}

extension BinaryOperator {
  func start(_ context: Context) -> [Effect] { [.begin, .subscribe(source: 0, as: 0), .subscribe(source: 1, as: 1)] }
}

typealias Source = Publisher<Int, Failed>

/// Indicates whether closures that can throw do so for a value.
func isRefused(_ value: Int) -> Bool { value % 7 == 0 }

/// What an operator does whose closure can throw.
func throwing(_ value: Int, _ effects: () -> [Effect]) -> [Effect] { isRefused(value) ? [.end(.failed)] : effects() }

/// One number for several, which tells their order apart.
func digest(_ values: [Int]) -> Int { values.reduce(7) { ($0 &* 31 &+ $1) % 100_003 } }
