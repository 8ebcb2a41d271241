import Streams
import Testing

struct AutoconnectTests {
  private let source = ManualSource<Int, TestError>()

  @Test func `connects after the first subscriber has subscribed`() {
    let recorder = record([1, 2].publisher.multicast(subject: PassthroughSubject()).autoconnect())
    #expect(recorder.log == ["1", "2", "finished"])
  }

  @Test func `connects once for several subscribers and disconnects after the last has cancelled`() {
    let publisher = source.multicast(subject: PassthroughSubject()).autoconnect()
    let first = record(publisher)
    let second = record(publisher)
    #expect(source.subscriberCount == 1)
    first.cancel()
    #expect(source.cancelCount == 0)
    second.cancel()
    #expect(source.cancelCount == 1)
  }

  @Test func `connects again after the last subscriber has cancelled`() {
    let publisher = source.multicast(subject: PassthroughSubject()).autoconnect()
    record(publisher).cancel()
    let recorder = record(publisher)
    source.send(1)
    #expect(source.subscriberCount == 2)
    #expect(recorder.log == ["1"])
  }

  @Test func `disconnects when the first subscriber cancels while the first value is being delivered`() {
    var isCancelled = false
    let publisher = [1, 2, 3].publisher.handleEvents(receiveCancel: { isCancelled = true })
      .multicast(subject: PassthroughSubject()).autoconnect()
    let recorder = SignalRecorder<Int, Never>()
    recorder.onValue = { _ in
      recorder.cancel()
      return .none
    }
    publisher.subscribe(recorder)
    #expect(recorder.log == ["1"])
    #expect(isCancelled)
  }

  @Test func `disconnects when the first subscriber cancels in receive(subscription:)`() {
    let publisher = source.multicast(subject: PassthroughSubject()).autoconnect()
    let recorder = SignalRecorder<Int, TestError>(.none)
    recorder.onSubscription = { $0.cancel() }
    publisher.subscribe(recorder)
    #expect(source.cancelCount == source.subscriberCount)

    let next = record(publisher)
    source.send(1)
    #expect(next.log == ["1"])
  }

  @Test func `a custom connectable is disconnected when the first subscriber cancels during connect()`() {
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
    let recorder = SignalRecorder<Int, Never>()
    recorder.onValue = { _ in
      recorder.cancel()
      return .none
    }
    connectable.autoconnect().subscribe(recorder)
    #expect(recorder.log == ["1"])
    #expect(connectable.connections == ["begin", "end"])
  }

  @Test(arguments: [false, true])
  func `cancels a connection, and does not only release it`(duringConnect: Bool) {
    final class Connectable: ConnectablePublisher {
      final class Plug: Cancellable {
        var cancelCount = 0
        func cancel() { cancelCount += 1 }
      }
      typealias Output = Int
      typealias Failure = Never
      let subject = PassthroughSubject<Int, Never>()
      let plug = Plug()

      func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
        subject.subscribe(subscriber)
      }

      func connect() -> any Cancellable {
        subject.send(1)
        return plug
      }
    }
    let connectable = Connectable()
    let recorder = SignalRecorder<Int, Never>()
    recorder.onValue = { _ in
      if duringConnect { recorder.cancel() }
      return .none
    }
    connectable.autoconnect().subscribe(recorder)
    #expect(connectable.plug.cancelCount == (duringConnect ? 1 : 0))
    recorder.cancel()
    #expect(connectable.plug.cancelCount == 1)
  }

  @Test func `connects again for a subscriber that arrives as the first cancels in the first delivery`() {
    var attached = 0
    let publisher = Deferred { () -> Publishers.Sequence<[Int], Never> in
      attached += 1
      return [1, 2, 3].publisher
    }.multicast(subject: PassthroughSubject()).autoconnect()
    let second = SignalRecorder<Int, Never>()
    let first = SignalRecorder<Int, Never>()
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

  @Test(arguments: [true, false])
  func `does not connect again after the completion`(_ fails: Bool) {
    let publisher = source.multicast(subject: PassthroughSubject()).autoconnect()
    record(publisher).cancel()
    let recorder = record(publisher)
    #expect(source.subscriberCount == 2)
    if fails { source.fail(.first) } else { source.finish() }
    #expect(record(publisher).log == recorder.log)
    #expect(source.subscriberCount == 2)
  }

  @Test func `does not connect when the subject has already completed`() {
    let subject = PassthroughSubject<Int, TestError>()
    let publisher = source.multicast(subject: subject).autoconnect()
    subject.send(completion: .finished)
    #expect(record(publisher).log == ["finished"])
    #expect(source.subscriberCount == 0)
  }

  @Test func `does not connect for a subscriber that cancels in receive(subscription:)`() {
    let publisher = source.multicast(subject: PassthroughSubject()).autoconnect()
    let recorder = SignalRecorder<Int, TestError>(.none)
    recorder.onSubscription = { $0.cancel() }
    publisher.subscribe(recorder)
    #expect(recorder.subscription != nil)
    #expect(source.subscriberCount == 0)
  }

  /// Subscribes every subscriber to a separate source, and counts its connections.
  private final class Connectable: ConnectablePublisher {
    typealias Output = Int
    typealias Failure = TestError
    private(set) var sources: [ManualSource<Int, TestError>] = []
    private(set) var log: [String] = []

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == TestError {
      let source = ManualSource<Int, TestError>()
      source.ignoresCancellation = true
      sources.append(source)
      source.subscribe(subscriber)
    }

    func connect() -> any Cancellable {
      log.append("begin")
      return AnyCancellable { [unowned self] in log.append("end") }
    }
  }

  @Test func `delivers nothing after completion or cancellation, even if the publisher continues`() {
    let connectable = Connectable()
    let publisher = connectable.autoconnect()
    let first = record(publisher)
    let second = record(publisher)
    for source in connectable.sources { source.send(1) }
    connectable.sources[0].finish()
    second.cancel()
    for source in connectable.sources {
      source.send(2)
      source.finish()
      source.fail(.first)
    }
    #expect(first.log == ["1", "finished"])
    #expect(second.log == ["1"])
  }

  @Test func `disconnects when all subscribers have completed or cancelled`() {
    let connectable = Connectable()
    let publisher = connectable.autoconnect()
    record(publisher)
    let second = record(publisher)
    connectable.sources[0].finish()
    #expect(connectable.log == ["begin"])
    second.cancel()
    #expect(connectable.log == ["begin", "end"])
    record(publisher)
    #expect(connectable.log == ["begin", "end"])
  }
}
