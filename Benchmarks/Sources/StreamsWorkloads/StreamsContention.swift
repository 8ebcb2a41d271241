import Dispatch
import StreamSchedulers
import Streams
import Workloads

extension StreamsWorkloads {
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
      return contended(subject.merge(with: other), sinks: 1) { $0 & 1 == 0 ? subject.send($0) : other.send($0) }
    case .share10: return contended(subject.share(), sinks: 10) { subject.send($0) }
    case .testScheduler: return contendedScheduler()
    }
  }

  private static func contended(
    _ publisher: some Publisher<Int, Never>, sinks: Int, send: @escaping (Int) -> Void
  ) -> Contended {
    Contended(send: send) { makeReceiver in
      (0..<sinks).map { _ in publisher.sink(receiveValue: makeReceiver()) }
    }
  }

  private static func contendedScheduler() -> Contended {
    let scheduler = DispatchQueue.test
    scheduler.maximumActions = .max
    let receiver = Box { _ in }
    return Contended(
      send: { number in
        let receive = receiver.content
        scheduler.schedule(after: scheduler.now.advanced(by: .milliseconds(1 + number & 63))) { receive(number) }
      },
      subscribe: { makeReceiver in receiver.content = makeReceiver() },
      run: { scheduler.run() })
  }

  /// A variable that is set before other threads read it.
  private final class Box {
    @exclusivity(unchecked) var content: (Int) -> Void

    init(_ content: @escaping (Int) -> Void) { self.content = content }
  }
}
