import ServiceLifecycle
import StreamAlgorithms
import Streams
import StreamsService
import Synchronization
import TestSupport
import Testing

@Suite(.aloneInProcess)
struct StopStormTests {
  /// What happened in one round.
  final class Round: Sendable {
    let acknowledged = Mutex<Set<Int>>([])
    let handled = Mutex<Set<Int>>([])

    var count: Int { acknowledged.withLock { $0.count } }

    var lost: Int {
      let handled = handled.withLock { $0 }
      return acknowledged.withLock { $0.subtracting(handled).count }
    }
  }

  /// Stops a group while tasks send, at an arbitrary moment, and records the values that were acknowledged and handled.
  func stop(afterAcknowledged limit: Int) async throws -> Round {
    let orders = BoundedSubject<Int, Never>(bounded: 32)
    let round = Round()
    let service = StreamService("orders") { stop in
      orders.finish(when: stop)
        .map(maxTasks: 8) { order in
          for _ in 0..<order % 4 { await Task.yield() }
          return order
        }
        .handleEvents(receiveOutput: { order in round.handled.withLock { _ = $0.insert(order) } })
    }
    let group = ServiceGroup(service)
    try await withThrowingTaskGroup { tasks in
      tasks.addTask {
        // If the service didn't complete the subject, its senders would never end.
        defer { orders.send(completion: .finished) }
        try await group.run()
      }
      for sender in 0..<6 {
        tasks.addTask {
          do {
            for number in 0... {
              let order = number * 6 + sender
              try await orders.send(order)
              round.acknowledged.withLock { _ = $0.insert(order) }
              await Task.yield()
            }
          } catch is CancellationError {}  // The subject has been completed.
        }
      }
      try await wait(for: "\(limit) values are acknowledged") { round.count >= limit }
      await group.triggerGracefulShutdown()
      try await tasks.waitForAll()
    }
    return round
  }

  @Test func `no acknowledged value is lost in a thousand stops under load`() async throws {
    var (acknowledged, lost) = (0, 0)
    for _ in 0..<1_000 {
      let round = try await stop(afterAcknowledged: .random(in: 1...250))
      #expect(round.count > 0)
      #expect(round.lost == 0)
      acknowledged += round.count
      lost += round.lost
    }
    print("1,000 stops: \(acknowledged) acknowledged values, \(lost) lost")
  }
}
