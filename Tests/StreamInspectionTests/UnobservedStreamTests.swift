import StreamAlgorithms
import StreamInspection
import Streams
import Testing

/// What the diagnosis says of streams that are not observed, after two values.
@Suite struct UnobservedStreamTests {
  private let subject = PassthroughSubject<Int, Never>()

  private func diagnosis(_ publisher: some Publisher<some Any, Never>) -> String {
    let cancellable = publisher.sink(isolation: nil) { _ in }
    subject.send(1)
    subject.send(2)
    defer { cancellable.cancel() }
    return cancellable.inspection.diagnosis
  }

  @Test func `what is not counted is said to be unknown, with the way to count it`() {
    #expect(
      diagnosis(subject.filter { $0 > 2 })
        == "It's unknown whether PassthroughSubject<Int, Never> has sent values. Call StreamInspector.start() before you "
        + "create a stream, to have them counted.")
  }

  @Test func `operators that wait for the end of their source say so`() {
    let source = "when its source finishes, which PassthroughSubject<Int, Never> hasn't done."
    #expect(diagnosis(subject.collect()) == "collect sends its result \(source)")
    #expect(diagnosis(subject.reduce(0, +)) == "reduce sends its result \(source)")
    #expect(diagnosis(subject.last()) == "last sends its result \(source)")
    #expect(diagnosis(subject.count()) == "count sends its result \(source)")
    #expect(diagnosis(subject.min()) == "min or max sends its result \(source)")
    #expect(diagnosis(subject.max()) == "min or max sends its result \(source)")
    #expect(diagnosis(subject.ignoreOutput()) == "ignoreOutput drops all values, and finishes \(source)")
  }

  @Test func `what a reduction's source waits for comes first`() {
    let connectable = subject.multicast { PassthroughSubject<Int, Never>() }
    #expect(diagnosis(connectable.collect()).contains("isn't connected"))
  }

  @Test func `an operator that lacks a value waits for a new one`() {
    #expect(
      diagnosis(subject.zip(PassthroughSubject<Int, Never>()))
        == "zip is waiting for a new value from its right source PassthroughSubject<Int, Never>.")
  }

  @Test func `a closed gate is named with and without a buffer`() {
    let gate = CurrentValueSubject<Bool, Never>(false)
    let closed =
      "pausable(runningWhile:) is closed and lets no values through until CurrentValueSubject<Bool, Never> sends true."
    #expect(diagnosis(subject.pausable(runningWhile: gate)) == closed)
    let buffering = diagnosis(subject.pausable(runningWhile: gate, buffering: 3, whenFull: .dropOldest))
    #expect(
      buffering
        == "2 values are waiting in pausable(runningWhile:), whose gate is closed: the last value of "
        + "CurrentValueSubject<Bool, Never> is false.")
    let ended = diagnosis(subject.pausable(runningWhile: Just(false)))
    #expect(ended.hasPrefix("pausable(runningWhile:) is closed, and its gate has ended, so nothing can open it"))
  }

  @Test func `an open gate is not accused`() {
    let gate = CurrentValueSubject<Bool, Never>(true)
    #expect(
      diagnosis(subject.pausable(runningWhile: gate).filter { _ in false })
        == "pausable(runningWhile:) is waiting for a new value from its main source PassthroughSubject<Int, Never>.")
    #expect(
      diagnosis(subject.withLatest(from: CurrentValueSubject<Bool, Never>(false)).filter { _ in false })
        == "withLatest(from:) is waiting for a new value from its main source PassthroughSubject<Int, Never>.")
  }
}
