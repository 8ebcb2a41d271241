import Dispatch
import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// Futures that a task fulfills, and their deferred form, which starts a task for every subscriber.
struct FutureTaskTests {
  private let scheduler = DispatchQueue.test
  private let journal = Journal()

  /// Sleeps for a second, and records its beginning, end and cancellation.
  @Sendable private func work(_ number: Int) async -> Int {
    journal.note("\(number) begins")
    do {
      try await scheduler.sleep(for: 1)
      journal.note("\(number) ends")
    } catch {
      journal.note("\(number) cancelled")
    }
    return number
  }

  @Test func `a completion handler can call the promise`() {
    func load(_ completion: @escaping @Sendable (Result<Int, any Error>) -> Void) {
      DispatchQueue(label: "loader").sync { completion(.success(1)) }
    }
    #expect(log(Future<Int, any Error> { promise in load { promise($0) } }) == ["1", "finished"])
    #expect(log(Future<Int, any Error> { load($0) }) == ["1", "finished"])

    var stored: ((Result<Int, Never>) -> Void)?
    func attempt(_ promise: @escaping (Result<Int, Never>) -> Void) { stored = promise }
    let recorder = record(Future<Int, Never>(attempt))
    stored?(.success(2))
    #expect(recorder.log == ["2", "finished"])
  }

  @Test func `starts its task at once and delivers the result to every subscriber`() {
    let future = Future(on: scheduler) { [work] in await work(1) }
    scheduler.advance()
    #expect(journal.all == ["1 begins"])
    let recorder = record(future, on: scheduler)
    scheduler.advance(by: 1)
    #expect(recorder.log == ["1@1", "finished@1"])
    #expect(collect(future) == [1])
    #expect(journal.all == ["1 begins", "1 ends"])
  }

  @Test func `fails with the error that the closure throws`() {
    let future = Future(on: scheduler) { () async throws(TestError) -> Int in throw .first }
    let recorder = record(future, .none)
    scheduler.advance()
    #expect(recorder.log == ["first"])
    let plain: Future<Int, any Error> = Future(on: scheduler) { throw TestError.second }
    let other = record(plain)
    scheduler.advance()
    #expect(other.log == ["second"])
  }

  @Test func `cancels its task when no subscriber and no reference is left`() {
    var future: Future<Int, Never>? = Future(on: scheduler) { [work] in await work(1) }
    let recorder = record(future!)
    scheduler.advance()
    future = nil
    scheduler.advance()
    #expect(journal.all == ["1 begins"])
    recorder.cancel()
    scheduler.advance()
    #expect(journal.all == ["1 begins", "1 cancelled"])
    #expect(recorder.log == [])
    scheduler.assertIdle()
  }

  @Test func `does not cancel its task while the future is referenced`() {
    let future = Future(on: scheduler) { [work] in await work(1) }
    let recorder = record(future)
    recorder.cancel()
    scheduler.advance(by: 1)
    #expect(journal.all == ["1 begins", "1 ends"])
    #expect(collect(future) == [1])
  }

  @Test func `does not cancel its task while a task awaits its value`() throws {
    let result = try scheduler.run { [scheduler, work] in
      let future = Future(on: scheduler) { await work(1) }
      async let value = future.value
      return await value
    }
    #expect(result == 1)
    #expect(journal.all == ["1 begins", "1 ends"])
  }

  @Test func `Task.isCancelled is false in subscribers`() {
    let journal = journal
    var future: Future<Int, Never>? = Future(on: scheduler) { 1 }
    let cancellable = future!.sink { _ in journal.note("cancelled: \(Task.isCancelled)") }
    future = nil
    scheduler.advance()
    #expect(journal.all == ["cancelled: false"])
    withExtendedLifetime(cancellable) {}
  }

  @Test func `releases its closure when the closure has returned`() {
    weak var released: TestObject?
    let future: Future<Int, Never>
    do {
      nonisolated(unsafe) let object = TestObject()
      released = object
      future = Future(on: scheduler) {
        _ = object
        return 1
      }
    }
    #expect(released != nil)
    scheduler.advance()
    #expect(released == nil)
    withExtendedLifetime(future) {}
  }

