import Dispatch
import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// Bugs of other reactive libraries: sharing.
struct SharingMuseumTests {
  private let source = ManualSource<Int, TestError>()

  /// ReactiveX/RxSwift#2718, reactor/reactor-core#3487, #3517
  ///
  /// The second subscriber arrives here while the first one connects; `OperatorRaces` has it arrive on another thread.
  @Test func `both of the first two subscribers of share connected, or one was not told that the stream had ended`() {
    let sources: [(build: () -> AnyPublisher<Int, TestError>, end: String)] = [
      ({ Just(1).setFailureType(to: TestError.self).eraseToAnyPublisher() }, "finished"),
      ({ Empty().eraseToAnyPublisher() }, "finished"),
      ({ Fail(error: .first).eraseToAnyPublisher() }, "first"),
    ]
    for (build, end) in sources {
      var connections = 0
      var arrive: () -> Void = {}
      let shared = Deferred {
        connections += 1
        if connections == 1 { arrive() }
        return build()
      }.share()
      let (first, second) = (SignalRecorder<Int, TestError>(), SignalRecorder<Int, TestError>())
      arrive = { shared.subscribe(second) }
      shared.subscribe(first)
      #expect(connections == 1)
      #expect(first.log.last == end)
      #expect(second.log.last == end)
      #expect(first.values == second.values)
      arrive = {}
    }
    // A subscriber that arrives while the last one cancels.
    let shared = source.share()
    let newcomer = SignalRecorder<Int, TestError>()
    source.ignoresCancellation = true
    source.onCancel = { [unowned source] in
      source.onCancel = {}
      shared.subscribe(newcomer)
    }
    record(shared).cancel()
    source.send(1)
    source.finish()
    #expect(newcomer.log == ["1", "finished"])
    #expect(source.subscriberCount == 2)
  }

  /// CombineCommunity/CombineExt#120 (#115)
  @Test func `a shared stream lost everything that its source had sent at once`() {
    let one = Just(1).share(replay: 1)
    #expect(log(one) == ["1", "finished"])
    let second = record(one, .none)
    #expect(second.log == [])
    second.request(.max(1))
    #expect(second.log == ["1", "finished"])
    second.request(.max(1))
    #expect(second.log == ["1", "finished"])

    let waiting = record(Just(1).share(replay: 1), .none)
    #expect(waiting.log == [])
    waiting.request(.max(1))
    #expect(waiting.log == ["1", "finished"])

    let three = (1...3).publisher.share(replay: 2)
    #expect(log(three) == ["1", "2", "3", "finished"])
    let late = record(three, .max(1))
    #expect(late.log == ["2"])
    late.request(.max(1))
    #expect(late.log == ["2", "3", "finished"])

    let failing = Fail<Int, TestError>(error: .first).share(replay: 1)
    let empty = Empty<Int, TestError>().share(replay: 1)
    for demand in [Subscribers.Demand.unlimited, .none] {
      #expect(record(failing, demand).log == ["first"])
      #expect(record(empty, demand).log == ["finished"])
    }
  }

  /// ReactiveX/RxSwift#2655
  ///
  /// The closure may be called by each thread that is first, as documented; all subscribers are attached to one subject.
  @Test(.ownThread) func `multicast attached the subscribers of several threads to subjects of their own`() {
    let source = PassthroughSubject<Int, Never>()
    let multicast = source.multicast { PassthroughSubject<Int, Never>() }
    let witnesses = (0..<8).map { _ in Witness<Int, Never>() }
    onThreads(8) { multicast.subscribe(witnesses[$0]) }
    let connection = multicast.connect()
    source.send(1)
    #expect(witnesses.allSatisfy { $0.received == [1] })
    connection.cancel()
  }

