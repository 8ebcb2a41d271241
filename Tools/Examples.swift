// What the code in documentation comments uses without declaring it. `Tools/run comments` compiles all of it with this file.
//
// A name is of one type wherever it is used. A comment that needs another type uses another name, or declares it.

import Dispatch
import Foundation
import StreamAlgorithms
import StreamFoundation
import StreamSchedulers
import StreamTesting
import Streams

// MARK: What stands for any code

/// Each block is a method of a subclass, and may use `self`, `$query` and `&cancellables`.
class Example: ObservableObject {
  @Published var query = ""
  @Published var title = ""
  @Published var items: [String] = []
  @Published var isRunning = true
  @Published var isConnected = true
  var isLoading = true
  var answer = ""
  var phase: PublisherPhase<[String], Never> = .loading
  var cancellables: Set<AnyCancellable> = []
  init() {}
  func refresh(_ query: String) {}
}

/// A `…` in a block.
func elided() {}
@_disfavoredOverload func elided<Value>() -> Value { fatalError() }

// MARK: Values

typealias Page = String
struct Answer: Codable, Equatable, Sendable {}
struct Edit: Sendable {}
struct Job: Sendable {}
struct Line: Sendable { var room = 0 }
struct Message: Sendable { var id = 0, number = 0, offset = 0 }
struct Order: Sendable { var customer = 0 }
struct Point: Equatable, Sendable { var x: Int, y: Int }
struct Position: Sendable {}
struct Reading: Sendable { var sensor = 0 }
struct Status: Sendable { var isDone = true }
struct User: Codable, Sendable { var name = "" }
struct UserEvent: Sendable { var user = 0 }
struct Progress: Sendable { var progress = 0.5 }

enum LoadError: Error { case timeout; var isTemporary: Bool { true } }
enum SearchError: Error { case offline }
struct LocationError: Error {}
struct Overload: Error {}
struct ParseError: Error {}
struct ServerError: Error, Codable, Equatable {}
struct Refusal: Error { var reason: String }
struct Failure: Error {}

// MARK: Publishers

let answers = scheduler.cold("-----(a|)")
let clicks = PassthroughSubject<Int, Never>()
let connections = PassthroughSubject<Connection, Overload>()
let data = [Data()]
let download = PassthroughSubject<Progress, Never>()
let edits = PassthroughSubject<Edit, Never>()
let events = PassthroughSubject<UserEvent, Never>()
let everySecond = PassthroughSubject<Void, Never>()
let first = PassthroughSubject<String, Never>()
let ids = PassthroughSubject<Int, LoadError>()
let keyboard = PassthroughSubject<String, Never>()
let keys = PassthroughSubject<Character, Never>()
let letters = scheduler.hot("a-bc---d|")
let lines = PassthroughSubject<Line, Never>()
nonisolated(unsafe) let loads = load().materialize()
let logins = PassthroughSubject<User, Never>()
let messages = PassthroughSubject<Message, Never>()
let name = CurrentValueSubject<String, Never>("")
let names = PassthroughRelay<String>()
let network = PassthroughSubject<String, Never>()
let numbers = [1, 2, 3].publisher
let orders = PassthroughSubject<Order, Never>()
let password = CurrentValueSubject<String, Never>("")
let positions = PassthroughSubject<Position, Never>()
let prices = PassthroughSubject<Int, Never>()
let publisher = ["title"].publisher
let queries = PassthroughSubject<String, Never>()
let readings = PassthroughSubject<Reading, Never>()
let requests = PassthroughSubject<String, Never>()
let room = PassthroughSubject<Message, Never>()
let rows = PassthroughSubject<String, Never>()
let savePoints = PassthroughSubject<Void, Never>()
let saveTaps = PassthroughSubject<Void, Never>()
let saved = PassthroughSubject<Void, Never>()
let second = PassthroughSubject<String, Never>()
let stop = PassthroughSubject<Void, Never>()
let taps = PassthroughSubject<Void, Never>()
let ticker = PassthroughSubject<Tick, Never>()
let ticks = PassthroughSubject<Void, Never>()
let titles = CurrentValueSubject<String, Never>("")
let typedNames = PassthroughSubject<String, Never>()
let typing = scheduler.hot("-gr-----a")
let updates = PassthroughSubject<String, Never>()
let words = ["ant", "ape", "bee"].publisher

func cached(_ id: Int) -> AnyPublisher<Page, Never> { elided() }
let offlinePage: Page = ""
func load() -> AnyPublisher<Page, LoadError> { elided() }
func load(_ id: Int) -> AnyPublisher<Page, LoadError> { elided() }
func loaded(_ id: Int) -> AnyPublisher<Page, Never> { elided() }
func save(_ document: String) -> AnyPublisher<String, Never> { elided() }
@discardableResult func search(_ query: String) -> AnyPublisher<[String], Never> { elided() }
func status(of job: Job) -> AnyPublisher<Status, Never> { elided() }

// MARK: Functions

func book(_ order: Order) async -> Order { elided() }
func download(_ url: URL) async throws -> Page { elided() }
func draw(_ position: Position) async {}
func handle(_ order: Order) {}
func load(page: Int) async throws -> Page { elided() }
func parse(_ text: String) async throws(ParseError) -> Int { elided() }
func process(_ job: Job) async {}
func reply(_ answer: String) {}
func respond(to request: String) async -> String { elided() }
func save() {}
func search(_ query: String) async -> [String] { elided() }
func show(_ value: some Any) {}
func insert<Row>(_ rows: [Row]) async {}
func store(_ line: Line) async -> Line { elided() }
func store(_ message: Message) async throws {}
func store(_ reading: Reading) async throws -> Reading { elided() }

// MARK: Objects

