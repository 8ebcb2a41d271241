import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// Bugs of other reactive libraries: demand.
struct DemandMuseumTests {
  private let scheduler = DispatchQueue.test
  private let source = ManualSource<Int, TestError>()

  /// ReactiveX/RxJava#2543, #2559
  @Test func `the sum of two demands became negative, and the stream hung`() {
    let publishers = [
      (0..<10).publisher.eraseToAnyPublisher(),
      (0..<5).publisher.merge(with: (5..<10).publisher).eraseToAnyPublisher(),
    ]
    for publisher in publishers {
      for more in [Subscribers.Demand.max(.max), .max(.max - 1)] {
        let recorder = record(publisher, .max(2))
        recorder.request(more)
        #expect(recorder.values.sorted() == Array(0..<10))
        #expect(recorder.completions == [.finished])

        let other = SignalRecorder<Int, Never>(.max(2))
        other.onValue = { _ in more }
        publisher.subscribe(other)
        #expect(other.values.sorted() == Array(0..<10))
        #expect(other.completions == [.finished])
      }
      let recorder = SignalRecorder<Int, Never>(.unlimited)
      recorder.onValue = { [unowned recorder] _ in
        recorder.request(.max(1))
        return .none
      }
      publisher.subscribe(recorder)
      #expect(recorder.values.count == 10)
    }
    #expect(Subscribers.Demand.max(.max) + .max(1) == .unlimited)
    #expect(Subscribers.Demand.unlimited - .max(1) == .unlimited)
    #expect(Subscribers.Demand.max(2) * .max == .unlimited)
  }

  /// ReactiveX/RxJava#3836
  @Test func `switchToLatest lost its demand at a switch`() {
    let outer = ManualSource<ManualSource<Int, TestError>, TestError>()
    let inners = (0..<3).map { _ in ManualSource<Int, TestError>() }
    var order: [String] = []
    inners[0].onCancel = { order.append("cancelled") }
    inners[1].onSubscribe = { order.append("subscribed") }
    let recorder = record(outer.switchToLatest(), .max(5))
    outer.send(inners[0])
    inners[0].send(1)
    inners[0].send(2)
    outer.send(inners[1])
    #expect(order == ["cancelled", "subscribed"])
    #expect(inners[1].demand == 3)
    for value in 3...5 { inners[1].send(value) }
    #expect(recorder.values == [1, 2, 3, 4, 5])
    outer.send(inners[2])
    #expect(inners[2].demand == .none)
    recorder.request(.max(1))
    #expect(inners.map(\.demand) == [.max(5), .max(3), .max(1)])
    #expect(inners.map(\.cancelCount) == [1, 1, 0])
  }

  /// ReactiveX/RxJava#6946
  @Test func `inner publishers that finished at once did not make room for others`() {
    var (active, most) = (0, 0)
    let publisher = (0..<1_000).publisher.flatMap(maxPublishers: .max(3)) { value in
      Just(value).handleEvents(
        receiveSubscription: { _ in
          active += 1
          most = max(most, active)
        },
        receiveCompletion: { _ in active -= 1 })
    }
    let recorder = record(publisher, .none)
    for count in 1...1_000 {
      recorder.request(.max(1))
      #expect(recorder.values.count == count)
    }
    #expect(recorder.values.sorted() == Array(0..<1_000))
    #expect(recorder.completions == [.finished])
    #expect(most <= 3)
  }

  /// ReactiveX/RxJava#6282, #6283
  @Test func `of several inner publishers that finished together only one was replaced`() {
    let end = PassthroughSubject<Void, Never>()
    let never = PassthroughSubject<Int, TestError>()
    var made = 0
    record(
      source.flatMap(maxPublishers: .max(3)) { _ in
        made += 1
        return never.prefix(untilOutputFrom: end)
      })
    for value in 0..<3 { source.send(value) }
    #expect(source.demand == 3)
    end.send(())
    #expect(source.demand == 6)
    for value in 3..<6 { source.send(value) }
    #expect(made == 6)
  }

  /// cx-org/CombineX commit e881b00
  @Test func `append requested nothing from its suffix, which must not be`() {
    let suffix = ManualSource<Int, Never>()
    let recorder = record([1].publisher.append(suffix), .max(1))
    #expect(recorder.log == ["1"])
    #expect(suffix.subscriberCount == 1)
    #expect(suffix.requests == [])
    recorder.request(.max(1))
    #expect(suffix.requests == [.max(1)])
    suffix.send(2)
    #expect(recorder.log == ["1", "2"])
  }

