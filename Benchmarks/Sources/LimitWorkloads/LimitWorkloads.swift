import DequeModule
import Dispatch
import Workloads

/// The same work, written by hand with closures, a lock where several threads meet, and the collections of
/// swift-collections: no demand, no cancellation in the middle, no completion. This is the least that a library could
/// cost.
package enum LimitWorkloads {
  package static let implementation = Implementation(.limit, [cells, opaqueClosures, chains])

  private static let noTasks = "Closures in place of tasks"

  private static let cells: [Workload: Cell] = [
    .sequence: .work { count in
      let sum = Sum()
      let receiver = operators(to: opaque { sum.add($0) })
      for value in 0..<count { receiver(value) }
      return sum.value
    },
    .subject: .work { count in subject(count, subscribers: 1) },
    .subject10: .work { count in subject(count, subscribers: 10) },
    .currentValue: .work { count in
      let sum = Sum()
      let subject = ListOfReceivers()
      let number = subject.add(opaque { sum.add($0) })
      for value in 0..<count { subject.sendAndKeep(value) }
      subject.remove(number)
      return sum.value
    },
    .erasedMaps: .work { count in
      let sum = Sum()
      let subject = ListOfReceivers()
      var receiver = opaque { sum.add($0) }
      for _ in 0..<5 { receiver = increment(to: receiver) }
      let number = subject.add(receiver)
      for value in 0..<count { subject.send(value) }
      subject.remove(number)
      return sum.value
    },
    .flatMap: .work { count in
      let sum = Sum()
      let outer = serialized(opaque { sum.add($0) })
      for number in 0..<count / 1_000 {
        let inner = opaque { outer($0 &+ number) }
        for value in 0..<1_000 { inner(value) }
      }
      return sum.value
    },
    .flatMapJust: .work { count in
      let sum = Sum()
      let outer = serialized(opaque { sum.add($0) })
      for number in 0..<count { opaque { outer($0) }(number) }
      return sum.value
    },
    .flatMapOne: .work { count in
      let sum = Sum()
      let outer = serialized(opaque { sum.add($0) })
      for number in 0..<count { for value in CollectionOfOne(number) { opaque { outer($0) }(value) } }
      return sum.value
    },
    .merge8: .work { count in
      let sum = Sum()
      let merged = serialized(opaque { sum.add($0) })
      let subjects = (0..<8).map { _ in ListOfReceivers() }
      let numbers = subjects.map { $0.add(opaque { merged($0) }) }
      for value in 0..<count { subjects[value & 7].send(value) }
      for (subject, number) in Swift.zip(subjects, numbers) { subject.remove(number) }
      return sum.value
    },
    .zip: .work { count in
      let sum = Sum()
      let (left, right) = (ListOfReceivers(), ListOfReceivers())
      let pairs = Pairs { sum.add($0 &+ $1) }
      let numbers = (left.add(opaque { pairs.receiveLeft($0) }), right.add(opaque { pairs.receiveRight($0) }))
      for value in 0..<count {
        left.send(value)
        right.send(value)
      }
      left.remove(numbers.0)
      right.remove(numbers.1)
      return sum.value
    },
    .combineLatest: .work { count in
      let sum = Sum()
      let (left, right) = (ListOfReceivers(), ListOfReceivers())
      let latest = Latest { sum.add($0 &+ $1) }
      let numbers = (left.add(opaque { latest.receiveLeft($0) }), right.add(opaque { latest.receiveRight($0) }))
      right.send(0)
      for value in 0..<count { left.send(value) }
      left.remove(numbers.0)
      right.remove(numbers.1)
      return sum.value
    },
    .share10: .work { count in
      let sum = Sum()
      let (subject, shared) = (ListOfReceivers(), ListOfReceivers())
      let number = subject.add(increment(to: opaque { shared.send($0) }))
      let numbers = (0..<10).map { _ in shared.add(opaque { sum.add($0) }) }
      for value in 0..<count { subject.send(value) }
      for number in numbers { shared.remove(number) }
      subject.remove(number)
      return sum.value
    },
    .removeDuplicates: .work { count in
      let sum = Sum()
      let receiver = opaque { sum.add($0) }
      let last = Variable<Int?>(nil)
      let filter = opaque { value in
        if value == last.value { return }
        last.value = value
        receiver(value)
      }
      for value in 0..<count { filter(value) }
      return sum.value
    },
    .scan: .work { count in
      let sum = Sum()
      let receiver = opaque { sum.add($0) }
      let total = Variable(0)
      let scan = opaque { value in
        total.value &+= value
        receiver(total.value)
      }
      for value in 0..<count { scan(value) }
      return sum.value
    },
    .prefix: .work { count in
      let sum = Sum()
      let receiver = opaque { sum.add($0) }
      let remaining = Variable(count + 1)
      let prefix = opaque { value in
        remaining.value &-= 1
        receiver(value)
      }
      for value in 0..<Int.max {
        if remaining.value == 0 { break }
        prefix(value)
      }
      return sum.value
    },
    .subscribeCancel: .work { count in
      let sum = Sum()
      let subject = ListOfReceivers()
      for _ in 0..<count { subject.remove(subject.add(operators(to: opaque { sum.add($0) }))) }
      return sum.value
    },
    .mergeSubscribeCancel: .work { count in
      let sum = Sum()
      let (first, second) = (ListOfReceivers(), ListOfReceivers())
      for _ in 0..<count {
        let numbers = add(serialized(opaque { sum.add($0) }), to: first, second)
        first.remove(numbers.0)
        second.remove(numbers.1)
      }
      return sum.value
    },
    .mergeJoins: .work { count in
      let sum = Sum()
      let (first, second) = (ListOfReceivers(), ListOfReceivers())
      var numbers = (0..<8).map { _ in add(serialized(opaque { sum.add($0) }), to: first, second) }
      for value in 0..<count {
        let old = numbers[value & 7]
        numbers[value & 7] = add(serialized(opaque { sum.add($0) }), to: first, second)
        first.remove(old.0)
        second.remove(old.1)
        first.send(value)
      }
      return sum.value
    },
    .shareJoins: .work { count in
      let sum = Sum()
      let (subject, shared) = (ListOfReceivers(), ListOfReceivers())
      _ = subject.add(increment(to: opaque { shared.send($0) }))
      var numbers = (0..<8).map { _ in shared.add(opaque { sum.add($0) }) }
      for value in 0..<count {
        let old = numbers[value & 7]
        numbers[value & 7] = shared.add(opaque { sum.add($0) })
        shared.remove(old)
        subject.send(value)
      }
      return sum.value
    },
    .receiveOnQueue: .work { count in
      let sum = Sum()
      let subject = ListOfReceivers()
      let queue = DispatchQueue(label: "values")
      let handOver = HandOver(opaque { sum.add($0) }) { work in queue.async(execute: work) }
      let number = subject.add(opaque { handOver.receive($0) })
      for value in 0..<count { subject.send(value) }
      queue.sync { handOver.deliver() }
      subject.remove(number)
      return sum.value
    },
    .receiveOnImmediate: .work { count in
      let sum = Sum()
      let receiver = serialized(opaque { sum.add($0) })
      for value in 0..<count { receiver(value) }
      return sum.value
    },
    .testScheduler: .work { count in
      let sum = Sum()
      let time = VirtualTime()
      for number in 0..<count { time.schedule(at: (number &* 7_919) % 100_003) { sum.add(1) } }
      time.run()
      return sum.value
    },
    .testSchedulerTimers: .work { count in
      let sum = Sum()
      let time = VirtualTime()
      let timers = (0..<1_000).map { number in time.schedule(at: number + 1, interval: 1_000) { sum.add(1) } }
      time.advance(by: count)
      for timer in timers { timer.cancel() }
      return sum.value
    },
    .scheduleCancel: .work { count in
      let time = VirtualTime()
      let armed = (0..<count).map { _ in time.scheduleOnce(at: 1_000) {} }
      for entry in armed { entry.cancel() }
      return time.pendingCount
    },
    .debounce: .work { count in
      let sum = Sum()
      let time = VirtualTime()
      let subject = ListOfReceivers()
      let debouncer = Debouncer(time, opaque { sum.add($0) })
      let number = subject.add(opaque { debouncer.receive($0) })
      for value in 0..<count { subject.send(value) }
      time.run()
      subject.remove(number)
      return sum.value
    },
    .collectByTime: .work { count in
      let sum = Sum()
      let time = VirtualTime()
      let subject = ListOfReceivers()
      let collector = Collector(time) { sum.add($0.count) }
      let number = subject.add(opaque { collector.receive($0) })
      for value in 0..<count { subject.send(value) }
      time.run()
      subject.remove(number)
      return sum.value
    },
    .delay: .work { count in delay(count, perTick: 10) },
    .delayDates: .work { count in delay(count, perTick: 1) },
    .wakeTask: .substitute(note: noTasks) { count in wake(count) },
    .wakeTaskWorld: .substitute(note: noTasks) { count in wake(count) },
    .values: .work { count in handedOver(count, perTurn: 1) },
    .valuesKept: .work { count in handedOver(count, perTurn: 100) },
    .valuesBounded: .substitute(note: "A task that takes the numbers directly from a loop") { count in
      inTurns(0, perTurn: 1, send: { _ in }, finish: {}) { jobs, sum in
        Task(executorPreference: jobs) {
          let numbers = Numbers(end: count)
          while let number = await numbers.next() { sum.add(number) }
        }
      }
    },
    .asyncPublisher: .substitute(note: "A handwritten queue, whose numbers a task passes to a closure") { count in
      handedOver(count, perTurn: 100)
    },
    .sink: .work { count in sink(count) { sum in opaque { sum.add($0) } } },
    .isolatedSink: .substitute(note: "A closure that assumes the main actor, with assumeIsolated") {
      count in
      sink(count) { sum in
        let receiver = { @MainActor in sum.add($0) }
        return opaque { value in MainActor.assumeIsolated { receiver(value) } }
      }
    },
    .isolatedSinkActor: .substitute(note: "A task for each value, which calls the actor") { count in
      let owner = Owner()
      let subject = ListOfReceivers()
      return inTurns(count, perTurn: 1, send: { subject.send($0) }, finish: {}) { jobs, sum in
        _ = subject.add(opaque { value in Task(executorPreference: jobs) { await owner.add(value, to: sum) } })
      }
    },
    .isolatedSinkHop: .substitute(note: "An array with a lock, and a task for its contents, which calls the actor") {
      count in
      let owner = Owner()
      let subject = ListOfReceivers()
      return inTurns(count, perTurn: 100, send: { subject.send($0) }, finish: {}) { jobs, sum in
        let handOver = HandOver(opaque { sum.add($0) }) { work in
          Task(executorPreference: jobs) { await owner.run(work) }
        }
        _ = subject.add(opaque { handOver.receive($0) })
      }
    },
    .pairwise: .work { count in
      let sum = Sum()
      let receiver = opaque { sum.add($0) }
      let last = Variable<Int?>(nil)
      let pairs = opaque { value in
        if let previous = last.value { receiver(previous &+ value) }
        last.value = value
      }
      for value in 0..<count { pairs(value) }
      return sum.value
    },
    .distinct: .work { count in
      let sum = Sum()
      let receiver = opaque { sum.add($0) }
      let keys = Variable<Set<Int>>([])
      let order = Variable(Deque<Int>())
      let filter = opaque { value in
        guard keys.value.insert(value).inserted else { return }
        if order.value.count == 16 { keys.value.remove(order.value.removeFirst()) }
        order.value.append(value)
        receiver(value)
      }
      for value in 0..<count { filter(value) }
      return sum.value
    },
    .replaySubject: .work { count in
      let sum = Sum()
      let subject = ListOfReceivers()
      let newest = Variable(Deque<Int>())
      let number = subject.add(opaque { sum.add($0) })
      for value in 0..<count {
        if newest.value.count == 16 { newest.value.removeFirst() }
        newest.value.append(value)
        subject.sendAndKeep(value)
      }
      subject.remove(number)
      return sum.value
    },
  ]
}

