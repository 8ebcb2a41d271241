#if canImport(Combine)
  import Combine
  import XCTest

  private class StringLog: TextOutputStream {
    var lines = [String]()
    func write(_ string: String) {
      let line = string.trimmingCharacters(in: .newlines)
      if !line.isEmpty { lines.append(line) }
    }
  }

  class PlaygroundTests: XCTestCase {
    var subscriptions = Set<AnyCancellable>()

    private func collect<P: Publisher>(_ publisher: P) -> [P.Output] where P.Failure == Never {
      var values = [P.Output]()
      publisher.sink(receiveValue: { values.append($0) }).store(in: &subscriptions)
      return values
    }

    func test_example_of_types() {
      let just: Just<Int> = Just("abc").map(\.count)
      XCTAssertEqual(just.output, 3)
      let optional: Optional<Int>.Publisher = Int("12").publisher
      XCTAssertEqual(optional.output, 12)
      let result: Result<Int, Error>.Publisher = Just(4).tryMap { $0 * 2 }
      XCTAssertEqual(try result.result.get(), 8)
      let count: Just<Int> = [1, 2, 3].publisher.count()
      XCTAssertEqual(count.output, 3)
      XCTAssertEqual(collect(optional.append([1, 2].publisher).prepend(0)), [0, 12, 1, 2])
      XCTAssertEqual(collect(Optional<Int>.none.publisher.replaceEmpty(with: -1)), [-1])
      XCTAssertEqual(Just(1), Just(1))
      XCTAssertEqual([1, 2].publisher, [1, 2].publisher)
    }

    func test_example_of_print() {
      let log = StringLog()
      [1, 2].publisher.print("numbers", to: log).sink { _ in }.store(in: &subscriptions)
      XCTAssertEqual(
        log.lines,
        [
          "numbers: receive subscription: ([1, 2])", "numbers: request unlimited",
          "numbers: receive value: (1)", "numbers: receive value: (2)", "numbers: receive finished",
        ])
    }

    func test_example_of_handleEvents() {
      var events = [String]()
      let subject = PassthroughSubject<Int, Never>()
      let cancellable =
        subject
        .handleEvents(
          receiveSubscription: { _ in events.append("subscription") },
          receiveOutput: { events.append("output \($0)") },
          receiveCompletion: { _ in events.append("completion") },
          receiveCancel: { events.append("cancel") },
          receiveRequest: { events.append("request \($0)") }
        )
        .breakpoint(receiveOutput: { $0 < 0 })
        .breakpointOnError()
        .sink { _ in }
      subject.send(1)
      cancellable.cancel()
      XCTAssertEqual(events, ["subscription", "request unlimited", "output 1", "cancel"])
    }

    func test_example_of_record() throws {
      struct Broken: Error, Codable, Equatable {}
      let record = Record<Int, Broken> { recording in
        recording.receive(1)
        recording.receive(2)
        recording.receive(completion: .failure(Broken()))
      }
      XCTAssertEqual(record.recording.output, [1, 2])
      XCTAssertEqual(record.recording.completion, .failure(Broken()))
      XCTAssertEqual(collect(record.replaceError(with: 9)), [1, 2, 9])
      XCTAssertEqual(collect(Record<Int, Never>(output: [3, 4], completion: .finished)), [3, 4])
    }

    func test_example_of_combining() {
      let letters = ["a", "b", "c"].publisher
      XCTAssertEqual(collect(letters.zip([1, 2].publisher) { "\($0)\($1)" }), ["a1", "b2"])
      XCTAssertEqual(
        collect(Publishers.Zip3(letters, [1, 2].publisher, Just(true)).map { $0 + "\($1)\($2)" }), ["a1true"])
      XCTAssertEqual(collect(Publishers.MergeMany([Just(1), Just(2), Just(3)]).collect(2)), [[1, 2], [3]])
      XCTAssertEqual(collect(Just(1).merge(with: Just(2), Just(3)).output(in: 1...)), [2, 3])
      XCTAssertEqual(collect(Publishers.Concatenate(prefix: Just("x"), suffix: letters)), ["x", "a", "b", "c"])
      XCTAssertEqual(collect(Publishers.Map(upstream: letters, transform: { $0 + $0 })), ["aa", "bb", "cc"])
      XCTAssertEqual(collect(letters.scan("", +).last()), ["abc"])
      XCTAssertEqual(collect((1...10).publisher.filter { $0.isMultiple(of: 3) }.reduce(0, +)), [18])
      XCTAssertEqual(collect([nil, 1, nil].publisher.replaceNil(with: 0)), [0, 1, 0])
      XCTAssertEqual(collect((1...5).publisher.min(by: >).contains(5)), [true])
      XCTAssertEqual(collect([1, 2, 4].publisher.allSatisfy { $0 < 4 }), [false])
    }

    func test_example_of_flatMap() {
      let first = PassthroughSubject<Int, Never>(), second = PassthroughSubject<Int, Never>()
      var values = [Int]()
      [first, second].publisher
        .flatMap(maxPublishers: .max(1)) { $0 }
        .sink { values.append($0) }
        .store(in: &subscriptions)
      first.send(1)
      second.send(-1)
      first.send(completion: .finished)
      second.send(2)
      XCTAssertEqual(values, [1, 2])
    }

    func test_example_of_switchToLatest() {
      let queries = PassthroughSubject<PassthroughSubject<String, Never>, Never>()
      let first = PassthroughSubject<String, Never>(), second = PassthroughSubject<String, Never>()
      var values = [String]()
      queries.switchToLatest().sink { values.append($0) }.store(in: &subscriptions)
      queries.send(first)
      first.send("a")
      queries.send(second)
      first.send("lost")
      second.send("b")
      queries.send(completion: .finished)
      second.send("c")
      XCTAssertEqual(values, ["a", "b", "c"])
    }

    func test_example_of_until() {
      let isReady = PassthroughSubject<Void, Never>(), isOver = PassthroughSubject<Void, Never>()
      let taps = PassthroughSubject<Int, Never>()
      var received = [Int]()
      taps.drop(untilOutputFrom: isReady)
        .prefix(untilOutputFrom: isOver)
        .sink(receiveCompletion: { _ in received.append(-1) }, receiveValue: { received.append($0) })
        .store(in: &subscriptions)
      taps.send(1)
      isReady.send()
      taps.send(2)
      isOver.send()
      taps.send(3)
      XCTAssertEqual(received, [2, -1])
    }

    func test_example_of_buffer_and_demand() {
      let subject = PassthroughSubject<Int, Never>()
      var received = [Int]()
      var subscription: Subscription?
      subject.buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest)
        .subscribe(
          AnySubscriber(
            receiveSubscription: { subscription = $0 },
            receiveValue: {
              received.append($0); return .none
            },
            receiveCompletion: { _ in }))
      (1...4).forEach(subject.send)
      XCTAssertEqual(received, [])
      subscription?.request(.max(1))
      XCTAssertEqual(received, [3])
      subscription?.request(.unlimited)
      XCTAssertEqual(received, [3, 4])
      XCTAssertEqual(Subscribers.Demand.max(2) + .max(3), .max(5))
      XCTAssertNil(Subscribers.Demand.unlimited.max)
      XCTAssertTrue(Subscribers.Demand.max(1) == 1)
      XCTAssertTrue(0 < Subscribers.Demand.max(1))
    }
  }
#endif
