import Streams
import SuiteSupport
import Testing

/// What an operator that publishes one result makes of publishers that go on after its end.
struct ReducerTests {
  private let source = ManualSource<Int, TestError>()

  init() { source.ignoresCancellation = true }

  @Test func `a closure that has thrown is not called again`() {
    var values: [Int] = []
    let recorder = record(
      source.tryReduce(0) { _, value in
        values.append(value)
        throw TestError.first
      })
    source.send(1)
    source.send(2)
    #expect(values == [1])
    #expect(recorder.log == ["first"])
  }

  @Test func `a failure that follows the result does not replace it`() {
    let recorder = record(source.contains(1), .none)
    source.send(1)
    source.fail(.first)
    #expect(recorder.log == [])
    recorder.request(.max(1))
    #expect(recorder.log == ["true", "finished"])
  }

  @Test func `a value that follows the completion does not change the result`() {
    let recorder = record(source.reduce(0, +), .none)
    source.send(1)
    source.finish()
    source.send(2)
    recorder.request(.max(1))
    #expect(recorder.log == ["1", "finished"])
  }

  @Test(.exits) func `a value that arrives while the closure processes another stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let source = ManualSource<Int, Never>()
      record(
        source.reduce(0) { sum, value in
          if value == 1 { source.send(2) }
          return sum + value
        })
      source.send(1)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("must not overlap"))
  }
}