/// Sends values through a delay with a timer of the scheduler, so that time is advanced once and not for every value.
/// The count includes the ticks of this timer, the values' way into the delay, and their delivery ten milliseconds
/// later.
private func delay(_ count: Int, perTick: Int) -> Int {
  let sum = Sum()
  let time = VirtualTime()
  let subject = ListOfReceivers()
  let delay = Delay(time, opaque { sum.add($0) })
  let number = subject.add(opaque { delay.receive($0) })
  let sent = Sum()
  let sender = time.schedule(at: 1, interval: 1) {
    for _ in 0..<perTick {
      subject.send(sent.value)
      sent.add(1)
    }
  }
  time.advance(by: count / perTick)
  sender.cancel()
  time.run()
  subject.remove(number)
  return sum.value
}

/// 100 closures that reschedule themselves, one of which runs whenever time is advanced.
private func wake(_ count: Int) -> Int {
  let sum = Sum()
  let time = VirtualTime()
  @Sendable func sleep(_ duration: Int) {
    time.schedule(at: time.now + duration) {
      sum.add(1)
      sleep(100)
    }
  }
  for number in 0..<100 { sleep(number + 1) }
  for _ in 0..<count { time.advance(by: 1) }
  return sum.value
}

/// Sends numbers through a subject with one receiver.
private func sink(_ count: Int, _ receiver: (Sum) -> Receiver) -> Int {
  let sum = Sum()
  let subject = ListOfReceivers()
  let number = subject.add(receiver(sum))
  for value in 0..<count { subject.send(value) }
  subject.remove(number)
  return sum.value
}

