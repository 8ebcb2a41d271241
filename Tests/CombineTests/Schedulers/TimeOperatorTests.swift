import Combine
import Foundation
import XCTest

/// Emits a growing number each `interval`, on any scheduler.
func ticks<S: Scheduler>(
  every interval: S.SchedulerTimeType.Stride,
  tolerance: S.SchedulerTimeType.Stride? = nil,
  on scheduler: S,
  options: S.SchedulerOptions? = nil
) -> AnyPublisher<Int, Never> {
  Deferred { () -> AnyPublisher<Int, Never> in
    let subject = PassthroughSubject<Int, Never>()
    var count = 0
    let cancellable = scheduler.schedule(
      after: scheduler.now.advanced(by: interval), interval: interval,
      tolerance: tolerance ?? scheduler.minimumTolerance, options: options
    ) {
      count += 1
      subject.send(count)
    }
    return
      subject
      .handleEvents(receiveCancel: { cancellable.cancel() })
      .eraseToAnyPublisher()
  }
  .eraseToAnyPublisher()
}

extension Publisher {
  /// Retries after a pause.
  func retry<S: Scheduler>(
    _ retries: Int, delay: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil
  ) -> AnyPublisher<Output, Failure> {
    self.catch { error -> AnyPublisher<Output, Failure> in
      guard retries > 0 else {
        return Fail(error: error).eraseToAnyPublisher()
      }
      return Just(())
        .delay(for: delay, scheduler: scheduler, options: options)
        .setFailureType(to: Failure.self)
        .flatMap { self.retry(retries - 1, delay: delay, scheduler: scheduler, options: options) }
        .eraseToAnyPublisher()
    }
    .eraseToAnyPublisher()
  }
}

private struct TimedOut: Error {}

final class TimeOperatorTests: XCTestCase {
  private var bag = [AnyCancellable]()

  func testThrottle() {
    let scheduler = DispatchQueue.test
    let subject = PassthroughSubject<Int, Never>()
    var latest = [Int](), first = [Int]()
    subject.throttle(for: .seconds(1), scheduler: scheduler, latest: true)
      .sink { latest.append($0) }.store(in: &bag)
    subject.throttle(for: .seconds(1), scheduler: scheduler, latest: false)
      .sink { first.append($0) }.store(in: &bag)
    subject.send(1)
    scheduler.advance(by: .milliseconds(100))
    subject.send(2)
    subject.send(3)
    scheduler.advance(by: .seconds(2))
    XCTAssertEqual(latest, [1, 3])
    XCTAssertEqual(first, [1, 2])
  }

  func testCollectByTime() {
    let scheduler = RunLoop.test
    let subject = PassthroughSubject<String, Never>()
    var byTime = [[String]](), byTimeOrCount = [[String]]()
    subject.collect(.byTime(scheduler, .seconds(4)))
      .sink { byTime.append($0) }.store(in: &bag)
    subject.collect(.byTimeOrCount(scheduler, 4, 2))
      .sink { byTimeOrCount.append($0) }.store(in: &bag)
    ["C", "o", "m"].forEach(subject.send)
    scheduler.advance(by: 4)
    ["b", "o"].forEach(subject.send)
    subject.send(completion: .finished)
    scheduler.advance()
    XCTAssertEqual(byTime, [["C", "o", "m"], ["b", "o"]])
    XCTAssertEqual(byTimeOrCount, [["C", "o"], ["m"], ["b", "o"]])
  }

  func testTimeout() {
    let scheduler = OperationQueue.test
    let subject = PassthroughSubject<Int, Error>()
    var completion: Subscribers.Completion<Error>?
    subject.timeout(.seconds(5), scheduler: scheduler, customError: { TimedOut() })
      .sink(receiveCompletion: { completion = $0 }, receiveValue: { _ in })
      .store(in: &bag)
    scheduler.advance(by: .seconds(4))
    subject.send(1)
    scheduler.advance(by: .seconds(4))
    XCTAssertNil(completion)
    scheduler.advance(by: .seconds(1))
    guard case .failure(let error)? = completion else { return XCTFail("no failure") }
    XCTAssertTrue(error is TimedOut)
  }

  func testMeasureInterval() {
    let scheduler = DispatchQueue.test
    let subject = PassthroughSubject<Void, Never>()
    var intervals = [DispatchQueue.SchedulerTimeType.Stride]()
    subject.measureInterval(using: scheduler).sink { intervals.append($0) }.store(in: &bag)
    scheduler.advance(by: .seconds(2))
    subject.send()
    scheduler.advance(by: .milliseconds(250))
    subject.send()
    XCTAssertEqual(intervals, [.seconds(2), .milliseconds(250)])
    XCTAssertEqual(intervals.map(\.magnitude), [2_000_000_000, 250_000_000])
  }

  func testRetryWithDelay() {
    let scheduler = DispatchQueue.test
    var attempts = 0
    var values = [String]()
    Deferred { () -> AnyPublisher<String, URLError> in
      attempts += 1
      return attempts < 3
        ? Fail(error: URLError(.notConnectedToInternet)).eraseToAnyPublisher()
        : Just("ok").setFailureType(to: URLError.self).eraseToAnyPublisher()
    }
    .retry(3, delay: .seconds(2), scheduler: scheduler)
    .sink(receiveCompletion: { _ in }, receiveValue: { values.append($0) })
    .store(in: &bag)
    XCTAssertEqual(attempts, 1)
    scheduler.advance(by: 2)
    XCTAssertEqual(attempts, 2)
    scheduler.advance(by: 2)
    XCTAssertEqual(values, ["ok"])
  }

  func testTicks() {
    let scheduler = OperationQueue.test
    var values = [Int]()
    let cancellable = ticks(every: .seconds(1), on: scheduler).sink { values.append($0) }
    scheduler.advance(by: 3)
    cancellable.cancel()
    scheduler.advance(by: 3)
    XCTAssertEqual(values, [1, 2, 3])
  }
}
