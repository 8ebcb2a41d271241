import Dispatch
import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams
import SuiteSupport
import Testing

/// Operators in which a bounded number of values waits.
struct BoundedTests {
  private let scheduler = DispatchQueue.test
  private let source = ManualSource<Int, TestError>()
  private typealias Strategy = OverflowStrategy<TestError>

  private func send(_ values: ClosedRange<Int>) {
    for value in values { source.send(value) }
  }

  // MARK: receive(on:)

  @Test(arguments: [(false, ["1", "2"]), (true, ["4", "5"])])
  func `receive drops values for which there is no room`(_ dropsOldest: Bool, _ delivered: [String]) {
    let strategy: Strategy = dropsOldest ? .dropOldest : .dropNewest
    let recorder = record(source.receive(on: scheduler, bounded: 2, whenFull: strategy))
    #expect(source.requests == [.unlimited])
    send(1...5)
    source.finish()
    scheduler.advance()
    #expect(recorder.log == delivered + ["finished"])
  }

  @Test func `receive fails after the values that wait`() {
    let recorder = record(source.receive(on: scheduler, bounded: 2, whenFull: .fail(.second)), .max(1))
    send(1...5)
    #expect(source.cancelCount == 1)
    scheduler.advance()
    #expect(recorder.log == ["1"])
    recorder.request(.max(1))
    scheduler.advance()
    #expect(recorder.log == ["1", "2", "second"])
  }

  @Test func `receive cancels, and drops the values that wait`() {
    let recorder = record(source.receive(on: scheduler, bounded: 2, whenFull: .cancel))
    send(1...5)
    #expect(source.cancelCount == 1)
    #expect(recorder.log == [])
    scheduler.advance()
    #expect(recorder.log == ["finished"])
  }

  @Test func `receive delivers a value that is requested from elsewhere on the scheduler`() {
    let recorder = record(source.receive(on: scheduler, bounded: 4, whenFull: .wait), .max(1))
    send(1...3)
    scheduler.advance()
    recorder.request(.max(1))
    #expect(recorder.log == ["1"])
    scheduler.advance()
    #expect(recorder.log == ["1", "2"])
  }

  @Test func `receive requests no more values than there is room for`() {
    let recorder = record(source.receive(on: scheduler, bounded: 4, whenFull: .wait))
    #expect(source.requests == [.max(4)])
    send(1...4)
    scheduler.advance()
    #expect(recorder.values == [1, 2, 3, 4])
    #expect(source.requests == [.max(4), .max(2), .max(2)])
  }

  @Test(arguments: [1, 2, 3, 10, 1_000])
  func `a sequence arrives whole through a bound that waits`(_ bound: Int) {
    let recorder = record((1...1_000).publisher.receive(on: scheduler, bounded: bound, whenFull: .wait))
    scheduler.run()
    #expect(recorder.values == Array(1...1_000))
    #expect(recorder.completions.count == 1)
  }

  @Test func `receive delivers what is demanded, and the rest when it is`() {
    let recorder = record(source.receive(on: scheduler, bounded: 3, whenFull: .dropNewest), .max(1))
    send(1...3)
    scheduler.advance()
    #expect(recorder.values == [1])
    #expect(scheduler.pendingCount == 0)
    send(4...5)
    source.finish()
    scheduler.advance()
    #expect(recorder.values == [1])
    recorder.request(.max(2))
    #expect(recorder.values == [1])
    scheduler.advance()
    #expect(recorder.log == ["1", "2", "3"])
    recorder.request(.unlimited)
    scheduler.advance()
    #expect(recorder.log == ["1", "2", "3", "4", "finished"])
  }

  @Test func `the value that is being delivered takes no room`() {
    let recorder = SignalRecorder<Int, TestError>()
    recorder.onValue = { [source] in
      if $0 == 1 { for value in 2...5 { source.send(value) } }
      return .none
    }
    source.receive(on: scheduler, bounded: 2, whenFull: .dropOldest).subscribe(recorder)
    source.send(1)
    scheduler.advance()
    #expect(recorder.values == [1, 4, 5])
  }

