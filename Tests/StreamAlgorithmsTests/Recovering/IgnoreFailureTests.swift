import Streams
import Testing

struct IgnoreFailureTests {
  private let source = ManualSource<Int, TestError>()

  @Test func `finishes when upstream fails`() {
    let recorder = record(source.ignoreFailure(), .max(2))
    #expect(source.requests == [.max(2)])
    source.send(1)
    source.fail(.first)
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func `without an immediate completion, a failure has no effect`() {
    let recorder = record(source.ignoreFailure(completeImmediately: false))
    source.send(1)
    source.fail(.first)
    #expect(recorder.log == ["1"])
    recorder.cancel()
    #expect(log([1].publisher.ignoreFailure(completeImmediately: false)) == ["1", "finished"])
  }

  @Test func `finishes when upstream finishes, and forwards cancellation`() {
    #expect(log([1].publisher.ignoreFailure()) == ["1", "finished"])
    record(source.ignoreFailure()).cancel()
    #expect(source.cancelCount == 1)
  }

  @Test func `mapToResult publishes values and a failure as results`() {
    let recorder = record(source.mapToResult(), .max(1))
    source.send(1)
    source.fail(.first)
    #expect(recorder.values == [.success(1)])
    recorder.request(.max(1))
    #expect(recorder.values == [.success(1), .failure(.first)])
    #expect(recorder.completions == [.finished])
    #expect(collect([1].publisher.mapToResult()) == [.success(1)])
  }
}
