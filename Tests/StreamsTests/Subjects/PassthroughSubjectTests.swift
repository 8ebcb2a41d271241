import Dispatch
import Streams
import Synchronization
import Testing

struct PassthroughSubjectTests {
  private let subject = PassthroughSubject<Int, TestError>()

  @Test func `publishes values that are sent`() {
    let recorder = record(subject)
    subject.send(1)
    subject.send(2)
    subject.send(completion: .finished)
    #expect(recorder.log == ["1", "2", "finished"])
  }

  @Test func `replays nothing to a later subscriber`() {
    subject.send(1)
    let recorder = record(subject)
    subject.send(2)
    #expect(recorder.log == ["2"])
  }

  @Test func `serves subscribers in the order in which they subscribed, unlike Combine`() {
    var order: [Int] = []
    let cancellables = (0..<100).map { number in
      subject.sink(receiveCompletion: { _ in order.append(-number) }, receiveValue: { _ in order.append(number) })
    }
    subject.send(1)
    #expect(order == Array(0..<100))
    order = []
    subject.send(completion: .finished)
    #expect(order == (0..<100).map { -$0 })
    withExtendedLifetime(cancellables) {}
  }

  @Test func `keeps the order when subscribers come and go`() {
    var order: [Int] = []
    var cancellables = (0..<40).map { number in subject.replaceError(with: 0).sink { _ in order.append(number) } }
    for number in stride(from: 38, through: 0, by: -2) { cancellables.remove(at: number).cancel() }
    cancellables.append(subject.replaceError(with: 0).sink { _ in order.append(40) })
    subject.send(1)
    #expect(order == Array(stride(from: 1, through: 39, by: 2)) + [40])
  }

  @Test func `drops a value for a subscriber without demand`() {
    let recorder = record(subject, .max(1))
    subject.send(1)
    subject.send(2)
    recorder.request(.max(1))
    subject.send(3)
    #expect(recorder.log == ["1", "3"])
  }

  @Test func `adds the demand that receive(_:) returns`() {
    let recorder = SignalRecorder<Int, TestError>(.max(1))
    recorder.onValue = { $0 == 1 ? .max(1) : .none }
    subject.subscribe(recorder)
    for value in 1...3 { subject.send(value) }
    #expect(recorder.log == ["1", "2"])
  }

  @Test func `the completion does not wait for demand`() {
    let recorder = record(subject, .none)
    subject.send(completion: .failure(.first))
    #expect(recorder.log == ["first"])
  }

  @Test func `a value sent while another is being delivered comes after it for every subscriber, unlike Combine`() {
    let first = SignalRecorder<Int, TestError>()
    first.onValue = { value in
      if value == 1 { subject.send(2) }
      return .none
    }
    subject.subscribe(first)
    let second = record(subject)
    subject.send(1)
    #expect(first.log == ["1", "2"])
    #expect(second.log == ["1", "2"])
  }

  @Test func `a completion sent while a value is being delivered comes after it for every subscriber`() {
    let first = SignalRecorder<Int, TestError>()
    first.onValue = { _ in
      subject.send(completion: .finished)
      subject.send(2)
      return .none
    }
    subject.subscribe(first)
    let second = record(subject)
    subject.send(1)
    #expect(first.log == ["1", "finished"])
    #expect(second.log == ["1", "finished"])
  }

  @Test func `twenty thousand values sent during each other's delivery run without growing the stack`() {
    let recorder = SignalRecorder<Int, TestError>()
    recorder.onValue = { value in
      if value < 20_000 { subject.send(value + 1) }
      return .none
    }
    subject.subscribe(recorder)
    subject.send(1)
    #expect(recorder.values.count == 20_000)
  }

  @Test func `ignores signals after its completion`() {
    let recorder = record(subject)
    subject.send(completion: .failure(.first))
    subject.send(1)
    subject.send(completion: .finished)
    #expect(recorder.log == ["first"])
  }

  @Test func `sends a subscription and the completion to a late subscriber`() {
    subject.send(completion: .failure(.first))
    let recorder = record(subject, .none)
    #expect(recorder.subscriptions.count == 1)
    #expect(recorder.log == ["first"])
  }

