import Dispatch
import ServiceLifecycle
import StreamAlgorithms
import Streams
import StreamsService
import TestSupport
import Testing

@Suite(.aloneInProcess)
struct GracefulShutdownPublisherTests {
  /// A service that calls a closure.
  struct Closure: Service {
    let body: @Sendable () async throws -> Void

    func run() async throws { try await body() }
  }

  @Test func `a loop in a service ends with the graceful shutdown`() async throws {
    let orders = PassthroughSubject<Int, Never>()
    let stored = Collected<Int>()
    let group = ServiceGroup(
      Closure {
        for await order in orders.finish(when: GracefulShutdownPublisher()).values(bounded: 10, whenFull: .dropOldest) {
          stored.append(order)
        }
      })
    async let ended: Void = group.run()
    try await wait(for: "an order is stored") {
      orders.send(1)
      return stored.count > 0
    }
    await group.triggerGracefulShutdown()
    try await ended
  }

  @Test func `one value follows if the shutdown was triggered before`() async throws {
    let received = Collected<String>()
    let group = ServiceGroup(
      Closure {
        try await gracefulShutdown()
        for await _ in GracefulShutdownPublisher().values { received.append("value") }
        received.append("end")
      })
    await group.triggerGracefulShutdown()
    try await group.run()
    #expect(received.values == ["value", "end"])
  }

  @Test func `it waits for demand and may be cancelled`() async throws {
    let received = Collected<String>()
    let group = ServiceGroup(
      Closure {
        let cancelled = GracefulShutdownPublisher().sink(isolation: nil) { _ in received.append("cancelled") }
        cancelled.cancel()
        let kept = GracefulShutdownPublisher().sink(isolation: nil) {
          received.append("end \($0)")
        } receiveValue: {
          received.append("value")
        }
        try await wait(for: "the stream ends") { received.count == 2 }
        kept.cancel()
      })
    await group.triggerGracefulShutdown()
    try await group.run()
    #expect(received.values == ["value", "end finished"])
  }

  @Test func `nothing is published outside a group`() async throws {
    let received = Collected<String>()
    let outside = GracefulShutdownPublisher().sink(isolation: nil) { _ in received.append("outside") }
    // The shutdown of a group whose task isn't the subscribing one.
    let group = ServiceGroup(StreamService("other") { $0 })
    await group.triggerGracefulShutdown()
    try await group.run()
    outside.cancel()
    #expect(received.values == [])
  }
}
