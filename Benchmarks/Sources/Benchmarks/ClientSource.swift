import Workloads

/// The source code of an app that uses an implementation, with which the compiler's work and output are measured.
///
/// The text is the same for each implementation, except for the imports and the names of queues. Closures capture
/// objects and call methods that the compiler cannot see into, as in an app whose work is elsewhere.
struct ClientSource {
  let implementation: ImplementationName

  /// The declarations of the app that the chains use.
  private var preamble: String {
    let imports =
      switch implementation {
      case .openCombine: "import Dispatch\nimport OpenCombine\nimport OpenCombineDispatch\n"
      case .streams, .async, .limit: "import Dispatch\nimport StreamSchedulers\nimport Streams\n"
      }
    let queue =
      switch implementation {
      case .openCombine: "DispatchQueue.OCombine"
      case .streams, .async, .limit: "DispatchQueue"
      }
    return imports
      + """
      public typealias Queue = \(queue)
      public func makeQueue(_ label: String) -> Queue { \(makeQueue) }
      public struct Item: Equatable { public var id: Int; public var name: String }
      public struct Failed: Error { public var code: Int }

      public class Work {
        public init() {}
        @inline(never) public func number(number value: Int) -> Int { value &* 31 }
        @inline(never) public func number(text value: String) -> Int { value.utf8.count }
        @inline(never) public func number(item value: Item) -> Int { value.id }
        @inline(never) public func text(number value: Int) -> String { value > 9 ? "many" : "few" }
        @inline(never) public func text(text value: String) -> String { value + "!" }
        @inline(never) public func text(item value: Item) -> String { value.name }
        @inline(never) public func item(number value: Int) -> Item { Item(id: value, name: "n") }
        @inline(never) public func item(text value: String) -> Item { Item(id: value.utf8.count, name: value) }
        @inline(never) public func item(item value: Item) -> Item { Item(id: value.id &+ 1, name: value.name) }
        @inline(never) public func accepts(number value: Int) -> Bool { value & 1 == 0 }
        @inline(never) public func accepts(text value: String) -> Bool { !value.isEmpty }
        @inline(never) public func accepts(item value: Item) -> Bool { value.id > 0 }
        @inline(never) public func parsed(number value: Int) throws -> Int {
          if value < 0 { throw Failed(code: value) }
          return value
        }
        @inline(never) public func parsed(text value: String) throws -> String {
          if value.isEmpty { throw Failed(code: 0) }
          return value
        }
        @inline(never) public func parsed(item value: Item) throws -> Item {
          if value.id < 0 { throw Failed(code: 1) }
          return value
        }
        @inline(never) public func load(number value: Int) -> AnyPublisher<Int, Never> { Just(value).eraseToAnyPublisher() }
        @inline(never) public func load(text value: String) -> AnyPublisher<String, Never> {
          Just(value).eraseToAnyPublisher()
        }
        @inline(never) public func load(item value: Item) -> AnyPublisher<Item, Never> { Just(value).eraseToAnyPublisher() }
        @inline(never) public func use(number value: Int) {}
        @inline(never) public func use(text value: String) {}
        @inline(never) public func use(item value: Item) {}
      }

      """
  }

  private var makeQueue: String {
    switch implementation {
    case .openCombine: "DispatchQueue(label: label).ocombine"
    case .streams, .async, .limit: "DispatchQueue(label: label)"
    }
  }

