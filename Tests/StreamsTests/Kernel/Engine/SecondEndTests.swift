import Streams
import SuiteSupport
import Testing

/// Publishers that break the contract, and end twice.
struct SecondEndTests {
  private let outer = ManualSource<PassthroughSubject<Int, TestError>, TestError>()
  private let inner = PassthroughSubject<Int, TestError>()

  init() { outer.ignoresCancellation = true }

  private func receivesAfterSecondEnd(_ recorder: SignalRecorder<Int, TestError>) {
    outer.send(inner)
    outer.finish()
    outer.fail(.first)
    inner.send(1)
    inner.send(completion: .finished)
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func `flatMap ignores a second end of the outer publisher`() {
    receivesAfterSecondEnd(record(outer.flatMap { $0 }))
  }

  @Test func `switchToLatest ignores a second end of the outer publisher`() {
    receivesAfterSecondEnd(record(outer.switchToLatest()))
  }
}
