import Dispatch
import Streams
import SuiteSupport
import Testing

struct ReplaySubjectTests {
  private let subject = ReplaySubject<Int, TestError>(bufferSize: 2)

  private func send(_ values: ClosedRange<Int>) {
    for value in values { subject.send(value) }
  }

  @Test func `starts every subscriber with the latest values`() {
    let first = record(subject)
    send(1...3)
    let second = record(subject)
    subject.send(4)
    #expect(first.log == ["1", "2", "3", "4"])
    #expect(second.log == ["2", "3", "4"])
  }

  @Test func `replays nothing to a subscriber before the first value`() {
    let recorder = record(subject)
    #expect(recorder.log == [])
    subject.send(1)
    #expect(recorder.log == ["1"])
  }

  @Test(arguments: [Subscribers.Completion<TestError>.finished, .failure(.first)])
  func `replays its buffer and the completion to a subscriber after the completion`(
    completion: Subscribers.Completion<TestError>
  ) {
    send(1...3)
    subject.send(completion: completion)
    subject.send(4)
    let end = completion == .finished ? "finished" : "first"
    for _ in 0..<2 { #expect(record(subject).log == ["2", "3", end]) }
    let slow = record(subject, .max(1))
    #expect(slow.log == ["2"])
    slow.request(.max(1))
    #expect(slow.log == ["2", "3", end])
  }

  @Test func `completes at once for a subscriber after the completion of an empty subject`() {
    subject.send(completion: .finished)
    #expect(record(subject, .none).log == ["finished"])
  }

  @Test func `keeps a separate demand for each subscriber`() {
    send(1...2)
    let slow = record(subject, .max(1))
    let fast = record(subject)
    #expect(slow.log == ["1"])
    #expect(fast.log == ["1", "2"])
    slow.request(.max(1))
    #expect(slow.log == ["1", "2"])
    subject.send(3)
    #expect(slow.log == ["1", "2"])
    slow.request(.max(5))
    #expect(slow.log == ["1", "2", "3"])
  }

  @Test func `buffers the latest values for a slow subscriber`() {
    let recorder = record(subject, .max(1))
    send(1...5)
    #expect(recorder.log == ["1"])
    recorder.request(.max(1))
    #expect(recorder.log == ["1", "4"])
    subject.send(6)
    recorder.request(.unlimited)
    #expect(recorder.log == ["1", "4", "5", "6"])
    subject.send(7)
    #expect(recorder.log == ["1", "4", "5", "6", "7"])
  }

  @Test func `delivers missed values before new ones`() {
    let recorder = record(subject, .none)
    send(1...2)
    recorder.request(.max(1))
    #expect(recorder.log == ["1"])
    subject.send(3)
    #expect(recorder.log == ["1"])
    recorder.request(.max(2))
    #expect(recorder.log == ["1", "2", "3"])
  }

  @Test func `the completion waits for the buffered values of a subscriber`() {
    let slow = record(subject, .max(1))
    let idle = record(subject, .none)
    let fast = record(subject)
    send(1...3)
    subject.send(completion: .finished)
    #expect(fast.log == ["1", "2", "3", "finished"])
    #expect(slow.log == ["1"])
    #expect(idle.log == [])
    slow.request(.unlimited)
    #expect(slow.log == ["1", "2", "3", "finished"])
    idle.request(.max(2))
    #expect(idle.log == ["2", "3", "finished"])
  }

  @Test func `the completion waits for the buffered values of a subscriber that arrives after it`() {
    let subject = ReplaySubject<Int, Never>(bufferSize: 3)
    for value in 1...3 { subject.send(value) }
    subject.send(completion: .finished)
    let recorder = record(subject, .max(1))
    #expect(recorder.log == ["1"])
    recorder.request(.max(1))
    #expect(recorder.log == ["1", "2"])
    recorder.request(.max(1))
    #expect(recorder.log == ["1", "2", "3", "finished"])
  }

  @Test func `the completion does not wait for a subscriber without buffered values`() {
    let idle = record(subject, .none)
    let slow = record(subject, .none)
    subject.send(completion: .failure(.first))
    #expect(idle.log == ["first"])
    #expect(slow.log == ["first"])
  }

  @Test func `a subscriber with buffered values can cancel after the completion`() {
    send(1...2)
    let (recorder, other) = (record(subject, .none), record(subject, .none))
    subject.send(completion: .finished)
    recorder.cancel()
    for recorder in [recorder, other] { recorder.request(.unlimited) }
    #expect(recorder.log == [])
    #expect(other.log == ["1", "2", "finished"])
  }

  @Test func `delivers all requested values that are sent while a value is being delivered`() {
    let recorder = SignalRecorder<Int, TestError>(.max(100))
    recorder.onValue = { value in
      if value == 1 { send(2...20) }
      return .none
    }
    subject.subscribe(recorder)
    subject.send(1)
    #expect(recorder.values == Array(1...20))
  }

  @Test func `delivers all requested values that are sent while a replayed value is being delivered`() {
    send(1...2)
    let recorder = SignalRecorder<Int, TestError>(.max(100))
    recorder.onValue = { value in
      if value == 1 { send(3...20) }
      return .none
    }
    subject.subscribe(recorder)
    #expect(recorder.values == Array(1...20))
  }

  @Test func `delivers all values requested in receive(subscription:) before more are sent there`() {
    send(1...2)
    let recorder = SignalRecorder<Int, TestError>(.none)
    recorder.onSubscription = {
      $0.request(.max(100))
      send(3...20)
    }
    subject.subscribe(recorder)
    #expect(recorder.values == Array(1...20))
  }

  @Test func `a value sent while another is being delivered comes after it, for every subscriber`() {
    let first = SignalRecorder<Int, TestError>()
    first.onValue = { value in
      if value == 1 { send(2...5) }
      return .none
    }
    subject.subscribe(first)
    let second = record(subject)
    subject.send(1)
    #expect(first.values == Array(1...5))
    #expect(second.values == Array(1...5))
  }

  @Test func `delivers every later value once to a subscriber that arrives during a delivery`() {
    var late: SignalRecorder<Int, TestError>?
    let first = SignalRecorder<Int, TestError>()
    first.onValue = { value in
      if value == 2 {
        send(3...4)
        late = record(subject)
      }
      return .none
    }
    subject.subscribe(first)
    send(1...2)
    subject.send(5)
    #expect(late?.values == [3, 4, 5])
    #expect(first.values == Array(1...5))
  }

  @Test func `adds the demand that receive(_:) returns`() {
    send(1...2)
    let recorder = SignalRecorder<Int, TestError>(.max(1))
    recorder.onValue = { $0 < 4 ? .max(1) : .none }
    subject.subscribe(recorder)
    send(3...6)
    #expect(recorder.values == [1, 2, 3, 4])
    recorder.request(.max(1))
    #expect(recorder.values == [1, 2, 3, 4, 5])
  }

  @Test func `a subscriber that arrives after the end and requests a value with each one receives all`() {
    let subject = ReplaySubject<Int, Never>(bufferSize: 3)
    for value in 1...3 { subject.send(value) }
    subject.send(completion: .finished)
    let recorder = SignalRecorder<Int, Never>(.max(1))
    recorder.onValue = { _ in .max(1) }
    subject.subscribe(recorder)

    #expect(recorder.log == ["1", "2", "3", "finished"])
  }

  @Test func `a subscriber can cancel while a replayed value is being delivered`() {
    send(1...2)
    #expect(log(subject.first()) == ["1", "finished"])
    #expect(log(subject.prefix(2)) == ["1", "2", "finished"])
  }

  @Test func `serves subscribers in the order of their subscriptions`() {
    var order: [Int] = []
    let cancellables = (0..<20).map { number in subject.replaceError(with: 0).sink { _ in order.append(number) } }
    subject.send(1)
    #expect(order == Array(0..<20))
    withExtendedLifetime(cancellables) {}
  }

  @Test func `releases the oldest value when its buffer is full`() {
    let subject = ReplaySubject<TestObject, Never>(bufferSize: 2)
    weak var oldest: TestObject?
    do {
      let object = TestObject()
      oldest = object
      subject.send(object)
    }
    subject.send(TestObject())
    #expect(oldest != nil)
    subject.send(TestObject())
    #expect(oldest == nil)
  }

  @Test func `stores values once for all waiting subscribers`() {
    let subject = ReplaySubject<TestObject, Never>(bufferSize: 2)
    let recorders = (0..<3).map { _ in record(subject, .none) }
    weak var oldest: TestObject?
    do {
      let object = TestObject()
      oldest = object
      subject.send(object)
    }
    for _ in 0..<2 { subject.send(TestObject()) }
    #expect(oldest == nil)
    for recorder in recorders {
      recorder.request(.unlimited)
      #expect(recorder.values.count == 2)
    }
  }

  @Test func `requests unlimited demand from a publisher as soon as it subscribes`() {
    let source = ManualSource<Int, TestError>()
    let attachment = source.subscribe(subject)
    #expect(source.requests == [.unlimited])
    for value in 1...3 { source.send(value) }
    #expect(record(subject).log == ["2", "3"])
    attachment.cancel()
    #expect(source.cancelCount == 1)
  }

  @Test(arguments: [1, 3, 4, 5, 100]) func `buffers the given number of values`(size: Int) {
    let subject = ReplaySubject<Int, Never>(bufferSize: size)
    for value in 1...50 { subject.send(value) }
    #expect(record(subject).values == Array((51 - min(size, 50))...50))
  }

  @Test func `with a buffer size of zero replays nothing, and drops values without demand`() {
    let subject = ReplaySubject<Int, TestError>(bufferSize: 0)
    subject.send(1)
    let (slow, fast) = (record(subject, .max(1)), record(subject))
    for value in 2...4 { subject.send(value) }
    #expect(slow.log == ["2"])
    slow.request(.unlimited)
    subject.send(5)
    subject.send(completion: .failure(.first))
    #expect(slow.log == ["2", "5", "first"])
    #expect(fast.log == ["2", "3", "4", "5", "first"])
    #expect(record(subject).log == ["first"])
  }

  @Test func `with a buffer size of zero keeps the order of values sent during a delivery`() {
    let subject = ReplaySubject<Int, Never>(bufferSize: 0)
    var received: [Int] = []
    let cancellable = subject.sink { value in
      received.append(value)
      if value == 1 { for next in 2...4 { subject.send(next) } }
    }
    subject.send(1)
    #expect(received == [1, 2, 3, 4])
    cancellable.cancel()
  }

  @Test(.exits) func `a negative buffer size stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = ReplaySubject<Int, Never>(bufferSize: -1)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("ReplaySubject(bufferSize:) requires a size of at least 0, got -1."))
  }
}
