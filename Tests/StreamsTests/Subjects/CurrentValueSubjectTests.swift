import Streams
import Testing

struct CurrentValueSubjectTests {
  private let subject = CurrentValueSubject<Int, TestError>(0)

  @Test func `starts every subscriber with the current value`() {
    let first = record(subject)
    subject.send(1)
    let second = record(subject)
    #expect(first.log == ["0", "1"])
    #expect(second.log == ["1"])
  }

  @Test func `has the current value, which can be set`() {
    let recorder = record(subject)
    subject.value = 1
    #expect(subject.value == 1)
    subject.send(2)
    #expect(subject.value == 2)
    #expect(recorder.log == ["0", "1", "2"])
  }

  @Test func `has the value that is being delivered`() {
    var seen: [Int] = []
    let cancellable = subject.sink(receiveCompletion: { _ in }, receiveValue: { _ in seen.append(subject.value) })
    subject.value = 1
    #expect(seen == [0, 1])
    cancellable.cancel()
  }

  @Test func `keeps the latest value for a subscriber without demand`() {
    let recorder = record(subject, .none)
    subject.send(1)
    subject.send(2)
    #expect(recorder.log == [])
    recorder.request(.max(1))
    #expect(recorder.log == ["2"])
    recorder.request(.max(2))
    #expect(recorder.log == ["2"])
    subject.send(3)
    subject.send(4)
    #expect(recorder.log == ["2", "3", "4"])
  }

  @Test func `keeps a value that arrives after the demand is used up`() {
    let recorder = record(subject, .max(1))
    subject.send(1)
    subject.send(2)
    #expect(recorder.log == ["0"])
    recorder.request(.unlimited)
    #expect(recorder.log == ["0", "2"])
  }

  @Test func `delivers no value twice`() {
    let recorder = record(subject, .max(1))
    recorder.request(.max(5))
    #expect(recorder.log == ["0"])
  }

  @Test func `a value sent while another is being delivered comes after it, for every subscriber`() {
    let first = SignalRecorder<Int, TestError>()
    first.onValue = { value in
      if value == 1 { subject.send(2) }
      return .none
    }
    subject.subscribe(first)
    let second = record(subject)
    subject.send(1)
    #expect(first.log == ["0", "1", "2"])
    #expect(second.log == ["0", "1", "2"])
    #expect(subject.value == 2)
  }

  @Test func `a value sent while the first is being delivered comes after it`() {
    let recorder = SignalRecorder<Int, TestError>()
    recorder.onValue = { value in
      if value == 0 { subject.send(1) }
      return .none
    }
    subject.subscribe(recorder)
    #expect(recorder.log == ["0", "1"])
  }

  @Test func `serves subscribers in the order in which they subscribed, unlike Combine`() {
    var order: [Int] = []
    let cancellables = (0..<50).map { number in subject.replaceError(with: 0).sink { _ in order.append(number) } }
    order = []
    subject.send(1)
    #expect(order == Array(0..<50))
    withExtendedLifetime(cancellables) {}
  }

  @Test func `delivers the completion and no value to a late subscriber`() {
    subject.send(completion: .finished)
    #expect(record(subject).log == ["finished"])
  }

  @Test func `keeps its value after its completion`() {
    subject.send(1)
    subject.send(completion: .finished)
    subject.send(2)
    #expect(subject.value == 1)
  }

  @Test func `completes without demand`() {
    let recorder = record(subject, .none)
    subject.send(completion: .failure(.first))
    #expect(recorder.log == ["first"])
  }

  @Test func `publishes the values of a publisher to which it subscribes`() {
    let recorder = record(subject)
    let cancellable = [1, 2].publisher.setFailureType(to: TestError.self).subscribe(subject)
    #expect(recorder.log == ["0", "1", "2", "finished"])
    #expect(subject.value == 2)
    cancellable.cancel()
  }

  @Test func `delivers nothing after cancellation`() {
    let recorder = record(subject)
    recorder.cancel()
    subject.send(1)
    #expect(recorder.log == ["0"])
  }

  @Test func `a subscriber can cancel while the first value is being delivered`() {
    #expect(log(subject.first()) == ["0", "finished"])
    subject.send(1)
    #expect(log(subject.prefix(1)) == ["1", "finished"])
  }

  @Test func `adds the demand that receive(_:) returns`() {
    let recorder = SignalRecorder<Int, TestError>(.max(1))
    recorder.onValue = { $0 == 0 ? .max(1) : .none }
    subject.subscribe(recorder)
    subject.send(1)
    subject.send(2)
    #expect(recorder.log == ["0", "1"])
  }

  @Test func `requests unlimited demand as soon as it subscribes to a publisher, and so is never stale`() {
    let source = ManualSource<Int, TestError>()
    let attachment = source.subscribe(subject)
    #expect(source.requests == [.unlimited])
    source.send(1)
    #expect(subject.value == 1)

    #expect(record(subject).log == ["1"])
    #expect(source.requests == [.unlimited])
    attachment.cancel()
    #expect(source.cancelCount == 1)
  }

  @Test func `requests unlimited demand from every publisher to which it subscribes`() {
    let sources = (0..<3).map { _ in ManualSource<Int, TestError>() }
    let attachments = sources.map { $0.subscribe(subject) }
    AnySubscriber(subject).receive(subscription: sources[0].subscription)
    #expect(sources[0].requests == [.unlimited, .unlimited])
    #expect(sources[1].requests == [.unlimited])
    #expect(sources[2].requests == [.unlimited])
    withExtendedLifetime(attachments) {}
  }

  @Test func `requests nothing when it subscribes after its completion`() {
    let source = ManualSource<Int, TestError>()
    subject.send(completion: .finished)
    let attachment = source.subscribe(subject)
    #expect(source.requests == [])
    #expect(source.cancelCount == 1)
    attachment.cancel()
  }

  @Test func `keeps a value that is set after its completion, and does not deliver it`() {
    let recorder = record(subject)
    subject.send(completion: .finished)
    subject.value = 1
    #expect(subject.value == 1)
    subject.send(2)
    #expect(subject.value == 1)
    subject.value = 3
    #expect(subject.value == 3)
    #expect(recorder.log == ["0", "finished"])
    #expect(record(subject).log == ["finished"])
  }

  @Test func `does not deliver a value that is set between the completion and its delivery`() {
    let first = SignalRecorder<Int, TestError>()
    let late = SignalRecorder<Int, TestError>(.none)
    first.onValue = { value in
      if value == 1 {
        subject.send(completion: .finished)
        subject.value = 2
        late.request(.unlimited)
      }
      return .none
    }
    subject.subscribe(first)
    subject.subscribe(late)
    subject.send(1)
    #expect(first.log == ["0", "1", "finished"])
    #expect(!late.log.contains("2"))
    #expect(late.log.last == "finished")
    #expect(subject.value == 2)
  }
}