  /// ReactiveX/RxJava#6364
  @Test(arguments: [Subscribers.Demand.unlimited, .max(2), .none])
  func `subscribers of a shared stream received nothing more when another one had left`(_ demand: Subscribers.Demand) {
    let shared = (0..<1_000).publisher.buffer(size: 4, prefetch: .keepFull, whenFull: .dropNewest)
      .multicast { PassthroughSubject<Int, Never>() }
    let (a, b, c) = (SignalRecorder<Int, Never>(demand), SignalRecorder<Int, Never>(), SignalRecorder<Int, Never>())
    a.onValue = { [unowned a] value in
      if value == 1 { a.cancel() }
      return .none
    }
    b.onValue = { value in
      if value == 500 { shared.subscribe(c) }
      return .none
    }
    shared.subscribe(a)
    shared.subscribe(b)
    let connection = shared.connect()
    #expect(b.values == Array(0..<1_000))
    #expect(b.completions == [.finished])
    #expect(a.values == (demand == .none ? [] : [0, 1]))
    #expect(c.values == Array(501..<1_000))
    #expect(c.completions == [.finished])
    connection.cancel()
  }

  /// ReactiveX/RxJava#5172, #5182; dotnet/reactive#1218
  ///
  /// Chosen here: the buffer is released with the last subscriber, and the next one begins anew.
  @Test func `a shared stream replayed a value of an earlier connection`() {
    let source = ManualSource<TestObject, Never>()
    let shared = source.share(replay: 1)
    weak var released: TestObject?
    do {
      let object = TestObject()
      released = object
      let cancellable = shared.sink(isolation: nil) { _ in }
      source.send(object)
      cancellable.cancel()
    }
    #expect(released == nil)
    let again = record(shared)
    #expect(again.values.isEmpty)
    let object = TestObject()
    source.send(object)
    #expect(again.values.count == 1)
    #expect(again.values.first === object)
    #expect(source.subscriberCount == 2)
  }

  /// reactor/reactor-core#4387, #4293; ReactiveX/rxjs#6151
  @Test func `a subscriber that left while it arrived was counted for ever, or one connected twice`() {
    let replaying = source.share(replay: 1)
    let a = record(replaying)
    source.send(1)
    #expect(log(replaying.first()) == ["1", "finished"])
    #expect(source.cancelCount == 0)
    a.cancel()
    #expect(source.cancelCount == 1)

    for isReplaying in [true, false] {
      let other = ManualSource<Int, TestError>()
      let recorder = SignalRecorder<Int, TestError>(.none)
      recorder.onSubscription = { $0.cancel() }
      if isReplaying { other.share(replay: 1).subscribe(recorder) } else { other.share().subscribe(recorder) }
      #expect(other.cancelCount == other.subscriberCount)
      #expect(recorder.log == [])
    }

    var connections = 0
    let shared = Deferred {
      connections += 1
      return (1...3).publisher
    }.share()
    let (first, second) = (SignalRecorder<Int, Never>(), SignalRecorder<Int, Never>())
    first.onValue = { value in
      if value == 1 { shared.subscribe(second) }
      return .none
    }
    shared.subscribe(first)
    #expect(connections == 1)
    #expect(first.log == ["1", "2", "3", "finished"])
    #expect(second.log == ["2", "3", "finished"])
  }

  /// ReactiveX/rxjs#1217, reactor/reactor-core#2897, ReactiveX/RxSwift#1111
  @Test(arguments: [Subscribers.Demand.unlimited, .none])
  func `a subscriber that came after the end was told nothing, or began the work again`(_ demand: Subscribers.Demand) {
    func check<P: Publisher>(_ publisher: P, _ end: String) where P.Output == Int {
      let recorder = record(publisher, demand)
      #expect(recorder.subscriptions.count == 1)
      #expect(recorder.log == [end])
    }
    for end in [Subscribers.Completion<TestError>.finished, .failure(.first)] {
      let text = end == .finished ? "finished" : "first"
      let passthrough = PassthroughSubject<Int, TestError>()
      let current = CurrentValueSubject<Int, TestError>(1)
      var connections = 0
      let work = Deferred {
        connections += 1
        return passthrough
      }
      let (shared, multicast) = (work.share(), work.multicast { PassthroughSubject<Int, TestError>() })
      record(shared)
      record(multicast)
      let connection = multicast.connect()
      passthrough.send(completion: end)
      current.send(completion: end)
      check(passthrough, text)
      check(current, text)
      check(shared, text)
      check(multicast, text)
      #expect(connections == 2)
      connection.cancel()
    }
  }
}
