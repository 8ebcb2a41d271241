import Dispatch
import Testing

/// Runs two pieces of work at the same time, many times, each time from the same start.
///
/// Each thread waits at the line until the other one is there, so that the work overlaps. `make` sets up what
/// a round is about; `check` looks at the result.
func race<Subject>(
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

/// Runs work on several threads at once, and waits for all.
func onThreads(_ count: Int, _ work: @escaping (Int) -> Void) {
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
