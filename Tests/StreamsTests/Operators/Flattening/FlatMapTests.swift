import Streams
import Testing

struct FlatMapTests {
  private let outer = ManualSource<Int, TestError>()
  private let inners = (0..<4).map { _ in ManualSource<String, TestError>() }

  private func flattened(_ maxPublishers: Subscribers.Demand = .unlimited) -> some Publisher<String, TestError> {
    outer.flatMap(maxPublishers: maxPublishers) { inners[$0] }
  }

  @Test func `publishes the values of all inner publishers`() {
    let recorder = record(flattened())
    outer.send(0)
    outer.send(1)
    inners[1].send("b")
    inners[0].send("a")
    #expect(recorder.log == ["b", "a"])
  }

  @Test func `finishes when upstream and all inner publishers have finished`() {
    let recorder = record(flattened())
    outer.send(0)
    outer.finish()
    #expect(recorder.log == [])
    inners[0].finish()
    #expect(recorder.log == ["finished"])
  }

  @Test func `finishes when upstream finishes after all inner publishers`() {
    let recorder = record(flattened())
    outer.send(0)
    inners[0].finish()
    #expect(recorder.log == [])
    outer.finish()
    #expect(recorder.log == ["finished"])
  }

  @Test func `an inner failure cancels upstream and the other inner publishers`() {
    let recorder = record(flattened())
    for value in 0...2 { outer.send(value) }
    inners[1].fail(.first)
    #expect(recorder.log == ["first"])
    #expect(outer.cancelCount == 1)
    #expect(inners.map(\.cancelCount) == [1, 0, 1, 0])
  }

  @Test func `an upstream failure cancels the inner publishers`() {
    let recorder = record(flattened())
    outer.send(0)
    outer.fail(.first)
    #expect(recorder.log == ["first"])
    #expect(inners[0].cancelCount == 1)
  }

  @Test func `cancels upstream and inner publishers on cancellation`() {
    let recorder = record(flattened())
    outer.send(0)
    outer.send(1)
    recorder.cancel()
    #expect(outer.cancelCount == 1)
    #expect(inners.map(\.cancelCount) == [1, 1, 0, 0])
  }

  // MARK: Demand

  @Test func `requests maxPublishers values from upstream`() {
    record(flattened(.max(2)), .none)
    #expect(outer.requests == [.max(2)])
    record(flattened(), .none)
    #expect(outer.requests.last == .unlimited)
  }

  @Test func `requests another value from upstream when an inner publisher finishes`() {
    record(flattened(.max(2)))
    outer.send(0)
    outer.send(1)
    #expect(outer.demand == 2)
    inners[0].finish()
    #expect(outer.requests == [.max(2), .max(1)])
  }

  @Test func `subscribes to no more than maxPublishers at a time`() {
    var live = 0
    var most = 0
    let publisher = (0..<20).publisher.flatMap(maxPublishers: .max(3)) { value in
      [value, value].publisher.handleEvents(
        receiveSubscription: { _ in
          live += 1
          most = max(most, live)
        },
        receiveCompletion: { _ in live -= 1 })
    }
    let recorder = SignalRecorder<Int, Never>(.max(1))
    recorder.onValue = { _ in .max(1) }
    publisher.subscribe(recorder)
    #expect(recorder.values.sorted() == (0..<20).flatMap { [$0, $0] })
    #expect(recorder.completions == [.finished])
    #expect(most <= 3)
  }

  @Test func `with maxPublishers of one keeps the order of upstream`() {
    let publisher = [1, 2, 3].publisher.flatMap(maxPublishers: .max(1)) { [$0, $0 * 10].publisher }
    #expect(collect(publisher) == [1, 10, 2, 20, 3, 30])
  }

  @Test func `requests one value at a time from each inner publisher while demand is limited`() {
    record(flattened(), .max(5))
    outer.send(0)
    outer.send(1)
    #expect(inners[0].requests == [.max(1)])
    inners[0].send("a")
    #expect(inners[0].requests == [.max(1), .max(1)])
    #expect(inners[1].requests == [.max(1)])
  }

