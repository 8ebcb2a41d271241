internal import Dispatch

/// Runs two closures at the same time, many times, each time from the same initial state.
///
/// Each thread waits until the other one is ready, so that the closures overlap. `make` creates the state of a
/// round; `check` examines the result.
package func race<Subject>(
  rounds: Int = 1_000, _ make: () -> Subject, _ first: @escaping (Subject) -> Void,
  and second: @escaping (Subject) -> Void, check: (Subject) -> Void
) {
  let other = DispatchQueue(label: "race")
  for _ in 0..<rounds {
    nonisolated(unsafe) let subject = make()
    nonisolated(unsafe) let second = second
    let line = StartingLine(2)
    let group = DispatchGroup()
    other.async(group: group) {
      line.wait()
      second(subject)
    }
    line.wait()
    first(subject)
    group.wait()
    check(subject)
  }
}

/// Runs a closure on several threads at the same time, and waits for all of them.
package func onThreads(_ count: Int, _ work: @escaping (Int) -> Void) {
  nonisolated(unsafe) let work = work
  let line = StartingLine(count)
  let group = DispatchGroup()
  for number in 0..<count {
    DispatchQueue(label: "thread \(number)").async(group: group) {
      line.wait()
      work(number)
    }
  }
  group.wait()
}
