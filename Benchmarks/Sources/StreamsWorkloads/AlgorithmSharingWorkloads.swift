import StreamAlgorithms
import Streams
import Workloads

extension StreamsWorkloads {
  static func replaySubject(_ count: Int) -> Int {
    let sum = Sum()
    let subject = ReplaySubject<Int, Never>(bufferSize: 16)
    let cancellable = subject.sink { sum.add($0) }
    for value in 0..<count { subject.send(value) }
    cancellable.cancel()
    return sum.value
  }
}
