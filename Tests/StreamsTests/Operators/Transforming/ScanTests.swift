import Streams
import Testing

struct ScanTests {
  @Test func `publishes the result of each value and the previous result`() {
    #expect(log([1, 2, 3].publisher.scan(0, +)) == ["1", "3", "6", "finished"])
  }

  @Test func `starts over for every subscriber`() {
    let publisher = [1, 2].publisher.scan(0, +)
    #expect(collect(publisher) + collect(publisher) == [1, 3, 1, 3])
  }

  @Test func `forwards demand, failures and cancellation`() {
    let source = ManualSource<Int, TestError>()
    let recorder = record(source.scan("") { $0 + "\($1)" }, .max(1))
    #expect(source.requests == [.max(1)])
    #expect(source.send(1) == .none)
    source.fail(.first)
    #expect(recorder.log == ["1", "first"])

    record(source.scan(0, +)).cancel()
    #expect(source.cancelCount == 1)
  }

  @Test func `tryScan cancels upstream and delivers a thrown error once`() {
    let source = ManualSource<Int, Never>()
    source.ignoresCancellation = true
    let recorder = record(source.tryScan(0) { if $1 == 2 { throw TestError.first } else { $0 + $1 } })
    for value in [1, 1, 2, 3, 2] { source.send(value) }
    source.finish()
    #expect(recorder.log == ["1", "2", "first"])
    #expect(source.cancelCount == 1)
  }
}
