import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// `map(maxTasks:)`, `flatMap(maxTasks:)` and `flatMapLatest`, in virtual time.
struct TaskOperatorTests {
  private let scheduler = DispatchQueue.test
  private let journal = Journal()
  private let gauge = Gauge()
  private let source = ManualSource<Int, TestError>()

  /// Sleeps for the given number of seconds, and records its beginning, end and cancellation.
  private var work: @Sendable (Int) async throws(TestError) -> Int {
    { [scheduler, journal, gauge] seconds async throws(TestError) in
      if seconds == 0 { throw .second }
      gauge.enter()
      journal.note("\(seconds) begins")
      do {
        try await scheduler.sleep(for: .seconds(seconds))
        journal.note("\(seconds) ends")
      } catch {
        journal.note("\(seconds) cancelled")
      }
      gauge.leave()
      return seconds
    }
  }

  private func unordered(_ maxTasks: Int = .max) -> some Publisher<Int, TestError> {
    source.flatMap(maxTasks: maxTasks, on: scheduler) { [work] value async throws(TestError) in try await work(value) }
  }

  private func ordered(_ maxTasks: Int) -> some Publisher<Int, TestError> {
    source.map(maxTasks: maxTasks, on: scheduler) { [work] value async throws(TestError) in try await work(value) }
  }

  private func latest() -> some Publisher<Int, TestError> {
    source.flatMapLatest(on: scheduler) { [work] value async throws(TestError) in try await work(value) }
  }

  private func send(_ values: [Int]) {
    for value in values { source.send(value) }
    scheduler.advance()
  }

  // MARK: flatMap(maxTasks:)

  @Test func `flatMap publishes results as they arrive`() {
    let recorder = record(unordered(), on: scheduler)
    send([3, 1, 2])
    source.finish()
    scheduler.run()
    #expect(recorder.log == ["1@1", "2@2", "3@3", "finished@3"])
    #expect(gauge.most == 3)
  }

  @Test func `flatMap runs at most maxTasks tasks`() {
    let recorder = record((1...6).publisher.flatMap(maxTasks: 2, on: scheduler) { [work] in try? await work($0) })
    scheduler.run()
    #expect(recorder.values.compactMap { $0 }.sorted() == Array(1...6))
    #expect(gauge.most == 2)
  }

  @Test func `flatMap requests another value when a task has ended`() {
    record(unordered(2))
    #expect(source.demand == .max(2))
    send([1, 3])
    scheduler.advance(by: 1)
    #expect(source.demand == .max(3))
  }

  @Test func `flatMap starts no task while maxTasks results are buffered`() {
    let recorder = record(unordered(2), .max(1))
    send([1, 2])
    scheduler.advance(by: 1)
    #expect(recorder.values == [1])
    #expect(source.demand == .max(3))
    send([1])
    scheduler.run()
    #expect(source.demand == .max(3))
    recorder.request(.max(1))
    #expect(recorder.values.count == 2)
    #expect(source.demand == .max(4))
  }

  @Test func `flatMap buffers results until they are requested`() {
    let recorder = record(unordered(), .none)
    send([2, 1])
    scheduler.run()
    #expect(recorder.log == [])
    recorder.request(.max(1))
    #expect(recorder.values.count == 1)
    recorder.request(.max(1))
    #expect(recorder.values.sorted() == [1, 2])
  }

  @Test func `a task of flatMap that throws cancels the other tasks and upstream`() {
    let recorder = record(unordered(), on: scheduler)
    send([5, 6])
    send([0])
    #expect(recorder.log == ["second@0"])
    #expect(source.cancelCount == 1)
    #expect(journal.all.suffix(2).sorted() == ["5 cancelled", "6 cancelled"])
    scheduler.assertIdle()
  }

  @Test func `an upstream failure cancels the tasks of flatMap`() {
    let recorder = record(unordered(), on: scheduler)
    send([5])
    source.fail(.first)
    scheduler.advance()
    #expect(recorder.log == ["first@0"])
    #expect(journal.all == ["5 begins", "5 cancelled"])
  }

