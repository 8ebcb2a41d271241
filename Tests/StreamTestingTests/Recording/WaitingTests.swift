import Dispatch
import Foundation
import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// Live streams, recorded and awaited without a scheduler.
@Suite
struct RecorderWaitingTests {
  private let queue = DispatchQueue(label: "live")

  private func issues(_ body: nonisolated(nonsending) () async -> Void) async -> [ReportedIssue] {
    await IssueReporter.withCapture(body).issues
  }

  @Test func `waits for one value after another`() async {
    let recorder = (1...3).publisher.receive(on: queue).record()
    #expect(await recorder.next() == 1)
    #expect(await recorder.next() == 2)
    #expect(await recorder.next(1) == [3])
    #expect(await recorder.finished())
  }

  @Test func `waits for a value from another thread`() async {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = subject.record()
    queue.async { subject.send(1) }
    #expect(await recorder.next() == 1)
    queue.async { subject.send(completion: .finished) }
    #expect(await recorder.finished())
  }

  @Test func `returns values that have already arrived immediately`() async {
    let recorder = [1, 2, 3].publisher.record()
    #expect(await recorder.next(2) == [1, 2])
    #expect(await recorder.next() == 3)
  }

  @Test func `a stream that ends too early is reported at the caller's line`() async {
    let recorder = [1, 2].publisher.record()
    let line = #line + 2 as UInt
    let issues = await issues {
      #expect(await recorder.next(3) == [1, 2])
    }
    #expect(
      issues.map(\.message) == [
        "The stream ended (finished) before value 3 of 3 arrived. So far: 1, 2, finished."
      ])
    #expect(issues.map(\.line) == [line])
  }

  @Test func `a timeout is reported with the events so far`() async {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = subject.record(demand: .max(1))
    let nothing = await issues { #expect(await recorder.next(timeout: .milliseconds(1)) == nil) }
    #expect(
      nothing.map(\.message) == [
        """
        No value arrived within 0.001 seconds while waiting for another value. No events so far.

        Why nothing arrives: PassthroughSubject<Int, Never> has sent this stream no value. Call send(_:) on this instance, which doesn't keep what was sent before.
          recorder   received 0
          ← PassthroughSubject<Int, Never>   1 subscriber, downstream wants 1
        """
      ])
    subject.send(1)
    let unfinished = await issues { #expect(await recorder.finished(timeout: .milliseconds(1)) == false) }
    #expect(
      unfinished.map(\.message) == [
        """
        The stream did not finish within 0.001 seconds. So far: 1; no more values were requested.

        Why nothing arrives: No demand: recorder has received all the values that it requested and hasn't requested more, so \
        PassthroughSubject<Int, Never> must not send any. Call request(_:) on the recorder, or record with another demand.
          recorder   received 1
          ← PassthroughSubject<Int, Never>   1 subscriber, downstream wants none
        """
      ])
  }

  @Test func `finished() returns false after a failure or a cancellation`() async {
    let failed = Fail<Int, TestFailure>(error: TestFailure()).record()
    let cancelled = PassthroughSubject<Int, Never>().record()
    cancelled.cancel()
    let issues = await issues {
      #expect(await failed.finished() == false)
      #expect(await cancelled.finished() == false)
    }
    #expect(
      issues.map(\.message) == [
        "The stream failed: TestFailure().", "The stream was cancelled before it finished.",
      ])
  }

  @Test func `a cancelled task stops waiting and reports nothing`() async {
    let recorder = PassthroughSubject<Int, Never>().record()
    let isWaiting = Log<Int>()
    let task = Task {
      await IssueReporter.withCapture {
        isWaiting.append(1)
        #expect(await recorder.next() == nil)
      }.issues
    }
    _ = await isWaiting.first(1)
    task.cancel()
    #expect(await task.value == [])
  }
}

@Suite(.ownThread)
struct BlockingTests {
  private let queue = DispatchQueue(label: "live")