  @Test func `a value that waits for the scheduler can be replaced while another is delivered`() {
    let recorder = SignalRecorder<Int, TestError>()
    recorder.onValue = { [source] in
      if $0 == 1 { for value in 3...4 { source.send(value) } }
      return .none
    }
    source.receive(on: scheduler, bounded: 2, whenFull: .dropOldest).subscribe(recorder)
    send(1...2)
    scheduler.advance()
    #expect(recorder.values == [1, 3, 4])
  }

  @Test func `nothing is delivered after cancellation`() {
    let recorder = record(source.receive(on: scheduler, bounded: 2, whenFull: .dropOldest))
    send(1...2)
    recorder.cancel()
    scheduler.run()
    #expect(recorder.log == [])
    #expect(source.cancelCount == 1)
  }

  @Test @MainActor func `an actor receives as many values as the bound allows`() async {
    let subject = PassthroughSubject<Int, Never>()
    var subscription: AnyCancellable?
    var received: [Int] = []
    await withCheckedContinuation { continuation in
      subscription = subject.receive(on: MainActor.shared, bounded: 3, whenFull: .dropOldest).sink { value in
        received.append(value)
        if value == 10 { continuation.resume() }
      }
      // The actor is occupied meanwhile.
      onThreads(1) { @Sendable _ in for value in 1...10 { subject.send(value) } }
    }
    #expect(received == [8, 9, 10])
    subscription?.cancel()
  }

  @Test func `the closures of an actor with a bound receive the actor`() async {
    actor Account {
      var prices: [Int] = []
      nonisolated(unsafe) private var subscription: AnyCancellable?  // Set once, before anything is sent.

      func follow(_ source: PassthroughSubject<Int, Never>) async {
        await withCheckedContinuation { continuation in
          subscription = source.receive(on: self, bounded: 2, whenFull: .dropNewest).sink(with: self) { account, _ in
            continuation.resume()
          } receiveValue: { account, price in
            account.prices.append(price)
          }
          // The actor is occupied meanwhile.
          onThreads(1) { @Sendable _ in
            for price in 1...5 { source.send(price) }
            source.send(completion: .finished)
          }
        }
      }
    }
    let account = Account()
    await account.follow(PassthroughSubject())
    #expect(await account.prices == [1, 2])
  }

  // MARK: merge and flatMap

  /// A subscriber that receives further values while it handles the first.
  private func recorder(sending values: @escaping () -> Void) -> SignalRecorder<Int, TestError> {
    let recorder = SignalRecorder<Int, TestError>()
    var isFirst = true
    recorder.onValue = { _ in
      if isFirst {
        isFirst = false
        values()
      }
      return .none
    }
    return recorder
  }

  @Test(arguments: [(false, [0, 1, 2]), (true, [0, 4, 5])])
  func `merge drops values for which there is no room`(_ dropsOldest: Bool, _ delivered: [Int]) {
    let other = PassthroughSubject<Int, TestError>()
    let recorder = recorder { [source] in
      for value in 1...5 { if value.isMultiple(of: 2) { other.send(value) } else { source.send(value) } }
    }
    source.merge(with: other, bounded: 2, whenFull: dropsOldest ? .dropOldest : .dropNewest).subscribe(recorder)
    source.send(0)
    #expect(recorder.values == delivered)
  }

  @Test func `merge fails after the values that wait, and cancels both`() {
    let other = ManualSource<Int, TestError>()
    let recorder = recorder { [source] in for value in 1...5 { source.send(value) } }
    [source, other].merge(bounded: 2, whenFull: .fail(.second)).subscribe(recorder)
    source.send(0)
    #expect(recorder.log == ["0", "1", "2", "second"])
    #expect(source.cancelCount == 1 && other.cancelCount == 1)
  }

  @Test func `merge with a bound that waits requests one value at a time from each, even without a limit downstream`() {
    let other = ManualSource<Int, TestError>()
    let recorder = record(source.merge(with: other, bounded: 2, whenFull: .wait))
    #expect(source.demand == 1 && other.demand == 1)
    source.send(1)
    #expect(recorder.values == [1])
    #expect(source.demand == 2 && other.demand == 1)
  }