private func subject(_ count: Int, subscribers: Int) -> Int {
  let sum = Sum()
  let subject = ListOfReceivers()
  let numbers = (0..<subscribers).map { _ in subject.add(operators(to: opaque { sum.add($0) })) }
  for value in 0..<count { subject.send(value) }
  for number in numbers { subject.remove(number) }
  return sum.value
}

/// Adds a receiver to two lists, and returns its numbers there.
private func add(_ receiver: @escaping Receiver, to first: ListOfReceivers, _ second: ListOfReceivers) -> (Int, Int) {
  (first.add(receiver), second.add(receiver))
}

/// Returns a receiver that may be called from several threads.
private func serialized(_ receiver: @escaping Receiver) -> Receiver {
  let serializer = Serializer(receiver)
  return opaque { serializer.receive($0) }
}

/// Sends numbers through a queue to a task, which awaits them if there are none.
private func handedOver(_ count: Int, perTurn: Int) -> Int {
  let queue = AwaitedQueue()
  return inTurns(count, perTurn: perTurn, send: { queue.send($0) }, finish: { queue.send(nil) }) { jobs, sum in
    Task(executorPreference: jobs) {
      let receiver = opaque { sum.add($0) }
      while let number = await queue.next() { receiver(number) }
    }
  }
}
