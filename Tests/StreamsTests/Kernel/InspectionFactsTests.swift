import StreamSchedulers
import Streams
import SuiteSupport
import Testing

/// What parts of a stream tell an inspection while they deliver, and while values wait.
struct InspectionFactsTests {
  private func facts(of part: Any?) -> [StreamFact: Int] {
    var facts: [StreamFact: Int] = [:]
    if let part { StreamFact.tell(of: part as AnyObject) { fact, number, _ in facts[fact] = number } }
    return facts
  }

  @Test func `an operator delivers during a delivery, unless it has been cancelled`() {
    let (source, other) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
    let recorder = record(source.merge(with: other))
    var told: [[StreamFact: Int]] = []
    recorder.onValue = { _ in
      told.append(facts(of: recorder.subscription))
      recorder.cancel()
      told.append(facts(of: recorder.subscription))
      return .none
    }
    #expect(facts(of: recorder.subscription)[.delivering] == nil)
    source.send(1)
    #expect(told.map { $0[.delivering] != nil } == [true, false])
    #expect(told.map { $0[.over] != nil } == [false, true])
  }

  @Test func `a subject delivers while it sends a value`() {
    let broadcast = Broadcast<Int, Never>()
    let recorder = SignalRecorder<Int, Never>()
    var told: [StreamFact: Int] = [:]
    recorder.onValue = { _ in
      told = facts(of: broadcast.core)
      return .none
    }
    broadcast.subscribe(recorder)
    #expect(facts(of: broadcast.core)[.delivering] == nil)
    broadcast.send(1)
    #expect(told[.delivering] != nil)
    #expect(told[.subscribers] == 1)
    recorder.cancel()
  }

  @Test func `there is room for the values that wait`() {
    let source = ManualSource<Int, Never>()
    let buffer = record(source.buffer(size: 10, prefetch: .byRequest, whenFull: .dropNewest), .none)
    for value in 1...5 { source.send(value) }
    #expect(facts(of: buffer.subscription)[.waiting] == 5)
    #expect((facts(of: buffer.subscription)[.capacity] ?? 0) >= 5)
    buffer.cancel()

    let current = record(CurrentValueSubject<Int, Never>(1), .none)
    #expect((facts(of: current.subscription)[.capacity] ?? 0) >= 1)
    current.cancel()
  }

  @Test func `a source on demand tells whether values have been requested, and whether it is over`() {
    let recorder = record([1, 2].publisher, .none)
    #expect(facts(of: recorder.subscription)[.requested] == nil)
    #expect(facts(of: recorder.subscription)[.sender] != nil)
    recorder.request(.max(1))
    #expect(facts(of: recorder.subscription)[.requested] != nil)
    #expect(facts(of: recorder.subscription)[.over] == nil)
    recorder.cancel()
    #expect(facts(of: recorder.subscription)[.over] != nil)
  }

  @Test func `a source of one value tells what it waits for, and whether it is over`() {
    let source = ManualSource<Int, Never>()
    let recorder = record(source.reduce(0, +), .none)
    let waiting = facts(of: recorder.subscription)
    #expect(waiting[.upstream] == 0 && waiting[.sender] != nil)
    #expect(waiting[.requested] == nil && waiting[.result] == nil)
    source.finish()
    let ready = facts(of: recorder.subscription)
    #expect(ready[.upstream] == nil && ready[.result] != nil && ready[.over] == nil)
    recorder.request(.max(1))
    let over = facts(of: recorder.subscription)
    #expect(over[.requested] != nil && over[.over] != nil && over[.sender] == nil)
  }

  @Test func `the only source of a part has the slot 0`() {
    let subject = PassthroughSubject<Int, Never>()
    let parts: [(any Subscription)?] = [
      record(subject.scan(0, +)).subscription,
      record(subject.handleEvents(receiveOutput: { _ in })).subscription,
      record(subject.collect(2)).subscription,
      record(subject.replaceEmpty(with: 0)).subscription,
      record(subject.subscribe(on: ImmediateScheduler.shared)).subscription,
    ]
    for part in parts { #expect(facts(of: part)[.upstream] == 0, "\(part as Any)") }

    let sink = Subscribers.Sink<Int, Never>(receiveCompletion: { _ in }, receiveValue: { _ in })
    subject.subscribe(sink)
    #expect(facts(of: sink)[.upstream] == 0)
    let box = Box(0)
    let assign = Subscribers.Assign(object: box, keyPath: \.value)
    subject.subscribe(assign)
    #expect(facts(of: assign)[.upstream] == 0)
    #expect(facts(of: assign)[.target] != nil)
    subject.send(completion: .finished)
  }
}