  @Test func `merge keeps values for a slow subscriber up to the bound`() {
    let recorder = record(source.merge(with: Empty(), bounded: 2, whenFull: .dropOldest), .max(1))
    send(1...5)
    #expect(recorder.values == [1])
    recorder.request(.unlimited)
    #expect(recorder.values == [1, 4, 5])
  }

  @Test func `flatMap drops the oldest of all publishers, and frees their places`() {
    let outer = PassthroughSubject<Int, TestError>()
    let recorder = record(
      outer.flatMap(maxPublishers: .max(2), bounded: 2, whenFull: .dropOldest) {
        [$0, $0 + 1].publisher.setFailureType(to: TestError.self)
      }, .max(1))
    outer.send(10)
    outer.send(20)
    outer.send(30)
    recorder.request(.unlimited)
    #expect(recorder.values == [10, 30, 31])
  }

  @Test func `a publisher whose value has replaced another one keeps its place until that value is delivered`() {
    let inner = ManualSource<Int, TestError>()
    let recorder = record(
      source.flatMap(maxPublishers: .max(1), bounded: 1, whenFull: .dropOldest) { _ in inner }, .none)
    source.send(0)
    inner.send(1)
    inner.send(2)
    inner.finish()
    #expect(source.demand == 1)
    recorder.request(.max(1))
    #expect(recorder.values == [2])
    #expect(source.demand == 2)
  }

  @Test func `flatMap fails with the error of its bound`() {
    let inner = ManualSource<Int, TestError>()
    let recorder = record(
      source.flatMap(maxPublishers: .max(1), bounded: 1, whenFull: .fail(.second)) { _ in inner }, .none)
    source.send(0)
    inner.send(1)
    inner.send(2)
    recorder.request(.unlimited)
    #expect(recorder.log == ["1", "second"])
  }

  @Test func `flatMap with a bound that waits runs no more publishers than the bound`() {
    let recorder = record(
      source.flatMap(bounded: 3, whenFull: .wait) { Just($0).setFailureType(to: TestError.self) }, .none)
    #expect(source.demand == 3)
    send(1...3)
    recorder.request(.max(2))
    #expect(recorder.values == [1, 2])
    #expect(source.demand == 5)
  }

  // MARK: Subscribers of their own

  @Test func `a slow subscriber of a share is cancelled alone`() {
    let shared = source.share(bounded: 2, whenFull: .cancel)
    let (slow, fast) = (record(shared, .max(1)), record(shared))
    send(1...3)
    #expect(slow.log == ["1"])
    source.send(4)
    #expect(slow.log == ["1", "finished"])
    source.send(5)
    #expect(fast.log == ["1", "2", "3", "4", "5"])
    #expect(source.subscriberCount == 1 && source.cancelCount == 0)
  }

  @Test func `a share may keep a single value`() {
    let slow = record(source.share(bounded: 1, whenFull: .dropOldest), .max(1))
    send(1...3)
    #expect(slow.log == ["1"])
    slow.request(.max(2))
    #expect(slow.log == ["1", "3"])
  }

  @Test func `a loop receives the newest values`() async throws {
    var iterator = source.values(bounded: 2, whenFull: .dropOldest).makeAsyncIterator()
    send(1...5)
    source.finish()
    var received: [Int] = []
    while let value = try await iterator.next() { received.append(value) }
    #expect(received == [4, 5])
  }