  /// Returns chains with the given number of operators each, or with four to six if no number is given.
  func chains(_ count: Int, length: Int? = nil) -> String {
    var dice = Dice()
    var text = preamble
    text += "public final class App {\n  let work = Work()\n  let queue = makeQueue(\"app\")\n"
    text += "  var cancellables: Set<AnyCancellable> = []\n  public init() {}\n"
    for index in 0..<count {
      var type = ValueType.allCases[dice.roll(3)]
      text += "\n  public func chain\(index)(_ subject: PassthroughSubject<\(type.rawValue), Never>) {\n"
      let length = length ?? 4 + dice.roll(3)
      // The type checker gives up on very long chains.
      let middle = length > 8 ? length / 2 : nil
      text += "    let (work, queue) = (work, queue)\n    \(middle == nil ? "" : "let middle = ")subject\n"
      for position in 0..<length {
        if position == middle { text += "    middle\n" }
        text += "      \(Self.operators[dice.roll(Self.operators.count)](&type, &dice))\n"
      }
      text += "      .sink { [weak self] in self?.work.use(\(type.label): $0) }\n      .store(in: &cancellables)\n  }\n"
    }
    return text + "}\n"
  }

  /// Returns a view model: a search that is debounced, a list that is filtered, and two derived states.
  func viewModel() -> String {
    preamble + """
      public final class SearchModel {
        @Published public var query = ""
        @Published public var isEnabled = true
        @Published public private(set) var results: [Item] = []
        @Published public private(set) var message: String?
        let selection = PassthroughSubject<Item, Never>()
        let work: Work
        var cancellables: Set<AnyCancellable> = []

        public init(work: Work, queue: Queue) {
          self.work = work
          $query
            .debounce(for: .milliseconds(300), scheduler: queue)
            .removeDuplicates()
            .map { work.load(text: $0) }
            .switchToLatest()
            .map { [Item(id: 0, name: $0)] }
            .receive(on: queue)
            .sink { [weak self] in self?.results = $0 }
            .store(in: &cancellables)
          $query
            .filter { work.accepts(text: $0) }
            .map { work.text(text: $0) }
            .sink { [weak self] in self?.message = $0 }
            .store(in: &cancellables)
          $query
            .zip($isEnabled)
            .map { $1 && work.accepts(text: $0) }
            .removeDuplicates()
            .sink { [weak self] in if !$0 { self?.message = nil } }
            .store(in: &cancellables)
          selection
            .flatMap { work.load(item: $0) }
            .tryMap { try work.parsed(item: $0) }
            .catch { _ in Just(Item(id: 0, name: "")) }
            .sink { [weak self] in self?.work.use(item: $0) }
            .store(in: &cancellables)
        }
      }

      """
  }

  private enum ValueType: String, CaseIterable {
    case number = "Int"
    case text = "String"
    case item = "Item"

    /// The name of parameters and methods of that type.
    var label: String {
      switch self {
      case .number: "number"
      case .text: "text"
      case .item: "item"
      }
    }

    var initial: String {
      switch self {
      case .number: "0"
      case .text: "\"\""
      case .item: "Item(id: 0, name: \"\")"
      }
    }
  }

  /// The operators, which may change the type of the values.
  private static let operators: [@Sendable (inout ValueType, inout Dice) -> String] = [
    { type, dice in
      let input = type.label
      type = ValueType.allCases[dice.roll(3)]
      return ".map { work.\(type.label)(\(input): $0) }"
    },
    { type, _ in ".filter { work.accepts(\(type.label): $0) }" },
    { type, dice in
      let input = type.label
      type = ValueType.allCases[dice.roll(3)]
      return ".scan(\(type.initial)) { work.accepts(\(type.label): $0) ? $0 : work.\(type.label)(\(input): $1) }"
    },
    { _, _ in ".removeDuplicates()" },
    { type, _ in ".flatMap { work.load(\(type.label): $0) }" },
    { _, _ in ".debounce(for: .milliseconds(300), scheduler: queue)" },
    { _, _ in ".receive(on: queue)" },
    { type, _ in ".map { work.load(\(type.label): $0) }.switchToLatest()" },
    { type, _ in ".tryMap { try work.parsed(\(type.label): $0) }.catch { _ in Just(\(type.initial)) }" },
    { _, _ in ".share()" },
  ]

  /// A generator of pseudorandom numbers, the same each time.
  private struct Dice {
    private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

    mutating func roll(_ count: Int) -> Int {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Int(truncatingIfNeeded: state >> 33) % count
    }
  }
}
