import Workloads

extension LimitWorkloads {
  /// The workloads with closures from elsewhere: one closure calls those of a chain, one after the other.
  static let opaqueClosures: [Workload: Cell] = [
    .opaqueSequence: .work { count in
      let sum = Sum()
      let receiver = Operators().applied(to: OpaqueClosures.adding(to: sum))
      for value in 0..<count { receiver(value) }
      return sum.value
    },
    .opaqueSubject: .work { count in subject(count, subscribers: 1) },
    .opaqueSubject10: .work { count in subject(count, subscribers: 10) },
    .opaqueCurrentValue: .work { count in
      let sum = Sum()
      let subject = ListOfReceivers()
      let number = subject.add(OpaqueClosures.adding(to: sum))
      for value in 0..<count { subject.sendAndKeep(value) }
      subject.remove(number)
      return sum.value
    },
    // One closure for each map, because each hides the next.
    .opaqueErasedMaps: .work { count in
      let sum = Sum()
      let subject = ListOfReceivers()
      var receiver: Receiver = OpaqueClosures.adding(to: sum)
      for number in [-5, 4, 3, 2, 1] {
        let transform = OpaqueClosures.adding(number)
        receiver = opaque { [receiver] in receiver(transform($0)) }
      }
      let number = subject.add(receiver)
      for value in 0..<count { subject.send(value) }
      subject.remove(number)
      return sum.value
    },
    .opaqueSubscribeCancel: .work { count in
      let sum = Sum()
      let receiver = OpaqueClosures.adding(to: sum)
      let operators = Operators()
      let subject = ListOfReceivers()
      for _ in 0..<count { subject.remove(subject.add(operators.applied(to: receiver))) }
      return sum.value
    },
  ]

  private struct Operators {
    let first = OpaqueClosures.adding(1)
    let isIncluded = OpaqueClosures.like(0)
    let last = OpaqueClosures.multiplying(by: 3)

    func applied(to receiver: @escaping Receiver) -> Receiver {
      opaque { [first, isIncluded, last] in
        let value = first($0)
        if isIncluded(value) { receiver(last(value)) }
      }
    }
  }

  private static func subject(_ count: Int, subscribers: Int) -> Int {
    let sum = Sum()
    let receiver = OpaqueClosures.adding(to: sum)
    let operators = Operators()
    let subject = ListOfReceivers()
    let numbers = (0..<subscribers).map { _ in subject.add(operators.applied(to: receiver)) }
    for value in 0..<count { subject.send(value) }
    for number in numbers { subject.remove(number) }
    return sum.value
  }
}
