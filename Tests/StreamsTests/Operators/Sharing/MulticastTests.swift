import Streams
import Testing

struct MulticastTests {
  private let source = ManualSource<Int, TestError>()

  @Test func `sends nothing before it is connected`() {
    let multicast = [1, 2].publisher.multicast(subject: PassthroughSubject())
    let first = record(multicast)
    let second = record(multicast)
    #expect(first.log == [])

    let connection = multicast.connect()
    #expect(first.log == ["1", "2", "finished"])
    #expect(second.log == ["1", "2", "finished"])
    connection.cancel()
  }

  @Test func `makes its subject once, when somebody needs it`() {
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

  @Test func `cancelling the connection cancels upstream and leaves the subscribers attached`() {
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

  @Test func `releasing the connection ends it`() {
    let multicast = source.multicast(subject: PassthroughSubject())
    record(multicast)
    do { _ = multicast.connect() }
    #expect(source.cancelCount == 1)
  }

  @Test func `replays through a subject with a current value`() {
    let subject = CurrentValueSubject<Int, TestError>(0)
    let multicast = source.multicast(subject: subject)
    let recorder = record(multicast)
    let connection = multicast.connect()
    source.send(1)
    #expect(recorder.log == ["0", "1"])
    #expect(subject.value == 1)
    connection.cancel()
  }

  @Test func `keeps a subject with a current value up to date, also when nobody has subscribed`() {
    let subject = CurrentValueSubject<Int, TestError>(0)
    let connection = source.multicast(subject: subject).connect()
    #expect(source.requests == [.unlimited])
    source.send(1)
    #expect(subject.value == 1)
    connection.cancel()
  }
}
