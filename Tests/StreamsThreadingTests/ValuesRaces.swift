import Dispatch
import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// Threads that send while tasks iterate.
@Suite(.ownThread, .serialized)
struct ValuesRaces {
  private static let threads = 4
  private static let count = 1_000

  /// A value that a thread sends: the thread's number, and the number of values it has sent before.
  private struct Mark: Sendable {
    let thread: Int
    let number: Int
  }

  private enum Ending {
    case none, leaving(after: Int), cancelling(after: Int)
  }

  /// Sends from several threads while a task iterates over each sequence of `make`; returns the values of the tasks.
  private func seen<P: Publisher & SendableMetatype>(
    _ ending: Ending, by policy: ValuesPolicy, _ make: (PassthroughSubject<Mark, Never>) -> P
  ) async -> [[Mark]] where P.Output == Mark, P.Failure == Never {
    let subject = PassthroughSubject<Mark, Never>()
    let publisher = make(subject)
    let tasks = (0..<3).map { _ in
      // The iterator is used by the task only.
      nonisolated(unsafe) let iterator = publisher.values(policy).makeAsyncIterator()
      return Task.detached { @Sendable in
        var iterator = iterator
        var all: [Mark] = []
        while let mark = await iterator.next() {
          all.append(mark)
          switch ending {
          case .leaving(let count) where all.count == count: return all
          case .cancelling(let count) where all.count == count: withUnsafeCurrentTask { $0?.cancel() }
          default: break
          }
        }
        return all
      }
    }
    onThreads(Self.threads) { thread in
      for number in 0..<Self.count { subject.send(Mark(thread: thread, number: number)) }
    }
    subject.send(completion: .finished)
    var all: [[Mark]] = []
    for task in tasks { all.append(await task.value) }
    return all
  }

  /// Expects that no value is doubled or reordered, and, if `isComplete`, that none is missing in between.
  private func expectOrder(_ marks: [Mark], isComplete: Bool) {
    var next = [Int](repeating: 0, count: Self.threads)
    for mark in marks {
      if isComplete { #expect(mark.number == next[mark.thread]) } else { #expect(mark.number >= next[mark.thread]) }
      next[mark.thread] = mark.number + 1
    }
  }

  private func keepingAll(
    _ subject: PassthroughSubject<Mark, Never>
  ) -> Publishers.Buffer<PassthroughSubject<Mark, Never>> {
    subject.buffer(size: .max, prefetch: .byRequest, whenFull: .dropNewest)
  }

  @Test func `loses, doubles and reorders no value with an unbounded buffer`() async {
    for marks in await seen(.none, by: .unbounded, { $0 }) {
      #expect(marks.count == Self.threads * Self.count)
      expectOrder(marks, isComplete: true)
    }
  }

  @Test(arguments: [ValuesPolicy.unbuffered, .bounded(1), .bounded(7)])
  func `loses, doubles and reorders no value when demand bounds the buffer`(_ policy: ValuesPolicy) async {
    for marks in await seen(.none, by: policy, keepingAll) {
      #expect(marks.count == Self.threads * Self.count)
      expectOrder(marks, isComplete: true)
    }
  }

  @Test(arguments: [ValuesPolicy.unbuffered, .bounded(3), .oldest(3), .newest(3)])
  func `doubles and reorders no value when values are dropped`(_ policy: ValuesPolicy) async {
    for marks in await seen(.none, by: policy, { $0 }) { expectOrder(marks, isComplete: false) }
  }

  @Test(arguments: ValuesPolicy.all)
  func `a loop can end while threads send`(_ policy: ValuesPolicy) async {
    for marks in await seen(.leaving(after: 100), by: policy, keepingAll) {
      #expect(marks.count <= 100)
      expectOrder(marks, isComplete: policy != .oldest(2) && policy != .newest(2))
    }
  }

  @Test(arguments: ValuesPolicy.all)
  func `a task can be cancelled while threads send`(_ policy: ValuesPolicy) async {
    for marks in await seen(.cancelling(after: 100), by: policy, keepingAll) {
      #expect(marks.count <= 100)
      expectOrder(marks, isComplete: policy != .oldest(2) && policy != .newest(2))
    }
  }

  @Test(arguments: ValuesPolicy.all)
  func `a task that is cancelled by another thread always ends`(_ policy: ValuesPolicy) async {
    for _ in 0..<200 {
      let subject = PassthroughSubject<Int, Never>()
      nonisolated(unsafe) let iterator = subject.values(policy).makeAsyncIterator()
      let task = Task.detached { @Sendable in
        var iterator = iterator
        var last = -1
        while let number = await iterator.next() {
          #expect(number > last)
          last = number
        }
      }
      onThreads(2) { thread in
        if thread == 0 { task.cancel() } else { for number in 0..<20 { subject.send(number) } }
      }
      await task.value
    }
  }

  @Test func `a task that begins to wait at that moment receives the completion`() async {
    for round in 0..<500 {
      let subject = PassthroughSubject<Int, TestError>()
      nonisolated(unsafe) let iterator = subject.values.makeAsyncIterator()
      let task = Task.detached { @Sendable in
        var iterator = iterator
        return try await iterator.next()
      }
      subject.send(completion: round % 2 == 0 ? .finished : .failure(.first))
      switch await task.result {
      case .success(let value): #expect(round % 2 == 0 && value == nil)
      case .failure(let error): #expect(round % 2 == 1 && error as? TestError == .first)
      }
    }
  }
}
