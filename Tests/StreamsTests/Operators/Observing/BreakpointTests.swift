import Foundation
import Streams
import SuiteSupport
import Testing

struct BreakpointTests {
  private let source = ManualSource<Int, TestError>()

  @Test func `calls closures before the signal is forwarded, and continues when they return false`() {
    var notes: [String] = []
    let recorder = SignalRecorder<Int, TestError>(.max(1))
    recorder.onSubscription = { _ in notes.append("subscribed") }
    recorder.onValue = { value in
      notes.append("received \(value)")
      return .max(2)
    }
    recorder.onCompletion = { notes.append("ended") }
    func note(_ text: String) -> Bool {
      notes.append(text)
      return false
    }
    source.breakpoint(
      receiveSubscription: { _ in note("subscription") }, receiveOutput: { note("value \($0)") },
      receiveCompletion: { note("\($0)") }
    ).subscribe(recorder)
    #expect(source.send(1) == .max(2))
    source.finish()
    #expect(notes == ["subscription", "subscribed", "value 1", "received 1", "finished", "ended"])
    #expect(source.requests == [.max(1)])
  }

  @Test func `without closures forwards everything`() {
    let recorder = record(source.breakpoint())
    source.send(1)
    source.fail(.first)
    #expect(recorder.log == ["1", "first"])
  }

  @Test func `forwards cancellation`() {
    record(source.breakpointOnError()).cancel()
    #expect(source.cancelCount == 1)
  }

  @Test func `breakpointOnError ignores a stream that finishes`() {
    #expect(log([1, 2].publisher.setFailureType(to: TestError.self).breakpointOnError()) == ["1", "2", "finished"])
  }
}

/// In debug builds; in release builds, the operators do not stop the program.
@Suite(.enabled(if: isDebugBuild))
struct BreakpointStopTests {
  @Test(.exits) func `stops at the subscription`() async {
    await #expect(processExitsWith: .signal(SIGTRAP)) {
      _ = Just(1).breakpoint(receiveSubscription: { _ in true }).sink { _ in }
    }
  }

  @Test(.exits) func `stops at a value before it is delivered`() async {
    let result = await #expect(processExitsWith: .signal(SIGTRAP), observing: [\.standardOutputContent]) {
      _ = [1, 2, 3].publisher.breakpoint(receiveOutput: { $0 == 2 }).sink {
        // Not `print`, whose buffered output is lost when the program stops.
        FileHandle.standardOutput.write(Data("value \($0)\n".utf8))
      }
    }
    let text = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    #expect(text.contains("value 1"))
    #expect(!text.contains("value 2"))
  }

  @Test(.exits) func `stops at the completion`() async {
    await #expect(processExitsWith: .signal(SIGTRAP)) {
      _ = Just(1).breakpoint(receiveCompletion: { $0 == .finished }).sink { _ in }
    }
  }

  @Test(.exits) func `breakpointOnError stops at a failure`() async {
    await #expect(processExitsWith: .signal(SIGTRAP)) {
      _ = Fail<Int, TestError>(error: .first).breakpointOnError().sink(
        receiveCompletion: { _ in }, receiveValue: { _ in })
    }
  }
}

/// Indicates whether assertions are compiled in.
private let isDebugBuild: Bool = {
  var isDebug = false
  assert(
    {
      isDebug = true
      return true
    }())
  return isDebug
}()