  @Test func `a cancelled flatMap cancels its tasks and drops their results`() {
    let recorder = record(unordered())
    send([5, 6])
    recorder.cancel()
    scheduler.run()
    #expect(recorder.log == [])
    #expect(journal.all.suffix(2).sorted() == ["5 cancelled", "6 cancelled"])
    #expect(source.cancelCount == 1)
    scheduler.assertIdle()
  }

  // MARK: map(maxTasks:)

  @Test func `map publishes results in the order of the values`() {
    let recorder = record(ordered(3), on: scheduler)
    send([3, 1, 2])
    source.finish()
    scheduler.run()
    #expect(recorder.log == ["3@3", "1@3", "2@3", "finished@3"])
    #expect(journal.all.filter { $0.hasSuffix("ends") } == ["1 ends", "2 ends", "3 ends"])
  }

  @Test(arguments: [1, 2, 3, 10, .max])
  func `map runs at most maxTasks tasks`(_ maxTasks: Int) {
    let seconds = [3, 1, 2, 5, 1, 1, 4, 2]
    let recorder = record(
      seconds.publisher.map(maxTasks: maxTasks, on: scheduler) { [work] in try? await work($0) })
    scheduler.run()
    #expect(recorder.values == seconds.map(Optional.some))
    #expect(recorder.completions.count == 1)
    #expect(gauge.most == min(maxTasks, seconds.count))
  }

  @Test func `map requests maxTasks values, and another for each delivered result`() {
    let recorder = record(ordered(2), .none)
    #expect(source.demand == .max(2))
    send([3, 1])
    scheduler.run()
    // Both tasks have ended, but nobody has requested their results.
    #expect(recorder.values == [])
    #expect(source.demand == .max(2))
    recorder.request(.max(1))
    #expect(recorder.values == [3])
    #expect(source.demand == .max(3))
    recorder.request(.max(2))
    #expect(recorder.values == [3, 1])
    #expect(source.demand == .max(4))
    send([2, 1])
    scheduler.advance(by: 1)
    // The second task has ended, but its result waits for the first.
    #expect(source.demand == .max(4))
    scheduler.run()
    #expect(recorder.values == [3, 1, 2])
    #expect(source.demand == .max(5))
    recorder.request(.unlimited)
    #expect(recorder.values == [3, 1, 2, 1])
    #expect(source.demand == .max(6))
  }

  @Test func `a loop that requests one result at a time runs maxTasks tasks`() {
    let recorder = record(
      [2, 2, 2, 2].publisher.map(maxTasks: 4, on: scheduler) { [work] in try? await work($0) }, .max(1))
    scheduler.run()
    #expect(gauge.most == 4)
    #expect(recorder.values == [2])
  }

  @Test func `map keeps the order when upstream sends more than requested`() {
    let recorder = record(ordered(1))
    send([3, 2, 1])
    scheduler.run()
    #expect(recorder.values == [3, 2, 1])
  }

  @Test func `map with unlimited tasks requests everything`() {
    let recorder = record(ordered(.max), .max(3))
    #expect(source.demand == .max(.max))
    send([2, 1, 3])
    scheduler.run()
    #expect(recorder.values == [2, 1, 3])
  }

  @Test func `map delivers an error at its position in the order, and cancels later tasks`() {
    let recorder = record(ordered(4), on: scheduler)
    send([2, 0, 5])
    #expect(source.cancelCount == 1)
    #expect(journal.all == ["2 begins", "5 begins", "5 cancelled"])
    #expect(recorder.log == [])
    scheduler.run()
    #expect(recorder.log == ["2@2", "second@2"])
  }

  @Test func `map delivers a failure of upstream after the results`() {
    let recorder = record(ordered(4), on: scheduler)
    send([2, 1])
    source.fail(.first)
    scheduler.run()
    #expect(recorder.log == ["2@2", "1@2", "first@2"])
  }

  @Test func `map delivers an error instead of a later failure of upstream`() {
    let recorder = record(ordered(4), on: scheduler)
    send([2])
    source.send(0)
    source.fail(.first)
    scheduler.run()
    #expect(recorder.log == ["2@2", "second@2"])
  }

  @Test func `a source without values finishes at once, without demand`() {
    let recorder = record(ordered(4), .none)
    source.finish()
    #expect(recorder.log == ["finished"])
  }

