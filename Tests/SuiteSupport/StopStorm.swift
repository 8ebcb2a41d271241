internal import Dispatch
import StreamAlgorithms
internal import StreamSchedulers
internal import Streams

/// Streams that are stopped while four senders send to them as fast as their values are taken, in virtual time.
package enum StopStorm {
  /// Stops streams, each after about the given number of acknowledged values, and returns how many values were acknowledged
  /// to their senders, and how many of those were not handled when their stream had finished.
  package static func run(stops: Int, acknowledged: Int) -> (acknowledged: Int, lost: Int) {
    var random = SplitMix(seed: 1)
    var total = (acknowledged: 0, lost: 0)
    for _ in 0..<stops {
      let limit = Int.random(in: acknowledged / 2...acknowledged * 3 / 2, using: &random)
      let (accepted, lost) = stop(after: limit)
      total.acknowledged += accepted
      total.lost += lost
    }
    return total
  }

  private static func stop(after limit: Int) -> (acknowledged: Int, lost: Int) {
    let scheduler = DispatchQueue.test
    let subject = BoundedSubject<Int, Never>(bounded: 16)
    let (acknowledged, handled) = (Locker<Set<Int>>([]), Locker<Set<Int>>([]))
    let end = Box(0)
    let subscription = subject.map(maxTasks: 8, by: { $0 % 5 }, on: scheduler) { value in
      try? await scheduler.sleep(for: .microseconds(value % 7))
      return value
    }.receive(on: scheduler, bounded: 32, whenFull: .wait).delay(for: .microseconds(3), scheduler: scheduler)
      .sink(isolation: nil) { _ in
        end.value += 1
      } receiveValue: { value in
        handled.change { $0.insert(value) }
      }
    for sender in 0..<4 {
      Task(on: scheduler) {
        for number in 0... {
          let value = sender + 4 * number
          // An error says that the value was not accepted.
          do { try await subject.send(value) } catch { return }
          acknowledged.change { $0.insert(value) }
          if acknowledged.value.count >= limit { subject.send(completion: .finished) }
        }
      }
    }
    scheduler.run()
    subscription.cancel()
    let (accepted, arrived) = (acknowledged.value, handled.value)
    // A stream that has not finished has lost everything.
    return (accepted.count, end.value == 1 ? accepted.subtracting(arrived).count : accepted.count)
  }
}

/// A generator of the same numbers in each run.
private struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