  @Test func `reads values that arrive synchronously`() throws {
    #expect(try [1, 2, 3].publisher.blocking().toArray() == [1, 2, 3])
    #expect(try [1, 2, 3].publisher.blocking().first() == 1)
    #expect(try [1, 2, 3].publisher.blocking().last() == 3)
    #expect(try [7].publisher.blocking().single() == 7)
    #expect(try [1, 2].publisher.blocking().materialize() == .completed(elements: [1, 2]))
  }

  @Test func `waits for values from other threads`() throws {
    let numbers = (1...3).publisher.delay(for: .milliseconds(1), scheduler: queue)
    #expect(try numbers.blocking().toArray() == [1, 2, 3])
    #expect(try numbers.blocking().first() == 1)
  }

  @Test func `first stops at the first value, and single at the second`() throws {
    var log: [String] = []
    let endless = (1...).publisher.handleEvents(receiveOutput: { log.append("\($0)") })
    #expect(try endless.blocking().first() == 1)
    #expect(throws: BlockingError.moreThanOneElement("1", "2")) { try endless.blocking().single() }
    #expect(log == ["1", "1", "2"])
  }

  @Test func `a failure is thrown, or is part of the materialized result`() throws {
    let failing = [1].publisher.setFailureType(to: TestFailure.self).append(Fail(error: TestFailure()))
    #expect(throws: TestFailure()) { try failing.blocking().toArray() }
    #expect(throws: TestFailure()) { try failing.blocking().last() }
    #expect(try failing.blocking().first() == 1)
    #expect(try failing.blocking().materialize() == .failed(elements: [1], TestFailure()))
  }