  /// OpenCombine/OpenCombine commit b5e31a4
  ///
  /// Subscribes with a demand of two, and returns what a source is asked for whose subscription comes later.
  @Test func `an operator forgot the demand that came before the subscription of its source`() {
    typealias Source = TardySource<Int, TestError>
    func requests<P: Publisher>(_ build: (Source) -> P) -> [Subscribers.Demand] where P.Output == Int {
      let source = Source()
      let recorder = record(build(source), .max(2))
      #expect(source.link.requests == [])
      source.begin()
      let requests = source.link.requests
      source.send(1)
      source.send(2)
      source.finish()
      #expect(recorder.values == [1, 2])
      return requests
    }
    let silent = Empty<Int, TestError>(completeImmediately: false)
    let two = Subscribers.Demand.max(2)
    #expect(requests { $0.replaceError(with: 0) } == [two])
    #expect(requests { $0.catch { _ in Just(0) } } == [two])
    #expect(requests { $0.append(silent) } == [two])
    #expect(requests { $0.flatMap(maxPublishers: .max(3)) { Just($0) } } == [.max(3)])
    #expect(requests { $0.zip(Record<Int, TestError>(output: [0, 0], completion: .finished)) { $0 + $1 } } == [two])
    // A merge requests one value at a time from each source while demand is limited.
    #expect(requests { $0.merge(with: silent) } == [.max(1)])
  }

  /// reactor/reactor-core#596, #931, #3442
  ///
  /// Chosen here: the outer subscription has no demand while an inner publisher runs, and the subject of `share` drops
  /// values for which there is none. Such a stream starves when an inner publisher needs a value that does not come.
  @Test func `inner publishers that waited for values of their own outer publisher stopped everything`() {
    let source = PassthroughSubject<Int, Never>()
    let shared = source.share()
    let recorder = record(shared.flatMap(maxPublishers: .max(1)) { value in shared.first { $0 > value } })
    var logs: [[String]] = []
    for value in 1...4 {
      source.send(value)
      logs.append(recorder.log)
    }
    #expect(logs == [[], ["2"], ["2"], ["2", "4"]])
    source.send(completion: .finished)
    #expect(recorder.log == ["2", "4", "finished"])
  }

  /// reactor/reactor-core#994, #1557, #2236
  ///
  /// Chosen here: groups without demand are held.
  @Test func `more groups came than were requested, because their time was over`() {
    let recorder = record(source.collect(.byTimeOrCount(scheduler, 1, 20)), .max(1), on: scheduler)
    for value in 0..<5 { scheduler.at(Double(value) + 0.5) { [source] in source.send(value) } }
    scheduler.run()
    #expect(recorder.log == ["[0]@1"])
    recorder.request(.max(2))
    scheduler.run()
    #expect(recorder.values == [[0], [1], [2]])
  }

  /// reactor/reactor-core#4377
  @Test func `a group that was neither full nor due came because demand did`() {
    let recorder = record(source.collect(.byTimeOrCount(scheduler, 10, 2)), .max(2), on: scheduler)
    scheduler.at(0) { [source] in source.send(0) }
    scheduler.at(11) { [source] in for value in 1...3 { source.send(value) } }
    scheduler.at(12) { recorder.request(.max(1)) }
    scheduler.advance(by: 19)
    #expect(recorder.log == ["[0]@10", "[1, 2]@11"])
    scheduler.run()
    #expect(recorder.log == ["[0]@10", "[1, 2]@11", "[3]@20"])
  }

  /// reactor/reactor-core#2892, ReactiveX/RxJava#1964
  @Test func `a grouping operator requested a negative number of values`() {
    let recorder = record(source.collect(.byTimeOrCount(scheduler, 1, 10)), .max(2), on: scheduler)
    scheduler.at(0.1) { [source] in source.send(1) }
    scheduler.at(0.2) { [source] in source.send(2) }
    scheduler.at(1.1) { [source] in source.send(3) }
    scheduler.run()
    #expect(recorder.log == ["[1, 2]@1", "[3]@2"])
    recorder.request(.max(1))
    #expect(source.requests == [.max(20), .max(10)])

    let other = ManualSource<Int, TestError>()
    let groups = record(other.collect(10), .max(2))
    for value in 1...15 { other.send(value) }
    groups.request(.max(1))
    #expect(other.requests == [.max(20), .max(10)])
    #expect(groups.values == [Array(1...10)])
  }

  /// ReactiveX/RxJava#3674
  @Test func `append did not subscribe to its suffix without demand, and lost values`() {
    let suffix = ManualSource<Int, Never>()
    let recorder = record([1, 2].publisher.append(suffix), .max(2))
    #expect(recorder.log == ["1", "2"])
    #expect(suffix.subscriberCount == 1)
    #expect(record([1, 2].publisher.append(Empty()), .max(2)).log == ["1", "2", "finished"])
  }

  /// ReactiveX/RxJava#3073, #3078, #3836
  @Test(.ownThread) func `switchToLatest lost demand that another thread requested at the switch`() {
    let count = 200
    for _ in 0..<20 {
      let outer = PassthroughSubject<Publishers.Sequence<ClosedRange<Int>, Never>, Never>()
      let witness = Witness<Int, Never>(.none)
      outer.switchToLatest().subscribe(witness)
      outer.send((0...1_000).publisher)
      onThreads(2) { thread in
        for _ in 0..<count {
          if thread == 0 { outer.send((0...1_000).publisher) } else { witness.subscription?.request(.max(1)) }
        }
      }
      #expect(witness.received.count == count)
      #expect(!witness.hasOverlapped)
    }
  }
}
