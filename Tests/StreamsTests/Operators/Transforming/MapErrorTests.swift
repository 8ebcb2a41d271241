import Streams
import Testing

struct MapErrorTests {
  private struct Wrapped: Error, CustomStringConvertible {
    let error: TestError
    var description: String { "wrapped \(error)" }
  }

  @Test func `transforms the failure`() {
    #expect(log(Fail<Int, TestError>(error: .first).mapError(Wrapped.init)) == ["wrapped first"])
  }

  @Test func `forwards values, a normal completion, demand and cancellation`() {
    let source = ManualSource<Int, TestError>()
    let recorder = record(source.mapError(Wrapped.init), .max(1))
    source.send(1)
    source.finish()
    #expect(source.requests == [.max(1)])
    #expect(recorder.log == ["1", "finished"])

    record(source.mapError(Wrapped.init)).cancel()
    #expect(source.cancelCount == 1)
  }

  @Test func `setFailureType changes the failure type from Never`() {
    let publisher: some Publisher<Int, TestError> = [1].publisher.setFailureType(to: TestError.self)
    #expect(log(publisher) == ["1", "finished"])
  }

  @Test func `setFailureType twice fuses into one`() {
    let publisher: Publishers.SetFailureType<Just<Int>, any Error> =
      Publishers.SetFailureType<Just<Int>, TestError>(upstream: Just(1)).setFailureType(to: (any Error).self)
    #expect(log(publisher) == ["1", "finished"])
  }
}
