import Streams
import Testing

struct PausableTests {
  private let values = ManualSource<Int, TestError>()
  private let gate = ManualSource<Bool, TestError>()

  @Test func `drops values while it is paused, and requests another for each`() {
    let recorder = record(values.pausable(runningWhile: gate), .max(2))
    #expect(values.demand == .none)
    values.send(1)
    gate.send(true)
    #expect(values.demand == .max(2))
    values.send(2)
    gate.send(false)
    values.send(3)
    #expect(recorder.log == ["2"])
    #expect(values.demand == .max(3))
  }

  @Test func `requested values that a new pause holds back take room again`() {
    let recorder = record(values.pausable(runningWhile: gate, buffering: 2, whenFull: .dropOldest))
    recorder.onValue = { [gate, values] in
      guard $0 == 1 else { return .none }
      gate.send(false)
      values.send(3)
      values.send(4)
      return .none
    }
    values.send(1)
    values.send(2)
    gate.send(true)
    #expect(recorder.log == ["1"])
    gate.send(true)
    #expect(recorder.log == ["1", "3", "4"])
  }

  @Test func `keeps its last state when the gate finishes`() {
    let recorder = record(values.pausable(runningWhile: gate))
    gate.send(true)
    gate.finish()
    values.send(1)
    values.finish()
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func `takes a gate that cannot fail`() {
    let isRunning = CurrentValueSubject<Bool, Never>(true)
    let recorder = record(values.pausable(runningWhile: isRunning))
    values.send(1)
    isRunning.value = false
    values.send(2)
    #expect(recorder.log == ["1"])
    let buffering = record(values.pausable(runningWhile: isRunning, buffering: 2, whenFull: .dropNewest))
    values.send(3)
    #expect(buffering.log == [])
    isRunning.value = true
    #expect(buffering.log == ["3"])
  }
}

struct PausableBufferTests {
  private let values = ManualSource<Int, TestError>()
  private let gate = ManualSource<Bool, TestError>()

  private func buffered(
    _ size: Int = 2, _ whenFull: OverflowStrategy<TestError> = .dropOldest
  ) -> some Publisher<Int, TestError> {
    values.pausable(runningWhile: gate, buffering: size, whenFull: whenFull)
  }

  @Test func `buffers values while it is paused`() {
    let recorder = record(buffered())
    values.send(1)
    values.send(2)
    #expect(recorder.log == [])
    gate.send(true)
    values.send(3)
    gate.send(false)
    values.send(4)
    #expect(recorder.log == ["1", "2", "3"])
    gate.send(true)
    #expect(recorder.log == ["1", "2", "3", "4"])
  }

  @Test(arguments: [(true, ["2", "3"]), (false, ["1", "2"])])
  func `drops values when the buffer is full`(_ dropsOldest: Bool, _ kept: [String]) {
    let recorder = record(buffered(2, dropsOldest ? .dropOldest : .dropNewest))
    for value in 1...3 { values.send(value) }
    gate.send(true)
    #expect(recorder.log == kept)
  }

  @Test func `an overflow failure ends the pause after the buffered values`() {
    let recorder = record(buffered(2, .fail(.first)))
    for value in 1...3 { values.send(value) }
    #expect(recorder.log == ["1", "2", "first"])
    #expect(values.cancelCount == 1)
    #expect(gate.cancelCount == 1)
  }

  @Test func `keeps to the demand when it resumes`() {
    let recorder = record(buffered(), .max(1))
    values.send(1)
    values.send(2)
    gate.send(true)
    #expect(recorder.log == ["1"])
    recorder.request(.max(1))
    #expect(recorder.log == ["1", "2"])
  }

  @Test(arguments: [true, false])
  func `a completion waits for the pause and the buffered values`(fails: Bool) {
    let recorder = record(buffered())
    values.send(1)
    if fails { values.fail(.first) } else { values.finish() }
    #expect(recorder.log == [])
    gate.send(true)
    #expect(recorder.log == ["1", fails ? "first" : "finished"])
    #expect(gate.cancelCount == 1)
  }

  @Test func `finishes at once without buffered values`() {
    let recorder = record(buffered())
    values.finish()
    #expect(recorder.log == ["finished"])
    #expect(gate.cancelCount == 1)
  }

  @Test func `finishes when the gate finishes while it is paused`() {
    let recorder = record(buffered())
    values.send(1)
    gate.finish()
    #expect(recorder.log == ["finished"])
    #expect(values.cancelCount == 1)
  }

  @Test func `stays open when the gate finishes while it is open`() {
    let recorder = record(buffered())
    gate.send(true)
    gate.finish()
    values.send(1)
    values.finish()
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func `a failure of the gate is delivered at once`() {
    let recorder = record(buffered())
    values.send(1)
    gate.fail(.first)
    #expect(recorder.log == ["first"])
    #expect(values.cancelCount == 1)
  }

  @Test func `a failure of upstream during a pause is kept when the gate finishes`() {
    let recorder = record(buffered())
    values.send(1)
    values.fail(.first)
    gate.finish()
    #expect(recorder.log == ["first"])
  }

  @Test func `with unlimited demand, a value is requested for each delivered one if the buffer waits for room`() {
    let recorder = record(values.pausable(runningWhile: gate, buffering: 2, whenFull: .wait))
    #expect(values.demand == .max(2))
    gate.send(true)
    for value in 1...3 { values.send(value) }
    #expect(recorder.log == ["1", "2", "3"])
    #expect(values.demand == .max(5))
  }
}