  @Test func `requests one value from each inner publisher before there is demand, and keeps it`() {
    let recorder = record(flattened(), .none)
    outer.send(0)
    outer.send(1)
    #expect(inners.prefix(2).map(\.requests) == [[.max(1)], [.max(1)]])
    inners[0].send("a")
    inners[1].send("b")
    #expect(recorder.log == [])
    recorder.request(.max(1))
    #expect(recorder.log == ["a"])
    #expect(inners.prefix(2).map(\.requests) == [[.max(1), .max(1)], [.max(1)]])
    recorder.request(.unlimited)
    #expect(recorder.log == ["a", "b"])
    #expect(inners[0].demand == .unlimited)
  }

  @Test func `loses no value of a subject that sends while there is no demand`() {
    let (outer, inner) = (PassthroughSubject<Int, Never>(), PassthroughSubject<String, Never>())
    let recorder = record(outer.flatMap { _ in inner }, .none)
    outer.send(0)
    inner.send("a")
    recorder.request(.max(1))
    #expect(recorder.values == ["a"])
  }

  @Test func `requests unlimited demand from each inner publisher when demand is unlimited`() {
    record(flattened())
    outer.send(0)
    #expect(inners[0].requests == [.unlimited])
  }

  @Test func `shares limited demand fairly among inner publishers`() {
    let publisher = [10, 20, 30].publisher.flatMap { tens in [1, 2, 3].publisher.map { tens + $0 } }
    let recorder = record(publisher, .none)
    for _ in 0..<9 { recorder.request(.max(1)) }
    #expect(recorder.values.sorted() == [11, 12, 13, 21, 22, 23, 31, 32, 33])
    #expect(recorder.completions == [.finished])
    // At most one value of each publisher is buffered, so that no publisher gets further ahead.
    #expect(Set(recorder.values.prefix(4).map { $0 / 10 }) == [1, 2, 3])
    #expect(Set(recorder.values[4..<7].map { $0 / 10 }) == [1, 2, 3])
  }

  @Test func `publishes no more than requested`() {
    let publisher = (1...10).publisher.flatMap { _ in (1...10).publisher }
    let recorder = record(publisher, .max(7))
    #expect(recorder.values.count == 7)
    recorder.request(.max(1))
    #expect(recorder.values.count == 8)
  }

  @Test func `a buffered value is delivered before the completion, even of its inner publisher`() {
    let recorder = record(flattened(), .max(1))
    outer.send(0)
    outer.send(1)
    inners[0].send("a")
    inners[1].send("b")
    inners[1].finish()
    inners[0].finish()
    outer.finish()
    #expect(recorder.log == ["a"])
    recorder.request(.max(1))
    #expect(recorder.log == ["a", "b", "finished"])
  }

  /// Requests the values of publishers one at a time, and compares the number of created publishers with the expected
  /// one: those that have delivered all values, plus `maxPublishers`.
  private func comparePulled<P: Publisher<Int, Never>>(
    _ maxPublishers: Int, sizes: [Int], _ make: @escaping (Int) -> P,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var made = 0
    let publisher = (0..<sizes.count).publisher.flatMap(maxPublishers: .max(maxPublishers)) { value in
      made += 1
      return make(value)
    }
    let recorder = record(publisher, .none)
    var left = sizes
    var (counts, bounds): ([Int], [Int]) = ([], [])
    for _ in 0..<sizes.reduce(0, +) {
      recorder.request(.max(1))
      if let value = recorder.values.last { left[value] -= 1 }
      counts.append(made)
      bounds.append(min(sizes.count, left[..<made].filter { $0 == 0 }.count + maxPublishers))
    }
    #expect(counts == bounds, sourceLocation: sourceLocation)
    #expect(left.allSatisfy { $0 == 0 }, sourceLocation: sourceLocation)
    #expect(recorder.completions == [.finished], sourceLocation: sourceLocation)
  }

  @Test(arguments: 1...3)
  func `an inner publisher whose single value is buffered counts as active`(_ maxPublishers: Int) {
    comparePulled(maxPublishers, sizes: Array(repeating: 1, count: 100)) { Just($0) }
  }

  @Test(arguments: 1...3)
  func `an inner publisher whose last value is buffered counts as active`(_ maxPublishers: Int) {
    let sizes = (0..<40).map { 1 + $0 % 3 }
    comparePulled(maxPublishers, sizes: sizes) { repeatElement($0, count: sizes[$0]).publisher }
  }