  @Test func `delivers nothing to a cancelled subscriber, even during a delivery`() {
    let second = SignalRecorder<Int, TestError>()
    let first = SignalRecorder<Int, TestError>()
    first.onValue = { _ in
      second.cancel()
      return .none
    }
    subject.subscribe(first)
    subject.subscribe(second)
    subject.send(1)
    #expect(first.log == ["1"])
    #expect(second.log == [])
  }

  @Test func `a subscriber that arrives during a delivery receives the next value`() {
    var late: SignalRecorder<Int, TestError>?
    let first = SignalRecorder<Int, TestError>()
    first.onValue = { _ in
      if late == nil { late = record(subject) }
      return .none
    }
    subject.subscribe(first)
    subject.send(1)
    subject.send(2)
    #expect(late?.log == ["2"])
  }

  // MARK: Upstream

  @Test func `requests unlimited demand from a publisher on the first request of a subscriber`() {
    let source = ManualSource<Int, TestError>()
    let cancellable = source.subscribe(subject)
    #expect(source.requests == [])
    let recorder = record(subject, .none)
    #expect(source.requests == [])
    recorder.request(.max(1))
    #expect(source.requests == [.unlimited])
    record(subject)
    #expect(source.requests == [.unlimited])
    source.send(1)
    source.finish()
    #expect(recorder.log == ["1", "finished"])
    cancellable.cancel()
  }

  @Test func `requests unlimited demand from a later publisher at once`() {
    record(subject)
    let source = ManualSource<Int, TestError>()
    let cancellable = source.subscribe(subject)
    #expect(source.requests == [.unlimited])
    cancellable.cancel()
    #expect(source.cancelCount == 1)
  }

  @Test func `cancels a publisher to which it subscribes after its completion`() {
    subject.send(completion: .finished)
    let source = ManualSource<Int, TestError>()
    let cancellable = source.subscribe(subject)
    #expect(source.cancelCount == 1)
    cancellable.cancel()
  }

  @Test func `subscribes through send(subscription:)`() {
    let source = ManualSource<Int, TestError>()
    let sender = SignalRecorder<Int, TestError>(.none)
    sender.onSubscription = { subject.send(subscription: $0) }
    source.subscribe(sender)
    record(subject)
    #expect(source.requests == [.unlimited])
  }

  @Test func `cancels its upstream subscriptions when it is released`() {
    let source = ManualSource<Int, TestError>()
    do {
      let subject = PassthroughSubject<Int, TestError>()
      let sender = SignalRecorder<Int, TestError>(.none)
      sender.onSubscription = { [unowned subject] in subject.send(subscription: $0) }
      source.subscribe(sender)
    }
    #expect(source.cancelCount == 1)
  }

  @Test func `sends events without a value`() {
    let subject = PassthroughSubject<Void, Never>()
    var count = 0
    let cancellable = subject.sink { count += 1 }
    subject.send()
    #expect(count == 1)
    cancellable.cancel()
  }

  @Test func `delivers values of many threads one after another`() {
    let subject = PassthroughSubject<Int, Never>()
    nonisolated(unsafe) var values: [Int] = []
    let inside = Atomic(0)
    nonisolated(unsafe) var overlaps = 0
    let cancellable = subject.sink {
      if inside.add(1, ordering: .relaxed).newValue != 1 { overlaps += 1 }
      values.append($0)
      inside.subtract(1, ordering: .relaxed)
    }
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for number in 0..<1_000 { subject.send(thread * 1_000 + number) }
    }
    #expect(overlaps == 0)
    #expect(values.count == 4_000)
    for thread in 0..<4 {
      let own = values.filter { $0 / 1_000 == thread }
      #expect(own == own.sorted())
    }
    cancellable.cancel()
  }

  @Test func `delivers its completion to a subscriber that arrives during the completion`() {
    var late: SignalRecorder<Int, TestError>?
    let first = SignalRecorder<Int, TestError>()
    first.onCompletion = { late = record(subject) }
    subject.subscribe(first)
    subject.send(completion: .failure(.first))
    #expect(late?.log == ["first"])
  }

  @Test func `stays open when an upstream subscription is cancelled`() {
    let source = ManualSource<Int, TestError>()
    source.ignoresCancellation = true
    let recorder = record(subject)
    source.subscribe(subject).cancel()
    source.send(1)
    source.finish()
    subject.send(2)
    #expect(recorder.log == ["2"])
  }
}
