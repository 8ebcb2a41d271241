import Dispatch
import Streams
import Testing

struct PublishedTests {
  private final class Model: @unchecked Sendable {
    @Published var value = 0
    @Published(initialValue: "a") var text: String
  }

  private let model = Model()

  @Test func `starts a subscriber with the current value and publishes each new one`() {
    model.value = 1
    let recorder = record(model.$value)
    model.value = 2
    model.value = 3
    #expect(recorder.log == ["1", "2", "3"])
  }

  @Test func `publishes a value before the property changes`() {
    var seen: [String] = []
    let cancellable = model.$value.sink { seen.append("\(model.value) becomes \($0)") }
    model.value = 1
    #expect(seen == ["0 becomes 0", "0 becomes 1"])
    #expect(model.value == 1)
    cancellable.cancel()
  }

  @Test func `has a new value as soon as the setter returns, even during a delivery`() {
    var own: [Int] = []
    let cancellable = model.$value.sink { value in
      if value == 1 {
        model.value = 2
        own.append(model.value)
      }
    }
    model.value = 1
    #expect(own == [2])
    #expect(model.value == 2)
    cancellable.cancel()
  }

  @Test func `a value set while another is being delivered comes after it for every subscriber`() {
    let first = SignalRecorder<Int, Never>()
    first.onValue = { value in
      if value == 1 { model.value = 2 }
      return .none
    }
    model.$value.subscribe(first)
    let second = record(model.$value)
    model.value = 1
    #expect(first.log == ["0", "1", "2"])
    #expect(second.log == ["0", "1", "2"])
  }

  @Test func `keeps the latest value for a subscriber without demand`() {
    let recorder = record(model.$value, .none)
    model.value = 1
    recorder.request(.max(1))
    #expect(recorder.log == ["1"])
  }

  @Test func `can have an initial value in the attribute`() {
    #expect(model.text == "a")
    #expect(record(model.$text, .max(1)).log == ["a"])
  }

  @Test func `publishes equal values, too`() {
    let recorder = record(model.$value)
    model.value = 0
    #expect(recorder.log == ["0", "0"])
  }

  @Test func `publishes each in-place mutation once`() {
    let recorder = record(model.$text)
    model.text += "b"
    model.text.append("c")
    #expect(recorder.log == ["a", "ab", "abc"])
  }

  @Test func `does not retain its object`() {
    weak var released: Model?
    let publisher: Published<Int>.Publisher
    do {
      let model = Model()
      released = model
      publisher = model.$value
    }
    #expect(released == nil)
    #expect(record(publisher, .max(1)).log == ["0"])
  }

  // MARK: assign(to:)

  @Test func `takes the values of a publisher that is assigned to it`() {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = record(model.$value)
    subject.assign(to: &model.$value)
    subject.send(1)
    #expect(model.value == 1)
    subject.send(completion: .finished)
    model.value = 2
    #expect(recorder.log == ["0", "1", "2"])
  }

  @Test func `an assignment ends with the object, and does not retain it`() {
    let source = ManualSource<Int, Never>()
    weak var released: Model?
    do {
      let model = Model()
      released = model
      source.assign(to: &model.$value)
      #expect(source.requests == [.unlimited])
      source.send(1)
      #expect(model.value == 1)
      #expect(source.cancelCount == 0)
    }
    #expect(released == nil)
    #expect(source.cancelCount == 1)
  }

  @Test func `takes the values of several publishers`() {
    let first = PassthroughSubject<Int, Never>()
    let second = PassthroughSubject<Int, Never>()
    first.assign(to: &model.$value)
    second.assign(to: &model.$value)
    first.send(1)
    second.send(2)
    first.send(3)
    #expect(model.value == 3)
  }

  // MARK: Threads

  @Test func `can be set and read from many threads without tearing`() {
    final class Pairs: @unchecked Sendable {
      @Published var pair = (0, 0)
    }
    let pairs = Pairs()
    nonisolated(unsafe) var torn = 0
    nonisolated(unsafe) var count = 0
    let cancellable = pairs.$pair.sink { pair in
      if pair.0 != pair.1 { torn += 1 }
      count += 1
    }
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for number in 0..<500 {
        let value = thread * 500 + number
        pairs.pair = (value, value)
        let read = pairs.pair
        if read.0 != read.1 { Issue.record("A torn value was read.") }
      }
    }
    #expect(torn == 0)
    #expect(count == 2_001)
    cancellable.cancel()
  }

  @Test func `a property derived from another of the same object does not retain the object`() {
    final class Chained {
      @Published var input = 0
      @Published var output = ""

      init() {
        $input.map { "<\($0)>" }.assign(to: &$output)
        $output.map(\.count).filter { $0 > 100 }.assign(to: &$input)
      }
    }
    weak var released: Chained?
    do {
      let chained = Chained()
      released = chained
      chained.input = 5
      #expect(chained.output == "<5>")
    }
    #expect(released == nil)
  }

  @Test(.ownThread)
  func `has its old value during a delivery on another thread, and its new one afterwards`() {
    let seen = Seen()
    let cancellable = model.$value.sink { value in seen.append((value, model.value)) }
    let thread = DispatchQueue(label: "sender")
    thread.sync { model.value = 1 }
    #expect(seen.pairs.map(\.0) == [0, 1])
    #expect(seen.pairs.map(\.1) == [0, 0])
    #expect(model.value == 1)
    cancellable.cancel()
  }

  private final class Seen {
    var pairs: [(Int, Int)] = []
    func append(_ pair: (Int, Int)) { pairs.append(pair) }
  }

  // MARK: Assigning one projected value to another

  private final class Text: ObservableObject {
    @Published var text: String

    init(_ text: String) { self.text = text }
  }

  @Test func `takes the value of another property's publisher, and stays independent of it`() {
    let (first, second) = (Text("a"), Text("b"))
    first.$text = second.$text
    #expect(first.text == "b")

    first.text = "c"
    #expect(second.text == "b")
    second.text = "d"
    #expect(first.text == "c")
    #expect(record(first.$text, .max(1)).log == ["c"])
    #expect(record(second.$text, .max(1)).log == ["d"])
  }

  @Test func `keeps its subscribers and assignments when it takes the value of another property`() {
    let (first, second) = (Text("a"), Text("b"))
    let (recorder, other) = (record(first.$text), record(second.$text))
    let subject = PassthroughSubject<String, Never>()
    subject.assign(to: &first.$text)
    let changes = record(first.objectWillChange)

    first.$text = second.$text
    subject.send("c")
    #expect(recorder.log == ["a", "b", "c"])
    #expect(other.log == ["b"])
    #expect(changes.log == ["()", "()"])
  }

  @Test func `takes its own publisher without publishing anything`() {
    let object = Text("a")
    let recorder = record(object.$text)
    let publisher = object.$text
    object.$text = publisher
    #expect(recorder.log == ["a"])
  }

  @Test func `a property outside a class takes the value of another property's publisher`() {
    var (first, second) = (Published(wrappedValue: 1), Published(wrappedValue: 2))
    let recorder = record(first.projectedValue)
    first.projectedValue = second.projectedValue
    Just(3).assign(to: &second.projectedValue)
    #expect(recorder.log == ["1", "2"])
    #expect(record(second.projectedValue).log == ["3"])
  }
}