  @Test func `a cancelled map cancels its tasks in their order, and drops their results`() {
    let recorder = record(ordered(4))
    send([5, 6, 4])
    recorder.cancel()
    scheduler.run()
    #expect(recorder.log == [])
    #expect(journal.all.suffix(3) == ["5 cancelled", "6 cancelled", "4 cancelled"])
    #expect(source.cancelCount == 1)
    scheduler.assertIdle()
  }

  @Test func `delivers many buffered results without growing the stack`() {
    let count = 20_000
    let scheduler = scheduler
    let recorder = record(
      (0..<count).publisher.map(maxTasks: .max, on: scheduler) { value in
        if value == 0 { try? await scheduler.sleep(for: 1) }
        return value
      })
    scheduler.run()
    #expect(recorder.values == Array(0..<count))
  }

  // MARK: flatMapLatest

  @Test func `flatMapLatest cancels the previous task before it starts the next`() {
    let recorder = record(latest(), on: scheduler)
    send([5])
    send([2])
    #expect(journal.all == ["5 begins", "5 cancelled", "2 begins"])
    source.finish()
    scheduler.run()
    #expect(recorder.log == ["2@2", "finished@2"])
    #expect(source.requests == [.unlimited])
  }

  @Test func `flatMapLatest drops the error of a cancelled task`() {
    let scheduler = scheduler
    let recorder = record(
      source.flatMapLatest(on: scheduler) { value async throws(TestError) -> Int in
        do { try await scheduler.sleep(for: .seconds(value)) } catch { throw .second }
        return value
      })
    send([5])
    send([1])
    scheduler.run()
    #expect(recorder.log == ["1"])
  }

  @Test func `flatMapLatest fails with the error of the latest task, or with upstream`() {
    let recorder = record(latest())
    send([5])
    send([0])
    #expect(recorder.log == ["second"])
    #expect(source.cancelCount == 1)

    let other = record(latest())
    send([5])
    source.fail(.first)
    scheduler.advance()
    #expect(other.log == ["first"])
    #expect(journal.all.last == "5 cancelled")
    scheduler.assertIdle()
  }

  @Test func `a cancelled flatMapLatest cancels its task`() {
    let recorder = record(latest())
    send([5])
    recorder.cancel()
    scheduler.run()
    #expect(recorder.log == [])
    #expect(journal.all == ["5 begins", "5 cancelled"])
  }

  // MARK: Failures, isolation, non-Sendable values

  @Test func `the failure type follows from upstream and the closure`() {
    let never = [1].publisher
    let plain = never.setFailureType(to: (any Error).self)
    let failing = never.setFailureType(to: TestError.self)
    @Sendable func load(_ number: Int) async throws(TestError) -> String { "\(number)" }

    let results: [AnyPublisher<String, TestError>] = [
      failing.flatMap(maxTasks: 1, on: scheduler) {
        await Task.yield(); return "\($0)"
      }.eraseToAnyPublisher(),
      failing.map(maxTasks: 1, on: scheduler) { "\($0)" }.eraseToAnyPublisher(),
      failing.flatMapLatest(on: scheduler) { "\($0)" }.eraseToAnyPublisher(),
      never.flatMap(maxTasks: 1, on: scheduler) { value async throws(TestError) in try await load(value) }
        .eraseToAnyPublisher(),
      never.map(maxTasks: 1, on: scheduler) { value async throws(TestError) in try await load(value) }
        .eraseToAnyPublisher(),
      never.flatMapLatest(on: scheduler) { value async throws(TestError) in try await load(value) }
        .eraseToAnyPublisher(),
    ]
    let erased: [AnyPublisher<String, any Error>] = [
      plain.flatMap(maxTasks: 1, on: scheduler) { try await load($0) }.eraseToAnyPublisher(),
      never.flatMap(maxTasks: 1, on: scheduler) { try await load($0) }.eraseToAnyPublisher(),
      never.map(maxTasks: 1, on: scheduler) { try await load($0) }.eraseToAnyPublisher(),
      never.flatMapLatest(on: scheduler) { try await load($0) }.eraseToAnyPublisher(),
    ]
    let sure: [AnyPublisher<String, Never>] = [
      never.flatMap(maxTasks: 1, on: scheduler) { "\($0)" }.eraseToAnyPublisher(),
      never.map(maxTasks: 1, on: scheduler) { "\($0)" }.eraseToAnyPublisher(),
      never.flatMapLatest(on: scheduler) { "\($0)" }.eraseToAnyPublisher(),
    ]
    let recorders = (results.map { record($0) }, erased.map { record($0) }, sure.map { record($0) })
    scheduler.run()
    #expect(recorders.0.allSatisfy { $0.log == ["1", "finished"] })
    #expect(recorders.1.allSatisfy { $0.log == ["1", "finished"] })
    #expect(recorders.2.allSatisfy { $0.log == ["1", "finished"] })
  }

