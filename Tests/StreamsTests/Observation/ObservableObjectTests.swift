import Dispatch
import Streams
import Synchronization
import Testing

struct ObservableObjectTests {
  private class Model: ObservableObject {
    @Published var value = 0
    @Published var text = ""
  }

  private final class Derived: Model {
    @Published var more = 0
  }

  private final class Custom: ObservableObject {
    let objectWillChange = PassthroughSubject<String, Never>()
    var value = 0 { willSet { objectWillChange.send("value") } }
  }

  @Test func `has one publisher for its lifetime`() {
    let model = Model()
    #expect(model.objectWillChange === model.objectWillChange)
  }

  @Test func `each object has its own publisher`() {
    let (first, second) = (Model(), Model())
    #expect(first.objectWillChange !== second.objectWillChange)
    var count = 0
    let cancellable = first.objectWillChange.sink { count += 1 }
    second.value = 1
    #expect(count == 0)
    first.value = 1
    #expect(count == 1)
    cancellable.cancel()
  }

  @Test func `publishes before each published property changes`() {
    let model = Model()
    var seen: [String] = []
    let cancellable = model.objectWillChange.sink { seen.append("\(model.value)\(model.text)") }
    model.value = 1
    model.text = "a"
    model.value = 2
    #expect(seen == ["0", "1", "1a"])
    cancellable.cancel()
  }

  @Test func `publishes for the properties of a class and of its superclass`() {
    let derived = Derived()
    var count = 0
    let cancellable = derived.objectWillChange.sink { count += 1 }
    derived.value = 1
    derived.more = 1
    (derived as Model).text = "a"
    #expect(count == 3)
    cancellable.cancel()
  }

  @Test func `publishes changes even if some were made before the first access to the publisher`() {
    let model = Model()
    model.value = 1
    model.value = 2
    var count = 0
    let cancellable = model.objectWillChange.sink { count += 1 }
    model.value = 3
    #expect(count == 1)
    cancellable.cancel()
  }

  @Test func `publishes for values that a publisher assigns`() {
    let model = Model()
    var count = 0
    let cancellable = model.objectWillChange.sink { count += 1 }
    let subject = PassthroughSubject<Int, Never>()
    subject.assign(to: &model.$value)
    subject.send(1)
    #expect(count == 1)
    cancellable.cancel()
  }

  @Test func `publishes on send()`() {
    let model = Model()
    var count = 0
    let cancellable = model.objectWillChange.sink { count += 1 }
    model.objectWillChange.send()
    #expect(count == 1)
    cancellable.cancel()
  }

  @Test func `can provide a custom publisher`() {
    let custom = Custom()
    let recorder = record(custom.objectWillChange)
    custom.value = 1
    #expect(recorder.log == ["value"])
  }

  @Test func `is not retained by its publisher`() {
    weak var released: Model?
    let publisher: ObservableObjectPublisher
    do {
      let model = Model()
      released = model
      publisher = model.objectWillChange
    }
    #expect(released == nil)
    withExtendedLifetime(publisher) {}
  }

  @Test func `an object at the address of a released one has its own publisher`() {
    var publishers: [ObservableObjectPublisher] = []
    for _ in 0..<1_000 { publishers.append(Model().objectWillChange) }
    #expect(Set(publishers.map(ObjectIdentifier.init)).count == 1_000)
  }

  @Test func `keeps its publisher while many other objects are observed`() {
    let models = (0..<1_000).map { _ in Model() }
    let publishers = models.map(\.objectWillChange)
    #expect(zip(models, publishers).allSatisfy { $0.objectWillChange === $1 })
  }

  @Test func `has one publisher, whichever thread accesses it first`() {
    for _ in 0..<50 {
      let object = Shared()
      let found = Atomic<UInt>(0)
      let differences = Atomic(0)
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        let address = UInt(bitPattern: ObjectIdentifier(object.objectWillChange).hashValue)
        let (exchanged, original) = found.compareExchange(expected: 0, desired: address, ordering: .relaxed)
        if !exchanged, original != address { differences.add(1, ordering: .relaxed) }
      }
      #expect(differences.load(ordering: .relaxed) == 0)
    }
  }

  private final class Shared: ObservableObject, @unchecked Sendable {
    @Published var value = 0
  }
}
