import Streams
import Testing

struct AutoconnectTests {
  private let source = ManualSource<Int, TestError>()

  @Test func `connects for the first subscriber, after that is attached`() {
    let recorder = record([1, 2].publisher.multicast(subject: PassthroughSubject()).autoconnect())
    #expect(recorder.log == ["1", "2", "finished"])
  }

  @Test func `connects once for several subscribers and disconnects after the last`() {
    let publisher = source.multicast(subject: PassthroughSubject()).autoconnect()
    let first = record(publisher)
    let second = record(publisher)
    #expect(source.subscriberCount == 1)
    first.cancel()
    #expect(source.cancelCount == 0)
    second.cancel()
    #expect(source.cancelCount == 1)
  }

  @Test func `connects again after the last subscriber has left`() {
    let publisher = source.multicast(subject: PassthroughSubject()).autoconnect()
    record(publisher).cancel()
    let recorder = record(publisher)
    source.send(1)
    #expect(source.subscriberCount == 2)
    #expect(recorder.log == ["1"])
  }

  @Test func `disconnects when the first subscriber cancels from inside the first value`() {
    var isCancelled = false
    let publisher = [1, 2, 3].publisher.handleEvents(receiveCancel: { isCancelled = true })
      .multicast(subject: PassthroughSubject()).autoconnect()
    let recorder = Recorder<Int, Never>()
    recorder.onValue = { _ in
      recorder.cancel()
      return .none
    }
    publisher.subscribe(recorder)
    #expect(recorder.log == ["1"])
    #expect(isCancelled)
  }

  @Test func `disconnects when the first subscriber cancels from inside its subscription`() {
    let publisher = source.multicast(subject: PassthroughSubject()).autoconnect()
    let recorder = Recorder<Int, TestError>(.none)
    recorder.onSubscription = { $0.cancel() }
    publisher.subscribe(recorder)
    #expect(source.cancelCount == source.subscriberCount)

    let next = record(publisher)
    source.send(1)
    #expect(next.log == ["1"])
  }

  @Test func `a connection of another kind is ended by the first subscriber that leaves early`() {
    final class Connectable: ConnectablePublisher {
      typealias Output = Int
      typealias Failure = Never
      let subject = PassthroughSubject<Int, Never>()
      var connections: [String] = []

      func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
        subject.subscribe(subscriber)
      }

      func connect() -> any Cancellable {
        connections.append("begin")
        subject.send(1)
        return AnyCancellable { self.connections.append("end") }
      }
    }
    let connectable = Connectable()
    let recorder = Recorder<Int, Never>()
    recorder.onValue = { _ in
      recorder.cancel()
      return .none
    }
    connectable.autoconnect().subscribe(recorder)
    #expect(recorder.log == ["1"])
    #expect(connectable.connections == ["begin", "end"])
  }

  @Test func `connects again for a subscriber that comes when the first leaves from inside the first value`() {
    var attached = 0
    let publisher = Deferred { () -> Publishers.Sequence<[Int], Never> in
      attached += 1
      return [1, 2, 3].publisher
    }.multicast(subject: PassthroughSubject()).autoconnect()
    let second = Recorder<Int, Never>()
    let first = Recorder<Int, Never>()
    first.onValue = { _ in
      first.cancel()
      publisher.subscribe(second)
      return .none
    }
    publisher.subscribe(first)
    #expect(first.log == ["1"])
    #expect(second.log == ["1", "2", "3", "finished"])
    #expect(attached == 2)
  }
}