  @MainActor @Test func `closures and results belong to the actor where the closure is written`() {
    @MainActor final class Model {
      var seen: [Int] = []
      func search(_ number: Int) async -> Int {
        MainActor.assertIsolated()
        await Task.yield()
        seen.append(number)
        return number
      }
      func streams() -> [AnyPublisher<Int, Never>] {
        [
          (1...3).publisher.flatMap(maxTasks: 2) { await self.search($0) }.eraseToAnyPublisher(),
          (1...3).publisher.map(maxTasks: 2) { await self.search($0) }.eraseToAnyPublisher(),
          (1...3).publisher.flatMapLatest { await self.search($0) }.eraseToAnyPublisher(),
        ]
      }
    }
    scheduler.withVirtualWorld {
      let model = Model()
      var results: [[Int]] = [[], [], []]
      let cancellables = model.streams().enumerated().map { index, stream in
        stream.sink {
          MainActor.assertIsolated()
          results[index].append($0)
        }
      }
      scheduler.advance()
      #expect(results == [[1, 2, 3], [1, 2, 3], [3]])
      withExtendedLifetime(cancellables) {}
    }
  }

  @Test func `values and results need not be Sendable`() {
    final class Box {
      let number: Int
      init(_ number: Int) { self.number = number }
    }
    let recorder = record(
      (1...3).publisher.map { Box($0) }.map(maxTasks: 2, on: scheduler) { Box($0.number * 2) }.map(\.number))
    scheduler.advance()
    #expect(recorder.log == ["2", "4", "6", "finished"])
  }

  @Test func `tasks that are started while virtual time advances run on virtual time`() {
    var recorder: SignalRecorder<Int, TestError>?
    scheduler.at(1) { [work] in
      recorder = record(
        Just(1).map(maxTasks: 1) { value async throws(TestError) in try await work(value) }, on: scheduler)
    }
    scheduler.advance(by: 3)
    #expect(recorder?.log == ["1@2", "finished@2"])
  }

  @Test func `closures without await still create publishers`() {
    let subject = PassthroughSubject<Int, Never>()
    let flat = subject.flatMap { Just($0) }
    let same: Publishers.FlatMap<Just<Int>, PassthroughSubject<Int, Never>> = flat
    let long = subject.flatMap { value in
      let next = value + 1
      return Just(next)
    }
    let typed: AnyPublisher<Int, Never> = long.merge(with: same).eraseToAnyPublisher()
    let recorder = record(typed)
    subject.send(1)
    #expect(recorder.values == [2, 1])
  }

  @Test func `retains nothing after the stream`() {
    weak var released: TestObject?
    let subject = PassthroughSubject<Int, Never>()
    let starts = Log<Int>()
    do {
      nonisolated(unsafe) let object = TestObject()
      released = object
      let scheduler = scheduler
      let closure: @Sendable (Int) async -> Int = {
        starts.append($0)
        try? await scheduler.sleep(for: .seconds($0))
        _ = object
        return 1
      }
      let streams: [AnyPublisher<Int, Never>] = [
        subject.flatMap(maxTasks: 2, on: scheduler) { await closure($0) }.eraseToAnyPublisher(),
        subject.map(maxTasks: 2, on: scheduler) { await closure($0) }.eraseToAnyPublisher(),
        subject.flatMapLatest(on: scheduler) { await closure($0) }.eraseToAnyPublisher(),
      ]
      let cancellables = streams.map { $0.sink { _ in } }
      for value in [2, 1] { subject.send(value) }
      scheduler.advance(by: 1)
      for cancellable in cancellables { cancellable.cancel() }
      scheduler.run()
    }
    #expect(starts.all.count == 6)
    #expect(released == nil)
    scheduler.assertIdle()
  }
}
