import OpenCombine
import Workloads

extension OpenCombineWorkloads {
  /// Uses `flatMap` in place of `merge`, which OpenCombine 0.14 lacks. It has no test scheduler.
  package static func contended(_ shape: ContendedShape) -> Contended? {
    let subject = PassthroughSubject<Int, Never>()
    switch shape {
    case .subject: return contended(subject, sinks: 1) { subject.send($0) }
    case .subject10: return contended(subject, sinks: 10) { subject.send($0) }
    case .currentValue:
      let subject = CurrentValueSubject<Int, Never>(0)
      return contended(subject, sinks: 1) { subject.send($0) }
    case .merge:
      let other = PassthroughSubject<Int, Never>()
      return contended([subject, other].publisher.flatMap { $0 }, sinks: 1) {
        $0 & 1 == 0 ? subject.send($0) : other.send($0)
      }
    case .share10: return contended(subject.share(), sinks: 10) { subject.send($0) }
    case .testScheduler: return nil
    }
  }

  private static func contended<P: Publisher>(
    _ publisher: P, sinks: Int, send: @escaping (Int) -> Void
  ) -> Contended where P.Output == Int, P.Failure == Never {
    Contended(send: send) { makeReceiver in
      (0..<sinks).map { _ in publisher.sink(receiveValue: makeReceiver()) }
    }
  }
}
