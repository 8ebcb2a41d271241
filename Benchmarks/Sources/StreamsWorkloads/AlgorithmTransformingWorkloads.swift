import StreamAlgorithms
import Streams
import Workloads

extension StreamsWorkloads {
  static func pairwise(_ count: Int) -> Int {
    let sum = Sum()
    let cancellable = (0..<count).publisher.pairwise().sink { sum.add($0.0 &+ $0.1) }
    cancellable.cancel()
    return sum.value
  }

  static func distinct(_ count: Int) -> Int {
    let sum = Sum()
    let cancellable = (0..<count).publisher.distinct(remembering: 16).sink { sum.add($0) }
    cancellable.cancel()
    return sum.value
  }
}
