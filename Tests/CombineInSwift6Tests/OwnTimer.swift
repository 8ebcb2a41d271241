import Combine
import Foundation
import Testing

// A program that has a `Publishers.Timer` of its own, which hides any other.

extension Publishers {
  struct Timer: Publisher {
    typealias Output = Date
    typealias Failure = Never

    let interval: TimeInterval

    func receive<S: Subscriber>(subscriber: S) where S.Input == Date, S.Failure == Never {
      Foundation.Timer.publish(every: interval, on: .main, in: .common).autoconnect().receive(subscriber: subscriber)
    }
  }

  static func ticks() -> Timer { Timer(interval: 2) }
}

struct OwnTimerTests {
  @Test func `a program's own Publishers.Timer is found everywhere`() {
    #expect(Publishers.Timer(interval: 1).interval == 1)
    #expect(Publishers.ticks().interval == 2)
  }
}