  @Test(arguments: 1...3)
  func `inner publishers without values do not count as active`(_ maxPublishers: Int) {
    let sizes = (0..<40).map { $0 % 4 }
    comparePulled(maxPublishers, sizes: sizes) { repeatElement($0, count: sizes[$0]).publisher }
    let recorder = record(
      (0..<9).publisher.flatMap(maxPublishers: .max(maxPublishers)) { _ in Empty<Int, Never>() }, .none)
    #expect(recorder.completions == [.finished])
  }

  @Test(arguments: 1...3)
  func `subjects that finish before their values are requested count as active`(_ maxPublishers: Int) {
    let subjects = (0..<10).map { _ in PassthroughSubject<Int, Never>() }
    var made = 0
    let publisher = (0..<10).publisher.flatMap(maxPublishers: .max(maxPublishers)) { value in
      made += 1
      return subjects[value]
    }
    let recorder = record(publisher, .max(1))
    /// Every subscribed subject sends a value and finishes.
    func finishAttached() {
      var index = 0
      while index < made {
        subjects[index].send(index)
        subjects[index].send(completion: .finished)
        index += 1
      }
    }
    let counts = (1...10).map { _ in
      finishAttached()
      let count = made
      recorder.request(.max(1))
      return count
    }
    #expect(counts == (1...10).map { min(10, $0 + maxPublishers) })
    #expect(recorder.values == Array(0..<10))
    #expect(recorder.completions == [.finished])
  }

  @Test func `pulls one more value than requested, of twenty thousand`() {
    var made = 0
    let publisher = (0..<20_000).publisher.flatMap(maxPublishers: .max(1)) { value in
      made += 1
      return Just(value)
    }
    let recorder = record(publisher, .max(1))
    #expect(recorder.values == [0])
    #expect(made == 2)
    recorder.request(.unlimited)
    #expect(recorder.values.count == 20_000)
    #expect(recorder.completions == [.finished])
  }

  @Test func `is stopped from downstream when infinitely many values are requested without limit`() {
    let recorder = record((0...).publisher.flatMap(maxPublishers: .max(1)) { Just($0) }, .max(1))
    recorder.onValue = { value in
      if value == 3 { recorder.cancel() }
      return .none
    }
    recorder.request(.unlimited)
    #expect(recorder.values == [0, 1, 2, 3])
  }

  @Test func `makes deferred requests when demand becomes unlimited`() {
    let recorder = record(flattened(.max(2)), .max(1))
    outer.send(0)
    outer.send(1)
    inners[0].send("a")
    inners[0].send("b")
    inners[0].finish()
    inners[1].send("c")
    inners[1].finish()
    #expect(recorder.log == ["a"])
    #expect(outer.requests == [.max(2)])
    recorder.request(.unlimited)
    #expect(recorder.log == ["a", "b", "c"])
    #expect(outer.demand == 4)
  }

  @Test func `requests another value when an inner publisher without buffered values finishes`() {
    let recorder = record(flattened(.max(2)), .max(1))
    outer.send(0)
    outer.send(1)
    inners[0].send("a")
    inners[0].send("b")
    inners[1].finish()
    #expect(recorder.log == ["a"])
    #expect(outer.requests == [.max(2), .max(1)])
    inners[0].finish()
    #expect(outer.requests == [.max(2), .max(1)])
    recorder.request(.max(1))
    #expect(outer.requests == [.max(2), .max(1), .max(1)])
  }

  @Test func `requests nothing more when it is cancelled with buffered values`() {
    let recorder = record(flattened(.max(1)), .max(1))
    outer.send(0)
    inners[0].send("a")
    inners[0].send("b")
    inners[0].finish()
    recorder.cancel()
    recorder.request(.unlimited)
    #expect(recorder.log == ["a"])
    #expect(outer.requests == [.max(1)])
    #expect(outer.cancelCount == 1)
  }

  // MARK: Overloads

  @Test func `maps values of a publisher that cannot fail to publishers that can`() {
    let publisher: some Publisher<Int, TestError> =
      [1, 2].publisher.flatMap { _ in Fail<Int, TestError>(error: .first) }
    #expect(log(publisher) == ["first"])
  }

