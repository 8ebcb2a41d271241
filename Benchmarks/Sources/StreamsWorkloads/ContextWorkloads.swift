import Dispatch
import StreamAlgorithms
import StreamSchedulers
import Streams
import Workloads

private enum Request {
  @TaskLocal static var number = 0
}

extension StreamsWorkloads {
  /// Sends values under task-local values, each of which is that of a number of values, and receives them on a scheduler,
  /// a hundred at a time.
  static func carried(_ count: Int, run: Int, isCarried: Bool = true) -> Int {
    if isCarried { StreamContext.carry(Request.$number) }
    let sum = Sum()
    let scheduler = DispatchQueue.test
    scheduler.maximumActions = .max
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject.receive(on: scheduler).sink { sum.add($0) }
    for start in stride(from: 0, to: count, by: 100) {
      for first in stride(from: start, to: start + 100, by: run) {
        Request.$number.withValue(first) {
          for value in first..<(first + run) { subject.send(value) }
        }
      }
      scheduler.advance()
    }
    cancellable.cancel()
    return sum.value
  }
}
