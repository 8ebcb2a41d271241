import Workloads

extension LimitWorkloads {
  /// Long chains: one closure for each part, because the parts come from different places.
  static let chains: [Workload: Cell] = [
    .chain6: .work { count in total(count) { six(to: $0) } },
    .chain8: .work { count in total(count) { six(to: scan(1, removeDuplicates(to: $0)) { $0 ^ $1 }) } },
    .chain12: .work { count in
      total(count) { receiver in
        let end = scan(2, removeDuplicates(to: receiver)) { $0 &- $1 }
        let filter = opaque { if $0 != 11 { end($0) } }
        let map = opaque { filter($0 &- 5) }
        return six(to: scan(1, removeDuplicates(to: map)) { $0 ^ $1 })
      }
    },
    .engines2: .missing(because: nothingBetween),
    .engines4: .missing(because: nothingBetween),
  ]

  private static let nothingBetween = "Handwritten code would not use publishers that send only one value"

  private static func six(to receiver: @escaping Receiver) -> Receiver {
    let lastFilter = opaque { if $0 != 7 { receiver($0) } }
    let lastMap = opaque { lastFilter($0 &* 3) }
    let sums = scan(0, removeDuplicates(to: lastMap)) { $0 &+ $1 }
    let filter = opaque { if $0 != 3 { sums($0) } }
    return opaque { filter($0 &+ 1) }
  }

  private static func removeDuplicates(to receiver: @escaping Receiver) -> Receiver {
    let last = Variable<Int?>(nil)
    return opaque { value in
      if value == last.value { return }
      last.value = value
      receiver(value)
    }
  }

  @inline(__always)
  private static func scan(
    _ initial: Int, _ receiver: @escaping Receiver, _ next: @escaping (Int, Int) -> Int
  ) -> Receiver {
    let result = Variable(initial)
    return opaque { value in
      result.value = next(result.value, value)
      receiver(result.value)
    }
  }

  private static func total(_ count: Int, _ chain: (@escaping Receiver) -> Receiver) -> Int {
    let sum = Sum()
    let subject = ListOfReceivers()
    let number = subject.add(chain(opaque { sum.add($0) }))
    for value in 0..<count { subject.send(value) }
    subject.remove(number)
    return sum.value
  }
}
