import Streams
import Testing

struct CurrentValueSubjectTests {
  private let subject = CurrentValueSubject<Int, TestError>(0)

  @Test func `starts every subscriber with the newest value`() {
    let first = record(subject)
    subject.send(1)
    let second = record(subject)
    #expect(first.log == ["0", "1"])
    #expect(second.log == ["1"])
  }

  @Test func `has the newest value, which may be set`() {
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

  @Test func `keeps the newest value for a subscriber that wants none`() {
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

  @Test func `keeps the value that comes while nothing is wanted any more`() {
    let recorder = record(subject, .max(1))
    subject.send(1)
    subject.send(2)
    #expect(recorder.log == ["0"])
    recorder.request(.unlimited)
    #expect(recorder.log == ["0", "2"])
  }

  @Test func `sends no value twice`() {
    let recorder = record(subject, .max(1))
    recorder.request(.max(5))
    #expect(recorder.log == ["0"])
  }

  @Test func `a value that is set from inside a value comes after it, and nobody keeps a stale one`() {
    let first = Recorder<Int, TestError>()
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

  @Test func `a value that is set from inside the first one comes after it`() {
    let recorder = Recorder<Int, TestError>()
    recorder.onValue = { value in
      if value == 0 { subject.send(1) }
      return .none
    }
    subject.subscribe(recorder)
    #expect(recorder.log == ["0", "1"])
  }

  @Test func `serves subscribers in the order in which they subscribed, other than Combine`() {
    var order: [Int] = []
    let cancellables = (0..<50).map { number in subject.replaceError(with: 0).sink { _ in order.append(number) } }
    order = []
    subject.send(1)
    #expect(order == Array(0..<50))
    withExtendedLifetime(cancellables) {}
  }

  @Test func `gives a late subscriber the completion and no value`() {
    subject.send(completion: .finished)
    #expect(record(subject).log == ["finished"])
  }

  @Test func `keeps its value after its end`() {
    subject.send(1)
    subject.send(completion: .finished)
    subject.send(2)
    #expect(subject.value == 1)
  }

  @Test func `does not wait for demand with its end`() {
    let recorder = record(subject, .none)
    subject.send(completion: .failure(.first))
    #expect(recorder.log == ["first"])
  }

  @Test func `takes what an attached publisher sends`() {
    let recorder = record(subject)
    let cancellable = [1, 2].publisher.setFailureType(to: TestError.self).subscribe(subject)
    #expect(recorder.log == ["0", "1", "2", "finished"])
    #expect(subject.value == 2)
    cancellable.cancel()
  }

  @Test func `sends nothing after cancellation`() {
    let recorder = record(subject)
    recorder.cancel()
    subject.send(1)
    #expect(recorder.log == ["0"])
  }

  @Test func `may be left from inside the first value`() {
    #expect(log(subject.first()) == ["0", "finished"])
    subject.send(1)
    #expect(log(subject.prefix(1)) == ["1", "finished"])
  }

  @Test func `counts the demand that values are answered with`() {
    let recorder = Recorder<Int, TestError>(.max(1))
    recorder.onValue = { $0 == 0 ? .max(1) : .none }
    subject.subscribe(recorder)
    subject.send(1)
    subject.send(2)
    #expect(recorder.log == ["0", "1"])
  }

  @Test func `asks a publisher for everything as soon as it is attached, and so is never stale`() {
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

  @Test func `asks every publisher that it is attached to for everything`() {
    let sources = (0..<3).map { _ in ManualSource<Int, TestError>() }
    let attachments = sources.map { $0.subscribe(subject) }
    AnySubscriber(subject).receive(subscription: sources[0].subscription)
    #expect(sources[0].requests == [.unlimited, .unlimited])
    #expect(sources[1].requests == [.unlimited])
    #expect(sources[2].requests == [.unlimited])
    withExtendedLifetime(attachments) {}
  }

  @Test func `asks for nothing when it is attached after its end`() {
    let source = ManualSource<Int, TestError>()
    subject.send(completion: .finished)
    let attachment = source.subscribe(subject)
    #expect(source.requests == [])
    #expect(source.cancelCount == 1)
    attachment.cancel()
  }

  @Test func `keeps a value that is assigned after its end, and sends it to nobody`() {
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

  @Test func `sends nobody a value that is assigned between its end and the delivery of that`() {
    let first = Recorder<Int, TestError>()
    let late = Recorder<Int, TestError>(.none)
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