  @Test func `a loop throws the error of a full buffer after the values that wait`() async throws {
    var iterator = source.values(bounded: 2, whenFull: .fail(.second)).makeAsyncIterator()
    send(1...3)
    #expect(try await iterator.next() == 1)
    #expect(try await iterator.next() == 2)
    #expect(source.cancelCount == 1)
    await #expect(throws: TestError.second) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }

  @Test func `a loop with cancel ends without the values that wait in a full buffer`() async throws {
    var iterator = source.values(bounded: 2, whenFull: .cancel).makeAsyncIterator()
    send(1...2)
    #expect(try await iterator.next() == 1)
    send(3...4)
    #expect(source.cancelCount == 1)
    #expect(try await iterator.next() == nil)
  }

  // MARK: The strategies elsewhere

  @Test func `buffer with wait requests a constant number of values, whatever downstream requests`() {
    let recorder = record(source.buffer(bounded: 2, whenFull: .wait))
    #expect(source.requests == [.max(2)])
    source.send(1)
    #expect(recorder.values == [1])
    #expect(source.demand == 3)
  }

  @Test func `buffer with cancel finishes without the values that were not requested`() {
    let recorder = record(source.buffer(bounded: 2, whenFull: .cancel), .max(1))
    send(1...4)
    #expect(recorder.log == ["1", "finished"])
    #expect(source.cancelCount == 1)
  }

  @Test func `a pause with wait requests no more values than there is room for`() {
    let isRunning = CurrentValueSubject<Bool, TestError>(false)
    let recorder = record(source.pausable(runningWhile: isRunning, buffering: 2, whenFull: .wait))
    #expect(source.demand == 2)
    send(1...2)
    isRunning.send(true)
    #expect(recorder.values == [1, 2])
    #expect(source.demand == 4)
  }

  @Test func `a full pause with cancel ends the stream without the values that wait`() {
    let isRunning = CurrentValueSubject<Bool, TestError>(false)
    let recorder = record(source.pausable(runningWhile: isRunning, buffering: 2, whenFull: .cancel))
    send(1...3)
    #expect(recorder.log == ["finished"])
    #expect(source.cancelCount == 1)
  }

  @Test func `a rate limit with wait requests a value for each whose turn has come`() {
    let recorder = record(
      source.rateLimit(1, per: .seconds(1), scheduler: scheduler, queueSize: 2, whenFull: .wait))
    #expect(source.demand == 2)
    send(1...2)
    scheduler.advance()
    #expect(recorder.values == [1])
    #expect(source.demand == 3)
    source.send(3)
    scheduler.advance(by: .seconds(2))
    #expect(recorder.values == [1, 2, 3])
    #expect(source.demand == 5)
  }

  @Test func `a rate limit with cancel ends without the values that wait`() {
    let recorder = record(
      source.rateLimit(1, per: .seconds(1), scheduler: scheduler, queueSize: 2, whenFull: .cancel))
    send(1...4)
    scheduler.advance()
    #expect(recorder.log == ["1", "finished"])
    scheduler.advance(by: .seconds(5))
    #expect(recorder.log == ["1", "finished"])
    #expect(scheduler.pendingCount == 0)
  }

  // MARK: Bad input

  @Test(.exits) func `a bound below one stops the program with a message`() async {
    await #expect(processExitsWith: .failure) {
      _ = Just(1).receive(on: DispatchQueue.test, bounded: 0, whenFull: .dropNewest)
    }
  }

  @Test(.exits) func `what cannot wait says so`() async {
    await #expect(processExitsWith: .failure) { _ = Just(1).share(bounded: 1, whenFull: .wait) }
    await #expect(processExitsWith: .failure) { _ = Just(1).buffer(bounded: 0, whenFull: .wait) }
    await #expect(processExitsWith: .failure) {
      _ = CreatePublisher<Int, Never>(bufferSize: 1, whenFull: .wait) { _ in AnyCancellable {} }
    }
  }

  @Test func `flatMap requests another publisher when the only value of one that has finished is dropped`() {
    let outer = ManualSource<Int, Never>()
    let inner = PassthroughSubject<Int, Never>()
    record(
      outer.flatMap(maxPublishers: .max(2), bounded: 1, whenFull: .dropOldest) { number in
        number == 1 ? Just(1).eraseToAnyPublisher() : inner.eraseToAnyPublisher()
      }, .none)
    #expect(outer.requests == [.max(2)])
    outer.send(1)
    outer.send(2)
    #expect(outer.requests == [.max(2)])
    inner.send(5)
    #expect(outer.requests == [.max(2), .max(1)])
  }

  @Test(.exits) func `a bound of zero stops the program with a message`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Just(1).share(bounded: 0, whenFull: .dropNewest)
    }
    let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(output.contains("share(bounded:whenFull:) requires a bound of at least 1, got 0"))
    let loop = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Just(1).values(bounded: 0, whenFull: .dropNewest)
    }
    #expect(
      String(decoding: try #require(loop).standardErrorContent, as: UTF8.self)
        .contains("values(bounded:whenFull:) requires a bound of at least 1, got 0"))
  }
}
