import Streams
import SuiteSupport
import Testing

struct BufferByBoundaryTests {
  private let values = ManualSource<Int, TestError>()
  private let boundary = ManualSource<Void, TestError>()

  @Test func `an array ends at a boundary or when it is full`() {
    let recorder = record(values.buffer(by: boundary, maxCount: 3))
    values.send(1)
    boundary.send(())
    boundary.send(())
    for value in 2...5 { values.send(value) }
    #expect(recorder.values == [[1], [2, 3, 4]])
    boundary.send(())
    #expect(recorder.values == [[1], [2, 3, 4], [5]])
  }

  @Test func `publishes the collected values when upstream finishes, and cancels the boundary`() {
    let recorder = record(values.buffer(by: boundary, maxCount: 3))
    values.send(1)
    values.finish()
    #expect(recorder.log == ["[1]", "finished"])
    #expect(boundary.cancelCount == 1)
  }

  @Test func `drops the collected values when upstream fails`() {
    let recorder = record(values.buffer(by: boundary, maxCount: 3))
    values.send(1)
    values.fail(.first)
    #expect(recorder.log == ["first"])
  }

  @Test func `continues when the boundary finishes, and fails with it`() {
    let recorder = record(values.buffer(by: boundary, maxCount: 2))
    boundary.finish()
    for value in 1...3 { values.send(value) }
    #expect(recorder.values == [[1, 2]])
    let failing = record(values.buffer(by: boundary, maxCount: 2))
    boundary.fail(.first)
    #expect(failing.log == ["first"])
    #expect(values.cancelCount == 1)
  }

  @Test func `requests nothing without demand, and buffers at most one array`() {
    let recorder = record([1, 2, 3, 4, 5].publisher.buffer(by: boundary.ignoringFailure, maxCount: 2), .none)
    #expect(boundary.requests == [])
    recorder.request(.max(1))
    #expect(recorder.values == [[1, 2]])
    recorder.request(.max(2))
    #expect(recorder.log == ["[1, 2]", "[3, 4]", "[5]", "finished"])
  }

  @Test func `releases the collected values on cancellation`() {
    weak var value: AnyObject?
    let source = PassthroughSubject<AnyObject, Never>()
    let recorder = record(source.buffer(by: boundary.ignoringFailure, maxCount: 2))
    do {
      let object = SignalRecorder<Int, Never>()
      value = object
      source.send(object)
    }
    #expect(value != nil)
    recorder.cancel()
    #expect(value == nil)
  }

  @Test(.exits) func `a maximum count of zero stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = [1].publisher.buffer(by: Just(()), maxCount: 0)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("buffer(maxCount:) requires a count of at least 1, got 0."))
  }
}

extension ManualSource {
  fileprivate var ignoringFailure: Publishers.Catch<ManualSource, Empty<Output, Never>> {
    self.catch { _ in Empty() }
  }
}
