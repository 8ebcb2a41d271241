import Streams
import Testing

struct SinkTests {
  private let source = ManualSource<Int, TestError>()

  @Test func `asks for everything and calls its closures`() {
    var log: [String] = []
    let cancellable = source.sink {
      log.append("\($0)")
    } receiveValue: {
      log.append("\($0)")
    }
    #expect(source.requests == [.unlimited])
    source.send(1)
    source.finish()
    #expect(log == ["1", "finished"])
    cancellable.cancel()
  }

  @Test func `needs no closure for the end of a publisher that cannot fail`() {
    var values: [Int] = []
    _ = [1, 2].publisher.sink { values.append($0) }
    #expect(values == [1, 2])
  }

  @Test func `calls nothing after cancellation, or when the cancellable is let go of`() {
    source.ignoresCancellation = true
    var count = 0
    source.sink { _ in
      count += 1
    } receiveValue: { _ in
      count += 1
    }.cancel()
    source.send(1)
    source.finish()
    #expect(count == 0)
    #expect(source.cancelCount == 1)

    do {
      _ = source.sink { _ in
      } receiveValue: { _ in
      }
    }
    #expect(source.cancelCount == 2)
  }

  @Test func `calls nothing after the end`() {
    source.ignoresCancellation = true
    var log: [String] = []
    let cancellable = source.sink {
      log.append("\($0)")
    } receiveValue: {
      log.append("\($0)")
    }
    source.finish()
    source.send(1)
    source.finish()
    #expect(log == ["finished"])
    cancellable.cancel()
    #expect(source.cancelCount == 0)
  }

  @Test func `cancels a second subscription`() {
    let sink = Subscribers.Sink<Int, TestError>(receiveCompletion: { _ in }, receiveValue: { _ in })
    let second = ManualSource<Int, TestError>()
    source.subscribe(sink)
    second.subscribe(sink)
    #expect(second.cancelCount == 1)
    #expect(second.requests == [])
    #expect(source.cancelCount == 0)
  }

  @Test func `remembers a cancellation that comes before the subscription, other than Combine`() {
    let sink = Subscribers.Sink<Int, TestError>(receiveCompletion: { _ in }, receiveValue: { _ in })
    sink.cancel()
    source.subscribe(sink)
    #expect(source.cancelCount == 1)
    #expect(source.requests == [])
  }

  @Test func `describes itself`() {
    #expect("\(Subscribers.Sink<Int, Never>(receiveCompletion: { _ in }, receiveValue: { _ in }))" == "Sink")
  }

  @Test func `is not kept alive by its cancellable`() {
    weak var released: TestObject?
    let subject = PassthroughSubject<Int, Never>()
    let cancellable: AnyCancellable
    do {
      let object = TestObject()
      released = object
      cancellable = subject.sink { [object] _ in _ = object }
    }
    #expect(released != nil)
    subject.send(completion: .finished)
    #expect(released == nil)
    withExtendedLifetime(cancellable) {}
  }
}
