internal import Dispatch
internal import Foundation
import StreamAlgorithms
internal import StreamSchedulers
internal import Streams
internal import Synchronization

/// Threads that each send to one stream under a context of their own, which must be that of each value received.
package enum ContextStorm {
  private enum Tag {
    @TaskLocal static var value = -1
  }

  /// Sends values through streams of all kinds, and returns the names of those in which values were received under a foreign
  /// context, with the number of these, and the number of all values received.
  ///
  /// To be called in a process of its own, because what is registered is carried for the rest of the process.
  package static func run(count: Int) async -> (received: Int, foreign: [String: Int]) {
    StreamContext.carry(Tag.$value)
    var total = 0
    var mistakes: [String: Int] = [:]
    for (name, shape) in shapes {
      let (received, foreign) = await send(through: shape, threads: 4, each: count / shapes.count / 4)
      if foreign > 0 { mistakes[name] = foreign }
      total += received
    }
    return (total, mistakes)
  }

  private typealias Subjects = [PassthroughSubject<Int, Never>]

  private nonisolated(unsafe) static let shapes: [(name: String, build: (Subjects) -> AnyPublisher<Int, Never>)] = [
    ("subject", { $0[0].merge(with: $0[0].filter { _ in false }).eraseToAnyPublisher() }),
    ("merge", { $0.merge().eraseToAnyPublisher() }),
    ("receive(on:)", { $0.merge().receive(on: DispatchQueue.global()).eraseToAnyPublisher() }),
    (
      "receive(on:) twice",
      {
        $0.merge().receive(on: DispatchQueue.global()).map { $0 }.receive(on: DispatchQueue.global())
          .eraseToAnyPublisher()
      }
    ),
    ("share", { $0.merge().share().eraseToAnyPublisher() }),
    ("share(replay:)", { $0.merge().share(replay: 3).eraseToAnyPublisher() }),
    ("flatMap", { $0.publisher.flatMap { $0 }.eraseToAnyPublisher() }),
    (
      "flatMap one at a time",
      { subjects in
        subjects.merge().buffer(size: 1_000_000, prefetch: .byRequest, whenFull: .dropOldest)
          .flatMap(maxPublishers: .max(1)) { Just($0).receive(on: DispatchQueue.global()) }.eraseToAnyPublisher()
      }
    ),
    (
      "buffer that drops",
      { subjects in
        subjects.merge().buffer(size: 4, prefetch: .byRequest, whenFull: .dropOldest)
          .flatMap(maxPublishers: .max(1)) { Just($0).receive(on: DispatchQueue.global()) }.eraseToAnyPublisher()
      }
    ),
    ("delay", { $0.merge().delay(for: .microseconds(10), scheduler: DispatchQueue.global()).eraseToAnyPublisher() }),
    (
      "throttle",
      {
        $0.merge().throttle(for: .microseconds(50), scheduler: DispatchQueue.global(), latest: true)
          .eraseToAnyPublisher()
      }
    ),
    (
      "debounce",
      { $0.merge().debounce(for: .microseconds(1), scheduler: DispatchQueue.global()).eraseToAnyPublisher() }
    ),
    (
      "current value",
      { subjects in
        let subject = CurrentValueSubject<Int, Never>(-1)
        let forward = subjects.merge().subscribe(subject)
        return subject.handleEvents(receiveCancel: { forward.cancel() }).eraseToAnyPublisher()
      }
    ),
    ("tasks", { $0.merge().map(maxTasks: 4) { value async in value }.eraseToAnyPublisher() }),
    (
      "tasks by key",
      { $0.merge().map(maxTasks: .max, by: { $0 % 3 }) { value async in value }.eraseToAnyPublisher() }
    ),
    (
      "receive, bounded",
      { $0.merge().receive(on: DispatchQueue.global(), bounded: 8, whenFull: .dropOldest).eraseToAnyPublisher() }
    ),
    ("merge, bounded", { $0.merge(bounded: 8, whenFull: .dropOldest).eraseToAnyPublisher() }),
  ]

  /// Sends values from threads, and returns how many were received, and how many of those under a foreign context.
  private static func send(
    through shape: (Subjects) -> AnyPublisher<Int, Never>, threads: Int, each: Int
  ) async -> (received: Int, foreign: Int) {
    let subjects = (0..<threads).map { _ in PassthroughSubject<Int, Never>() }
    let (received, foreign) = (Counter(), Counter())
    await withCheckedContinuation { continuation in
      let senders = DispatchGroup()
      let cancellable = shape(subjects).sink(isolation: nil) { _ in
        continuation.resume()
      } receiveValue: { value in
        received.add()
        if value >= 0, Tag.value != value { foreign.add() }
      }
      for thread in 0..<threads {
        senders.enter()
        Thread.detachNewThread {
          for number in 0..<each {
            let value = thread << 32 | number
            Tag.$value.withValue(value) { subjects[thread].send(value) }
          }
          senders.leave()
        }
      }
      senders.notify(queue: .global()) {
        for subject in subjects { subject.send(completion: .finished) }
        // Not before the end.
        received.keep(cancellable)
      }
    }
    return (received.value, foreign.value)
  }

}

private final class Counter: Sendable {
  private let count = Atomic(0)
  private nonisolated(unsafe) var kept: AnyCancellable?  // Set once, by one thread.

  var value: Int { count.load(ordering: .relaxed) }
  func add() { count.add(1, ordering: .relaxed) }
  func keep(_ cancellable: AnyCancellable) { kept = cancellable }
}
