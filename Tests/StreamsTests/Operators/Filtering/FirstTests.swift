import Streams
import Testing

struct FirstTests {
  @Test func `passes the first value on and finishes`() {
    #expect(log([1, 2].publisher.first()) == ["1", "finished"])
    #expect(log((1...).publisher.first { $0 > 9 }) == ["10", "finished"])
  }

  @Test func `finishes without a value when there is none`() {
    #expect(log(Empty<Int, Never>().first()) == ["finished"])
    #expect(log([1].publisher.first { $0 > 9 }) == ["finished"])
  }

  @Test func `cancels upstream once, then finishes`() {
    let source = ManualSource<Int, Never>()
    let recorder = Recorder<Int, Never>()
    var order: [String] = []
    source.onCancel = { order.append("cancelled") }
    recorder.onCompletion = { order.append("finished") }
    source.first().subscribe(recorder)
    source.send(1)
    #expect(order == ["cancelled", "finished"])
  }

  @Test func `gives back the demand of values that are not accepted`() {
    let source = ManualSource<Int, Never>()
    record(source.first { $0 > 1 }, .max(1))
    #expect(source.send(1) == .max(1))
    #expect(source.send(2) == .none)
  }

  @Test func `passes failures on`() {
    #expect(log(Fail<Int, TestError>(error: .first).first()) == ["first"])
  }

  @Test func `passes on one value of a subject that is sent another from inside the delivery`() {
    let subject = PassthroughSubject<Int, Never>()
    var values: [Int] = []
    let cancellable = subject.first().sink {
      values.append($0)
      subject.send(2)
    }
    subject.send(1)
    #expect(values == [1])
    cancellable.cancel()
  }

  @Test func `tryFirst cancels upstream and delivers a thrown error once`() {
    let source = ManualSource<Int, Never>()
    source.ignoresCancellation = true
    let recorder = record(source.tryFirst { _ in throw TestError.first })
    source.send(1)
    source.send(2)
    source.finish()
    #expect(recorder.log == ["first"])
    #expect(source.cancelCount == 1)
  }

  @Test func `tryFirst passes on the first value that is accepted`() {
    #expect(log([1, 2, 3].publisher.tryFirst { $0 > 1 }) == ["2", "finished"])
  }
}
