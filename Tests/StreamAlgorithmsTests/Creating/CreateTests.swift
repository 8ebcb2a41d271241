import Streams
import Synchronization
import Testing

struct CreateTests {
  /// Stores the subscribers that the closure receives, and counts how often they are stopped.
  private final class Producer {
    var subscribers: [CreatePublisher<Int, TestError>.Subscriber] = []
    var stopCount = 0

    func publisher(
      _ size: Int = 2, _ whenFull: OverflowStrategy<TestError> = .dropOldest
    ) -> CreatePublisher<Int, TestError> {
      CreatePublisher(bufferSize: size, whenFull: whenFull) { subscriber in
        self.subscribers.append(subscriber)
        return AnyCancellable { self.stopCount += 1 }
      }
    }
  }

  private let producer = Producer()

  @Test func `publishes the values that the closure sends, and stops it at the end`() {
    let recorder = record(producer.publisher())
    producer.subscribers[0].send(1)
    producer.subscribers[0].send(2)
    #expect(producer.stopCount == 0)
    producer.subscribers[0].send(completion: .finished)
    producer.subscribers[0].send(3)
    producer.subscribers[0].send(completion: .failure(.first))
    #expect(recorder.log == ["1", "2", "finished"])
    #expect(producer.stopCount == 1)
  }

  @Test func `publishes values that the closure sends before it returns`() {
    let stopped = Atomic(0)
    let create = CreatePublisher<Int, TestError>(bufferSize: 1, whenFull: .dropNewest) { subscriber in
      subscriber.send(1)
      subscriber.send(2)
      subscriber.send(completion: .failure(.first))
      return AnyCancellable { stopped.add(1, ordering: .relaxed) }
    }
    #expect(log(create) == ["1", "2", "first"])
    #expect(stopped.load(ordering: .relaxed) == 1)
  }

  @Test func `without a size, completes whatever the demand, and drops what nobody has requested`() {
    for end in [Subscribers.Completion<TestError>.finished, .failure(.first)] {
      for (demand, values) in [(Subscribers.Demand.none, []), (.max(2), [1, 2]), (.unlimited, [1, 2, 3])] {
        let stopped = Atomic(0)
        let create = CreatePublisher<Int, TestError> { subscriber in
          for value in 1...3 { subscriber.send(value) }
          subscriber.send(completion: end)
          subscriber.send(4)
          return AnyCancellable { stopped.add(1, ordering: .relaxed) }
        }
        let recorder = record(create, demand)
        #expect(recorder.values == values)
        #expect(recorder.completions == [end])
        recorder.request(.unlimited)
        #expect(recorder.values == values)
        #expect(stopped.load(ordering: .relaxed) == 1)
      }
    }
  }

  @Test func `without a size, keeps any number of values for a later request`() {
    let create = CreatePublisher<Int, Never> { subscriber in
      for value in 1...10_000 { subscriber.send(value) }
      return AnyCancellable {}
    }
    let recorder = record(create, .max(1))
    recorder.request(.unlimited)
    #expect(recorder.values == Array(1...10_000))
  }

  @Test func `calls the closure for each subscriber`() {
    let publisher = producer.publisher()
    let (first, second) = (record(publisher), record(publisher))
    producer.subscribers[0].send(1)
    producer.subscribers[1].send(2)
    #expect(first.values == [1])
    #expect(second.values == [2])
  }

  @Test func `buffers values without demand, and the completion after them`() {
    let recorder = record(producer.publisher(), .max(1))
    for value in 1...4 { producer.subscribers[0].send(value) }
    producer.subscribers[0].send(completion: .finished)
    #expect(recorder.log == ["1"])
    recorder.request(.max(2))
    #expect(recorder.log == ["1", "3", "4", "finished"])
  }

  @Test func `fails when the buffer is full, and stops the closure`() {
    let recorder = record(producer.publisher(1, .fail(.first)), .none)
    producer.subscribers[0].send(1)
    producer.subscribers[0].send(2)
    #expect(producer.stopCount == 1)
    recorder.request(.max(1))
    #expect(recorder.log == ["1", "first"])
  }

  @Test func `stops the closure once on cancellation`() {
    let recorder = record(producer.publisher())
    recorder.cancel()
    recorder.cancel()
    producer.subscribers[0].send(1)
    #expect(recorder.log == [])
    #expect(producer.stopCount == 1)
  }

  @Test func `stops the closure when it is cancelled before the closure returns`() {
    let recorder = SignalRecorder<Int, TestError>()
    var stopCount = 0
    CreatePublisher<Int, TestError>(bufferSize: 1, whenFull: .dropNewest) { subscriber in
      recorder.cancel()
      subscriber.send(1)
      return AnyCancellable { stopCount += 1 }
    }.subscribe(recorder)
    #expect(recorder.log == [])
    #expect(stopCount == 1)
  }

  @Test func `cancels what the closure returns after the end, and does not only release it`() {
    final class Stop: Cancellable {
      private(set) var count = 0
      func cancel() { count += 1 }
    }
    let stop = Stop()
    let recorder = SignalRecorder<Int, TestError>()
    CreatePublisher<Int, TestError>(bufferSize: 1, whenFull: .dropNewest) { _ in
      recorder.cancel()
      return stop
    }.subscribe(recorder)
    #expect(stop.count == 1)
    let finishing = CreatePublisher<Int, TestError> { subscriber in
      subscriber.send(completion: .finished)
      return stop
    }
    #expect(log(finishing) == ["finished"])
    #expect(stop.count == 2)
  }

  @Test func `does not call the closure when it is cancelled in receive(subscription:)`() {
    let recorder = SignalRecorder<Int, TestError>()
    recorder.onSubscription = { $0.cancel() }
    producer.publisher().subscribe(recorder)
    #expect(recorder.subscription != nil)
    #expect(producer.subscribers.isEmpty)
  }

  @Test func `releases the closure's captures when the stream has ended`() {
    weak var captured: AnyObject?
    let recorder = SignalRecorder<Int, Never>()
    do {
      let object = SignalRecorder<Int, Never>()
      captured = object
      CreatePublisher<Int, Never>(bufferSize: 1, whenFull: .dropNewest) { subscriber in
        AnyCancellable { withExtendedLifetime((object, subscriber)) {} }
      }.subscribe(recorder)
    }
    #expect(captured != nil)
    recorder.cancel()
    #expect(captured == nil)
  }
}
