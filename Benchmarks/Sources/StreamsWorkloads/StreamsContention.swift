import Streams
import Workloads

extension StreamsWorkloads {
  package static func contended(_ shape: ContendedShape) -> ContendedSubject {
    switch shape {
    case .subject:
      let subject = PassthroughSubject<Int, Never>()
      return ContendedSubject(send: { subject.send($0) }, subscribe: { subject.sink(receiveValue: $0) })
    case .currentValue:
      let subject = CurrentValueSubject<Int, Never>(0)
      return ContendedSubject(send: { subject.send($0) }, subscribe: { subject.sink(receiveValue: $0) })
    }
  }
}