  @Test func `runs on an executor`() {
    let future = Future(on: scheduler.taskExecutor!) { 1 }
    let deferred = Deferred(on: scheduler.taskExecutor!) { 2 }
    let recorders = [record(future), record(deferred)]
    #expect(recorders.map(\.log) == [[], []])
    scheduler.advance()
    #expect(recorders.map(\.values) == [[1], [2]])
  }

  @Test func `a task that is started while virtual time advances runs on virtual time`() {
    var recorder: SignalRecorder<Int, Never>?
    scheduler.at(1) { [work] in recorder = record(Future { await work(1) }, on: scheduler) }
    scheduler.advance(by: 2)
    #expect(recorder?.log == ["1@2", "finished@2"])
  }

  @MainActor @Test func `a closure inherits the actor where it is written`() {
    @MainActor final class Model {
      var count = 1
      func load() async -> Int {
        MainActor.assertIsolated()
        return count
      }
      func future() -> Future<Int, Never> { Future { await self.load() } }
      func deferred() -> Deferred<Future<Int, Never>> { Deferred { self.count } }
    }
    scheduler.withVirtualWorld {
      let model = Model()
      let cancellables = [
        model.future().sink { _ in MainActor.assertIsolated() },
        model.deferred().sink { _ in MainActor.assertIsolated() },
      ]
      let recorder = record(model.future().append(model.deferred()))
      scheduler.advance()
      #expect(recorder.log == ["1", "1", "finished"])
      withExtendedLifetime(cancellables) {}
    }
  }

  @MainActor @Test func `tasks that one actor starts begin in that order`() {
    let journal = journal
    scheduler.withVirtualWorld {
      let futures = (0..<20).map { number in
        Future { @MainActor in journal.note("\(number)") }
      }
      scheduler.advance()
      #expect(journal.all == (0..<20).map(String.init))
      withExtendedLifetime(futures) {}
    }
  }

  @Test func `a closure can call methods of its actor`() async {
    actor Store {
      func load() -> Int {
        assertIsolated()
        return 1
      }
      func future() -> Future<Int, Never> { Future { self.load() } }
    }
    #expect(await Store().future().value == 1)
  }

  @Test func `a result can be a non-Sendable value`() {
    final class Page {
      var number = 1
    }
    let recorder = record(Future(on: scheduler) { Page() }.map(\.number))
    scheduler.advance()
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func `a deferred task starts for each subscriber and is cancelled with its subscription`() {
    let deferred = Deferred(on: scheduler) { [work] in await work(1) }
    scheduler.advance()
    #expect(journal.all == [])
    let one = record(deferred)
    let two = record(deferred)
    scheduler.advance()
    #expect(journal.all == ["1 begins", "1 begins"])
    one.cancel()
    scheduler.advance(by: 1)
    #expect(journal.all == ["1 begins", "1 begins", "1 cancelled", "1 ends"])
    #expect(one.log == [])
    #expect(two.log == ["1", "finished"])
    scheduler.assertIdle()
  }

  @Test func `retry starts a deferred task again`() {
    let journal = journal
    let recorder = record(
      Deferred(on: scheduler) { () async throws(TestError) -> Int in
        journal.note("try")
        throw .first
      }.retry(2))
    scheduler.advance()
    #expect(journal.all == ["try", "try", "try"])
    #expect(recorder.log == ["first"])
  }

  @Test func `closures without await still create publishers`() {
    let just: Deferred<Just<Int>> = Deferred { Just(1) }
    let long = Deferred {
      let number = 2
      return Just(number)
    }
    let typed: Deferred<Just<Int>> = long
    let future: Deferred<Future<Int, Never>> = Deferred { Future { promise in promise(.success(3)) } }
    #expect(collect(just) + collect(typed) + collect(future) == [1, 2, 3])
  }
}
