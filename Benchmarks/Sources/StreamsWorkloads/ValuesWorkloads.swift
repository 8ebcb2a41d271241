import StreamAlgorithms
import Streams
import Workloads

// Workloads with tasks that await values. Everything happens on one thread, so that it can be counted.

extension StreamsWorkloads {
  static func values(_ count: Int) -> Int {
    let subject = PassthroughSubject<Int, Never>()
    return inTurns(
      count, perTurn: 1, send: { subject.send($0) }, finish: { subject.send(completion: .finished) }
    ) { jobs, sum in
      Task(executorPreference: jobs) { for await value in subject.values { sum.add(value) } }
    }
  }

  static func valuesKept(_ count: Int) -> Int {
    let subject = PassthroughSubject<Int, Never>()
    return inTurns(
      count, perTurn: 100, send: { subject.send($0) }, finish: { subject.send(completion: .finished) }
    ) { jobs, sum in
      Task(executorPreference: jobs) {
        for await value in subject.values(bounded: .max, whenFull: .dropNewest) { sum.add(value) }
      }
    }
  }

  static func valuesBounded(_ count: Int) -> Int {
    inTurns(0, perTurn: 1, send: { _ in }, finish: {}) { jobs, sum in
      Task(executorPreference: jobs) {
        for await value in (0..<count).publisher.values(bounded: 64, whenFull: .wait) { sum.add(value) }
      }
    }
  }

  static func asyncPublisher(_ count: Int) -> Int {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    var cancellable: AnyCancellable?
    defer { cancellable?.cancel() }
    return inTurns(count, perTurn: 100, send: { continuation.yield($0) }, finish: { continuation.finish() }) {
      jobs, sum in
      cancellable = stream.publisher(executorPreference: jobs).sink { sum.add($0) }
    }
  }
}
