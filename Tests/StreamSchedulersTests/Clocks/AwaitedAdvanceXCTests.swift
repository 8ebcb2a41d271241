import Dispatch
import StreamSchedulers
import XCTest

/// Some of `AwaitedAdvanceTests`, written with XCTest.
@MainActor
final class AwaitedAdvanceXCTests: XCTestCase {
  func testNoTaskOfTheMainActorIsMissed() async {
    var missed = 0
    for _ in 0..<25 {
      let clock = TestClock()
      var isDone = false
      let task = Task { @MainActor in
        try await clock.sleep(for: .seconds(1))
        isDone = true
      }
      await clock.advance(by: .seconds(1))
      if !isDone { missed += 1 }
      task.cancel()
    }
    XCTAssertEqual(missed, 0)
  }

  func testFiveSleepsWakeFiveTimes() async {
    for _ in 0..<20 {
      let scheduler = DispatchQueue.test
      var instants: [Int] = []
      Task { @MainActor in
        for _ in 1...5 {
          try await scheduler.sleep(for: .seconds(1))
          instants.append(scheduler.elapsed.magnitude / 1_000_000_000)
        }
      }
      await scheduler.advance(by: .seconds(5))
      XCTAssertEqual(instants, [1, 2, 3, 4, 5])
    }
  }

  func testATaskOfTheModelWakesThroughAnyClock() async {
    var missed = 0
    for _ in 0..<25 {
      let test = TestClock()
      let clock: any Clock<Duration> = test
      var isDone = false
      Task { @MainActor in
        try await clock.sleep(for: .seconds(1))
        isDone = true
      }
      await test.advance(by: .seconds(1))
      if !isDone { missed += 1 }
    }
    XCTAssertEqual(missed, 0)
  }

  func testAwaitingRun() async {
    let scheduler = DispatchQueue.test
    var count = 0
    Task { @MainActor in
      for second in 1...5 {
        try await scheduler.sleep(for: .seconds(second))
        count += 1
      }
    }
    await scheduler.run()
    XCTAssertEqual(count, 5)
  }
}
