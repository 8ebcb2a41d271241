import Streams
import Testing

struct ConcatenateTests {
  private let first = ManualSource<Int, TestError>()
  private let second = ManualSource<Int, TestError>()

  @Test func `append takes values, a sequence or a publisher`() {
    #expect(log([1].publisher.append(2, 3)) == ["1", "2", "3", "finished"])
    #expect(log([1].publisher.append(2...3)) == ["1", "2", "3", "finished"])
    #expect(log([1].publisher.append(Just(2))) == ["1", "2", "finished"])
  }

  @Test func `prepend takes values, a sequence or a publisher`() {
    #expect(log([3].publisher.prepend(1, 2)) == ["1", "2", "3", "finished"])
    #expect(log([3].publisher.prepend(1...2)) == ["1", "2", "3", "finished"])
    #expect(log([3].publisher.prepend(Just(2))) == ["2", "3", "finished"])
  }

  @Test func `subscribes to the second only when the first has finished`() {
    let recorder = record(first.append(second))
    first.send(1)
    #expect(second.subscriberCount == 0)
    first.finish()
    #expect(second.subscriberCount == 1)
    second.send(2)
    second.finish()
    #expect(recorder.log == ["1", "2", "finished"])
  }

  @Test func `fails with the first and never subscribes to the second`() {
    let recorder = record(first.append(second))
    first.fail(.first)
    #expect(recorder.log == ["first"])
    #expect(second.subscriberCount == 0)
  }

  @Test func `fails with the second`() {
    let recorder = record(first.append(second))
    first.finish()
    second.fail(.second)
    #expect(recorder.log == ["second"])
  }

  @Test func `carries outstanding demand over to the second`() {
    let recorder = record(first.append(second), .max(3))
    first.send(1)
    first.finish()
    #expect(second.demand == 2)
    recorder.request(.max(1))
    #expect(second.demand == 3)
    #expect(first.demand == 3)
  }

  @Test func `adds the demand that receive(_:) returns`() {
    let recorder = SignalRecorder<Int, TestError>(.max(1))
    recorder.onValue = { _ in .max(2) }
    first.append(second).subscribe(recorder)
    first.send(1)
    #expect(first.demand == 3)
  }

  @Test func `requests nothing from the second without outstanding demand`() {
    let recorder = record([1].publisher.append(2, 3), .max(1))
    #expect(recorder.log == ["1"])
    recorder.request(.max(1))
    #expect(recorder.log == ["1", "2"])
  }

  @Test func `cancels the current publisher`() {
    record(first.append(second)).cancel()
    #expect(first.cancelCount == 1)
    let recorder = record(first.append(second))
    first.finish()
    recorder.cancel()
    #expect(first.cancelCount == 1)
    #expect(second.cancelCount == 1)
  }

  @Test func `never subscribes to the second when it is cancelled while a value of the first is being delivered`() {
    let recorder = SignalRecorder<Int, Never>()
    recorder.onValue = { _ in
      recorder.cancel()
      return .none
    }
    let second = ManualSource<Int, Never>()
    [1].publisher.append(second).subscribe(recorder)
    #expect(recorder.log == ["1"])
    #expect(second.subscriberCount == 0)
  }

  @Test func `twenty thousand erased appends run and are released without growing the stack`() {
    var publisher = Just(1).eraseToAnyPublisher()
    for _ in 1...20_000 { publisher = publisher.append(Empty()).eraseToAnyPublisher() }
    #expect(log(publisher) == ["1", "finished"])
  }

  @Test func `twenty thousand erased prepends run and are released without growing the stack`() {
    var publisher = Just(1).eraseToAnyPublisher()
    for _ in 1...20_000 { publisher = publisher.prepend(Empty()).eraseToAnyPublisher() }
    #expect(log(publisher) == ["1", "finished"])
  }

  @Test func `twenty thousand erased appends are cancelled without growing the stack`() {
    let source = ManualSource<Int, Never>()
    var publisher = source.eraseToAnyPublisher()
    for _ in 1...20_000 { publisher = publisher.append(Empty()).eraseToAnyPublisher() }
    let recorder = record(publisher)
    source.send(1)
    recorder.cancel()
    #expect(recorder.log == ["1"])
    #expect(source.cancelCount == 1)
  }

  @Test func `is stopped from downstream while the second is infinite`() {
    #expect(log([0].publisher.append((1...).publisher).prefix(3)) == ["0", "1", "2", "finished"])
  }
}
