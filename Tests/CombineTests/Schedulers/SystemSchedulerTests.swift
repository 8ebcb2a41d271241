import Combine
import Foundation
import XCTest

final class SystemSchedulerTests: XCTestCase {
  private var subscriptions = Set<AnyCancellable>()

  func testReceiveOnMain() {
    let expectation = XCTestExpectation(description: "main thread")
    Just(1)
      .subscribe(on: DispatchQueue.global())
      .map { value -> Bool in
        XCTAssertFalse(Thread.isMainThread)
        return value == 1
      }
      .receive(on: RunLoop.main)
      .sink { isOne in
        XCTAssertTrue(isOne)
        XCTAssertTrue(Thread.isMainThread)
        expectation.fulfill()
      }
      .store(in: &subscriptions)
    wait(for: [expectation], timeout: 30)
  }

  func testSerialOperationQueue() {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    queue.name = "serial"
    let finished = expectation(description: "finished")
    var output = [Int]()
    (1...5).publisher
      .receive(on: queue)
      .sink(
        receiveCompletion: { _ in finished.fulfill() },
        receiveValue: {
          XCTAssertEqual(OperationQueue.current, queue)
          output.append($0)
        }
      )
      .store(in: &subscriptions)
    wait(for: [finished], timeout: 30)
    XCTAssertEqual(output, [1, 2, 3, 4, 5])
  }

  func testOptions() {
    let group = DispatchGroup()
    let queue = DispatchQueue(label: "options")
    let options = DispatchQueue.SchedulerOptions(qos: .utility, group: group)
    var ran = false
    queue.schedule(options: options) { ran = true }
    group.wait()
    XCTAssertTrue(ran)
    XCTAssertEqual(options.qos, .utility)
  }

  func testDates() {
    let start = DispatchQueue.SchedulerTimeType(DispatchTime(uptimeNanoseconds: 1_000))
    let end = start.advanced(by: .nanoseconds(500))
    XCTAssertEqual(end.dispatchTime.uptimeNanoseconds, 1_500)
    XCTAssertEqual(start.distance(to: end), .nanoseconds(500))
    XCTAssertLessThan(start, end)

    let date = RunLoop.SchedulerTimeType(Date(timeIntervalSinceReferenceDate: 0))
    XCTAssertEqual(date.advanced(by: 1.5).date.timeIntervalSinceReferenceDate, 1.5)

    let interval: OperationQueue.SchedulerTimeType.Stride = .milliseconds(1500)
    XCTAssertEqual(interval.timeInterval, 1.5)
    XCTAssertEqual(OperationQueue.SchedulerTimeType.Stride(1.5), interval)
    XCTAssertEqual(interval * 2, 3)
    XCTAssertEqual(DispatchQueue.SchedulerTimeType.Stride(.seconds(1)).timeInterval, .nanoseconds(1_000_000_000))
  }

  func testRepeatingOnAQueue() {
    let queue = DispatchQueue(label: "repeating")
    let three = expectation(description: "three times")
    three.expectedFulfillmentCount = 3
    three.assertForOverFulfill = false
    let cancellable = queue.schedule(after: queue.now, interval: .milliseconds(1)) { three.fulfill() }
    wait(for: [three], timeout: 30)
    cancellable.cancel()
  }

  func testImmediateScheduler() {
    let scheduler = ImmediateScheduler.shared
    var log = [String]()
    scheduler.schedule { log.append("inside") }
    log.append("after")
    scheduler.schedule(after: scheduler.now.advanced(by: 100)) { log.append("no delay") }
    XCTAssertEqual(log, ["inside", "after", "no delay"])

    var delayed: Int?
    Just(7).delay(for: .seconds(60), scheduler: ImmediateScheduler.shared)
      .sink { delayed = $0 }
      .store(in: &subscriptions)
    XCTAssertEqual(delayed, 7)
  }

  // MARK: - Timers

  private var timer: Timer.TimerPublisher = Timer.publish(every: 0.001, on: .main, in: .common)
  private var connection: Cancellable?

  func testAutoconnect() {
    let ticked = expectation(description: "ticked")
    ticked.expectedFulfillmentCount = 2
    Timer.publish(every: 0.001, tolerance: 0.0005, on: RunLoop.main, in: RunLoop.Mode.default)
      .autoconnect()
      .scan(0) { count, _ in count + 1 }
      .prefix(2)
      .sink { _ in ticked.fulfill() }
      .store(in: &subscriptions)
    waitForExpectations(timeout: 30)
  }

  func testTimerPublisherAsProperty() {
    XCTAssertEqual(timer.interval, 0.001)
    let ticked = expectation(description: "ticked")
    ticked.assertForOverFulfill = false
    timer
      .map { date -> TimeInterval in date.timeIntervalSinceNow }
      .sink { _ in ticked.fulfill() }
      .store(in: &subscriptions)
    connection = timer.connect()
    waitForExpectations(timeout: 30)
    connection?.cancel()
    connection = nil
  }

  func testAutoconnectedTimerAsProperty() {
    struct Countdown {
      let timer: Publishers.Autoconnect<Timer.TimerPublisher> = Timer.publish(
        every: 0.001, on: .current, in: .default
      ).autoconnect()
      var remaining = 3
    }
    var countdown = Countdown()
    let zero = expectation(description: "zero")
    countdown.timer
      .sink { _ in
        countdown.remaining -= 1
        if countdown.remaining == 0 {
          XCTAssertEqual(countdown.timer.upstream.interval, 0.001)
          zero.fulfill()
          self.subscriptions.removeAll()
        }
      }
      .store(in: &subscriptions)
    waitForExpectations(timeout: 30)
    XCTAssertEqual(countdown.remaining, 0)
  }
}
