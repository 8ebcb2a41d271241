import Combine
import Foundation
import XCTest

// Publishers of a program that are declared in an extension of `Publishers`, and use Foundation's timer there.

extension Publishers {
  static func seconds() -> AnyPublisher<Date, Never> {
    Timer.publish(every: 1, on: .main, in: .common).autoconnect().eraseToAnyPublisher()
  }

  static func connectableSeconds(_ mode: RunLoop.Mode) -> Timer.TimerPublisher {
    Timer.publish(every: 1, tolerance: 0.1, on: .current, in: mode)
  }

  /// A clock that ticks after each interval.
  struct Clock: Publisher {
    typealias Output = Int
    typealias Failure = Never

    let timer: Timer.TimerPublisher

    init(every interval: TimeInterval) {
      timer = Timer.publish(every: interval, on: .main, in: .default)
    }

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
      timer.autoconnect().scan(0) { count, _ in count + 1 }.receive(subscriber: subscriber)
    }
  }
}

final class TimerInPublishersTests: XCTestCase {
  func testTimersAreFoundations() {
    let _: Foundation.Timer.TimerPublisher = Publishers.connectableSeconds(.common)
    XCTAssertEqual(Publishers.connectableSeconds(.common).interval, 1)
    XCTAssertEqual(Publishers.connectableSeconds(.common).tolerance, 0.1)
    XCTAssertEqual(Publishers.connectableSeconds(.common).mode, .common)
    _ = Publishers.seconds().sink { _ in }
  }

  func testClockTicks() {
    let ticked = expectation(description: "ticked")
    let clock = Publishers.Clock(every: 0.001).prefix(3).collect().sink {
      XCTAssertEqual($0, [1, 2, 3])
      ticked.fulfill()
    }
    wait(for: [ticked], timeout: 30)
    clock.cancel()
  }
}