  @Test func `reading an empty stream throws noElements`() {
    let empty = Empty<Int, Never>()
    #expect(throws: BlockingError.noElements) { try empty.blocking().first() }
    #expect(throws: BlockingError.noElements) { try empty.blocking().last() }
    #expect(throws: BlockingError.noElements) { try empty.blocking().single() }
    #expect("\(BlockingError.noElements)" == "The stream finished without a value, but one was expected.")
    #expect(
      "\(BlockingError.moreThanOneElement("1", "2"))"
        == "The stream sent more than one value, but one was expected: 1, then 2.")
  }

  @Test func `an error states the line of the read, which equality ignores`() throws {
    func thrown(by read: () throws -> Void) -> (any Error)? {
      do {
        try read()
        return nil
      } catch {
        return error
      }
    }
    let line = #line + 1
    let empty = thrown { _ = try Empty<Int, Never>().blocking().single() }
    let text = "The stream read at WaitingTests.swift:\(line) finished without a value, but one was expected."
    #expect(empty.map { "\($0)" } == text)
    #expect(empty as? BlockingError == .noElements)

    let late = thrown { _ = try Empty<Int, Never>(completeImmediately: false).blocking(timeout: 0.001).materialize() }
    let lateText = "The stream read at WaitingTests.swift:\(line + 5) did not end within 0.001 seconds."
    #expect(late.map { "\($0)".hasPrefix(lateText) } == true)
    guard case .timedOut(after: .milliseconds(1), progress: _)? = (late as? BlockingError)?.reason else {
      throw try #require(late)
    }
    do {
      _ = try Empty<Int, Never>().blocking().first()
      Issue.record("nothing was thrown")
    } catch BlockingError.noElements {
      return
    }
  }

  @Test func `a timeout is a number of seconds, a value with a unit, or a duration`() async throws {
    let duration = Duration.seconds(2)
    #expect(Just(1).blocking(timeout: 2).timeout == .seconds(2))
    #expect(Just(1).blocking(timeout: 0.25).timeout == .milliseconds(250))
    #expect(Just(1).blocking(timeout: .seconds(2)).timeout == duration)
    #expect(Just(1).blocking(timeout: .milliseconds(300)).timeout == .milliseconds(300))
    #expect(Just(1).blocking(timeout: duration).timeout == duration)
    #expect(try Just(1).blocking(timeout: DispatchQueue.SchedulerTimeType.Stride.seconds(2)).single() == 1)
    let recorder = [1, 2, 3, 4, 5, 6].publisher.record()
    #expect(await recorder.next(timeout: 2) == 1)
    #expect(await recorder.next(timeout: .seconds(2)) == 2)
    #expect(await recorder.next(2, timeout: 2) == [3, 4])
    #expect(await recorder.next(1, timeout: .milliseconds(300)) == [5])
    #expect(await recorder.next(timeout: duration) == 6)
    #expect(await recorder.finished(timeout: 2))
    #expect(await recorder.finished(timeout: .seconds(2)))
  }

  @Test func `a timeout error lists the values so far`() {
    let subject = CurrentValueSubject<Int, Never>(1)
    #expect {
      try subject.blocking(timeout: .milliseconds(1)).toArray()
    } throws: { error in
      "\(error)".contains(" did not end within 0.001 seconds. So far: 1.")
    }
  }

  @Test func `a read cancels its subscription when it times out`() {
    let cancelled = Log<String>()
    let subject = CurrentValueSubject<Int, Never>(1)
    _ = try? subject.handleEvents(receiveCancel: { cancelled.append("cancelled") })
      .blocking(timeout: .milliseconds(1)).toArray()
    #expect(cancelled.all == ["cancelled"])
  }

  // MARK: Test schedulers

  @Test func `throws instead of waiting for a test scheduler that is not advanced`() {
    let scheduler = DispatchQueue.test
    let streams: [AnyPublisher<Int, Never>] = [
      Just(1).delay(for: 1, scheduler: scheduler).eraseToAnyPublisher(),
      Just(1).receive(on: scheduler).eraseToAnyPublisher(),
      scheduler.timerPublisher(every: 1).autoconnect().map { _ in 1 }.eraseToAnyPublisher(),
      scheduler.cold("-1|") { Int($0) }.eraseToAnyPublisher(),
      scheduler.hot("-1|") { Int($0) }.eraseToAnyPublisher(),
      Empty(completeImmediately: false).timeout(1, scheduler: scheduler.eraseToAnyScheduler()).eraseToAnyPublisher(),
    ]
    for stream in streams {
      let error = #expect(throws: BlockingError.self) { try stream.blocking(timeout: .seconds(600)).toArray() }
      let text = """
        is waiting for work on a test scheduler, whose time can't advance while this thread is blocked. \
        Record the stream and call advance(by:) instead, or pass another scheduler, such as .immediate.
        """
      #expect(error?.description.contains("\(text)\n\nWhy nothing arrives: ") == true)
      #expect(error == .waitsForTestScheduler)
    }
  }

  @Test func `throws instead of waiting even if a single action is pending on the test scheduler`() {
    let timer = DispatchQueue.test.timerPublisher(every: 1).autoconnect()
    let error = #expect(throws: BlockingError.self) { try timer.blocking(timeout: .milliseconds(1)).toArray() }
    #expect(error == .waitsForTestScheduler)
  }

  @Test func `reads a stream of a test scheduler that needs no waiting`() throws {
    let scheduler = DispatchQueue.test
    let hot = scheduler.hot("-a|")
    scheduler.run()
    #expect(try hot.blocking().toArray() == [])
    #expect(try Just(1).delay(for: 1, scheduler: DispatchQueue.immediate).blocking().single() == 1)
    scheduler.schedule {}
    #expect(try Just(1).blocking().single() == 1)
  }

  @Test func `waits for a test scheduler that another thread advances`() throws {
    let scheduler = DispatchQueue.test
    let isAdvancing = DispatchSemaphore(value: 0)
    let mayGoOn = DispatchSemaphore(value: 0)
    scheduler.schedule(after: scheduler.now.advanced(by: 1)) {
      isAdvancing.signal()
      mayGoOn.wait()
    }
    queue.async { scheduler.advance(by: 10) }
    isAdvancing.wait()
    // The second publisher is subscribed to when the first has armed its timer.
    let stream = Just(1).delay(for: 1, scheduler: scheduler).merge(
      with: Deferred {
        mayGoOn.signal()
        return Empty<Int, Never>()
      })
    #expect(try stream.blocking().single() == 1)
  }
}