  @Test func `maps values of a publisher that can fail to publishers that cannot`() {
    let publisher: some Publisher<Int, TestError> =
      Record<Int, TestError>(output: [1], completion: .failure(.first)).flatMap { Just($0 + 1) }
    #expect(log(publisher) == ["2", "first"])
  }

  @Test func `maps values of a publisher that cannot fail to publishers that cannot`() {
    let publisher: some Publisher<Int, Never> = [1, 2].publisher.flatMap { Just($0 + 1) }
    #expect(log(publisher) == ["2", "3", "finished"])
  }

  // MARK: Depth

  private func nested(_ depth: Int) -> AnyPublisher<Int, Never> {
    Just(depth).flatMap { depth in
      depth == 0 ? Just(42).eraseToAnyPublisher() : nested(depth - 1)
    }.eraseToAnyPublisher()
  }

  @Test func `twenty thousand nested inner publishers run without growing the stack`() {
    #expect(log(nested(20_000)) == ["42", "finished"])
  }

  @Test func `twenty thousand consecutive inner publishers run without growing the stack`() {
    let publisher = (1...20_000).publisher.flatMap(maxPublishers: .max(1)) { Just($0) }
    #expect(collect(publisher).count == 20_000)
  }

  @Test func `twenty thousand inner publishers with a demand of one run without growing the stack`() {
    let recorder = SignalRecorder<Int, Never>(.max(1))
    recorder.onValue = { _ in .max(1) }
    (1...20_000).publisher.flatMap(maxPublishers: .max(1)) { Just($0) }.subscribe(recorder)
    #expect(recorder.values.count == 20_000)
    #expect(recorder.completions == [.finished])
  }

  @Test func `is stopped from downstream while upstream and inner publishers are infinite`() {
    #expect(log((1...).publisher.flatMap { _ in (1...).publisher }.prefix(3)) == ["1", "2", "3", "finished"])
    #expect(log((1...).publisher.flatMap { Just($0) }.prefix(3)) == ["1", "2", "3", "finished"])
  }

  @Test func `a value sent while another is being delivered comes after it, unlike Combine`() {
    let inner = PassthroughSubject<Int, Never>()
    var log: [String] = []
    let cancellable = [0, 1].publisher.flatMap { _ in inner }.sink { value in
      log.append("begin \(value)")
      if value == 1 { inner.send(2) }
      log.append("end \(value)")
    }
    inner.send(1)
    let ones = ["begin 1", "end 1", "begin 1", "end 1"]
    #expect(log.prefix(4) == ones[...])
    #expect(log.count == 12)
    cancellable.cancel()
  }

  @Test func `does not call its closure after cancellation while a value is being delivered`() {
    var calls = 0
    let recorder = SignalRecorder<Int, Never>()
    recorder.onValue = { _ in
      recorder.cancel()
      return .none
    }
    (1...10).publisher.flatMap { value -> Just<Int> in
      calls += 1
      return Just(value)
    }.subscribe(recorder)
    #expect(calls == 1)
    #expect(recorder.log == ["1"])
  }

  @Test func `subscribes to Just publishers one at a time`() {
    let recorder = record((1...5).publisher.flatMap(maxPublishers: .max(1)) { Just($0 * 10) })

    #expect(recorder.log == ["10", "20", "30", "40", "50", "finished"])
  }

  @Test func `publishes no more values of Just than requested`() {
    let recorder = SignalRecorder<Int, Never>(.max(2))
    (1...5).publisher.flatMap { Just($0) }.subscribe(recorder)
    #expect(recorder.log == ["1", "2"])
    recorder.request(.max(2))
    #expect(recorder.log == ["1", "2", "3", "4"])
  }

  @Test func `the value of a Just that arrives during a delivery comes after it`() {
    let subject = PassthroughSubject<Int, Never>()
    var log: [String] = []
    let cancellable = subject.flatMap { Just($0) }.sink { value in
      log.append("begin \(value)")
      if value == 1 { subject.send(2) }
      log.append("end \(value)")
    }
    subject.send(1)

    #expect(log == ["begin 1", "end 1", "begin 2", "end 2"])
    cancellable.cancel()
  }
}
