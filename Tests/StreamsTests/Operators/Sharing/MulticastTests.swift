import Streams
import Testing

struct MulticastTests {
  private let source = ManualSource<Int, TestError>()

  @Test func `publishes nothing before connect()`() {
    let multicast = [1, 2].publisher.multicast(subject: PassthroughSubject())
    let first = record(multicast)
    let second = record(multicast)
    #expect(first.log == [])

    let connection = multicast.connect()
    #expect(first.log == ["1", "2", "finished"])
    #expect(second.log == ["1", "2", "finished"])
    connection.cancel()
  }

  @Test func `creates its subject once, on first use`() {
    var count = 0
    let multicast = source.multicast { () -> PassthroughSubject<Int, TestError> in
      count += 1
      return PassthroughSubject()
    }
    #expect(count == 0)
    record(multicast)
    record(multicast)
    let connection = multicast.connect()
    #expect(count == 1)
    connection.cancel()
  }

  @Test func `cancelling the connection cancels upstream and keeps the subscribers`() {
    let multicast = source.multicast(subject: PassthroughSubject())
    let recorder = record(multicast)
    multicast.connect().cancel()
    #expect(source.cancelCount == 1)
    #expect(recorder.log == [])

    let connection = multicast.connect()
    source.send(1)
    #expect(recorder.log == ["1"])
    #expect(source.subscriberCount == 2)
    connection.cancel()
  }

  @Test func `releasing the connection cancels it`() {
    let multicast = source.multicast(subject: PassthroughSubject())
    record(multicast)
    do { _ = multicast.connect() }
    #expect(source.cancelCount == 1)
  }

  @Test func `replays the current value of a CurrentValueSubject`() {
    let subject = CurrentValueSubject<Int, TestError>(0)
    let multicast = source.multicast(subject: subject)
    let recorder = record(multicast)
    let connection = multicast.connect()
    source.send(1)
    #expect(recorder.log == ["0", "1"])
    #expect(subject.value == 1)
    connection.cancel()
  }

  @Test func `updates a CurrentValueSubject even without subscribers`() {
    let subject = CurrentValueSubject<Int, TestError>(0)
    let connection = source.multicast(subject: subject).connect()
    #expect(source.requests == [.unlimited])
    source.send(1)
    #expect(subject.value == 1)
    connection.cancel()
  }
}