actor Account { var price = 0; func close() {} }
struct Connection { var messages: AnyPublisher<Message, Overload> { elided() } }
struct Consumer: Sendable { func commit(upTo offset: Int) {} }
struct Client: Sendable {
  func search(_ query: String) async -> [String] { elided() }
  func users() -> AnyPublisher<User, Never> { elided() }
}
final class Journal: Sendable { func write(_ line: Line) {} }
final class Label { var text = "", title = "" }
final class LocationUpdates { init(_ update: @escaping (Position) -> Void) {}; func stop() {} }
struct Mirror: Sendable { func load(_ page: Page) -> AnyPublisher<Page, LoadError> { elided() } }
struct Room: Sendable { var messages: AnyPublisher<Message, Never> { elided() } }
struct SearchIndex: Sendable { func rebuild() {} }
struct Sensor: Sendable { var temperature: AnyPublisher<Int, Never> { elided() } }
struct Socket: Sendable {
  var jobs: AsyncThrowingStream<Job, any Error> { elided() }
  var lines: AsyncStream<String> { elided() }
  func acknowledge(_ order: Order) {}
  func write(_ message: Message) async throws {}
}
struct Tick: Sendable { var price = 0 }

let account = Account()
let cancellable = typedNames.sink { print($0) }
let client = Client()
let clock = TestClock()
let document = ""
let file = URL(filePath: "answers.jsonl")
let files = [1, 2]
let id = 1
let index = SearchIndex()
let job = Job()
let journal = Journal()
nonisolated(unsafe) let label = Label()
let mirrors = [Mirror(), Mirror()]
let page = ""
let pages = [1, 2]
let queue = DispatchQueue(label: "examples")
let rooms = [Room(), Room()]
let scheduler = DispatchQueue.test
nonisolated(unsafe) var secondsElapsed = 0
let sensors = [Sensor(), Sensor()]
let socket = Socket()
let start = scheduler.now
let text = "1"
let times = [10, 20]
let url = URL(filePath: "/")
let urls = [url].publisher
let values = [1, 2].publisher
nonisolated(unsafe) let window = Label()
let writer = DispatchQueue(label: "writer")

// MARK: Models

enum SearchState: Equatable, Sendable { case empty, loading, found([String]) }

/// A model under test, whose closures and clocks come from outside.
final class Model: ObservableObject, @unchecked Sendable {
  @Published var query = ""
  @Published var title = ""
  @Published var answer: String?
  @Published var results: [String] = []
  @Published var state = SearchState.empty
  @Published var isValid = false
  var isLoading = false
  init(clock: some Clock<Duration>) {}
  init(date: @escaping () -> Date) {}
  init(queue: AnySchedulerOf<DispatchQueue>, clock: some Clock<Duration>) {}
  init(scheduler: AnySchedulerOf<DispatchQueue>) {}
  init<Answer>(
    typing: some Publisher<String, Never>, scheduler: TestSchedulerOf<DispatchQueue>, search: (String) -> Answer
  ) {}
  func clear() {}
  func load() async {}
  func poll() {}
}
typealias FeatureModel = Model
typealias Search = Model
typealias SearchModel = Model

let model = Model(clock: clock)

// MARK: Tests

nonisolated(unsafe) var received: [Int] = []
let recorder = scheduler.record(letters)
let states = scheduler.record(model.$state)
let validity = scheduler.record(model.$isValid)
let violation = ConformanceChecks.publisher(sends: 1) { Just(1) }[0]
let timer = scheduler.timerPublisher(every: .seconds(1)).autoconnect()

struct Countdown: Publisher {
  typealias Output = Int
  typealias Failure = Never
  init(from count: Int) {}
  init(from count: Int, on scheduler: some Scheduler) {}
  func receive(subscriber: some Subscriber<Int, Never>) {}
}

final class Meter: Subscriber {
  var hasEnded = false
  func receive(subscription: any Subscription) {}
  func receive(_ input: Int) -> Subscribers.Demand { .none }
  func receive(completion: Subscribers.Completion<Failure>) {}
}

final class LoggedSubject<Output, Failure: Error>: Subject {
  func send(_ value: Output) {}
  func send(completion: Subscribers.Completion<Failure>) {}
  func send(subscription: any Subscription) {}
  func receive(subscriber: some Subscriber<Output, Failure>) {}
}

extension Publisher {
  func firstOfEachBurst() -> Self { self }
  func quiet<S: Scheduler>(for interval: S.SchedulerTimeType.Stride, scheduler: S) -> Self { self }
}
extension Publisher where Output == Int {
  func doubled() -> AnyPublisher<Int, Failure> { elided() }
}
extension Publisher where Output == String {
  func pair(with numbers: some Publisher<Int, Failure>) -> AnyPublisher<String, Failure> { elided() }
  func shout() -> AnyPublisher<String, Failure> { elided() }
}

// MARK: Of other libraries

/// As in swift-log.
struct Logger: Sendable {
  nonisolated(unsafe) static var threadMetadata: [String: String] = [:]
  init(label: String) {}
  func trace(_ message: String, metadata: [String: String] = [:]) {}
  func debug(_ message: String) {}
  func info(_ message: String) {}
  func warning(_ message: String) {}
}
let logger = Logger(label: "examples")
func log(_ message: String) {}

struct Frames: DurationProtocol, Hashable {
  var count: Int
  static var zero: Frames { .init(count: 0) }
  static func + (a: Frames, b: Frames) -> Frames { elided() }
  static func - (a: Frames, b: Frames) -> Frames { elided() }
  static func * (a: Frames, b: Int) -> Frames { elided() }
  static func / (a: Frames, b: Int) -> Frames { elided() }
  static func / (a: Frames, b: Frames) -> Double { elided() }
  static func < (a: Frames, b: Frames) -> Bool { a.count < b.count }
}
