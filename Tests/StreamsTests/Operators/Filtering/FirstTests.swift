import Streams
import Testing

struct FirstTests {
  @Test func `publishes the first value and finishes`() {
    #expect(log([1, 2].publisher.first()) == ["1", "finished"])
    #expect(log((1...).publisher.first { $0 > 9 }) == ["10", "finished"])
  }

  @Test func `finishes without a value when upstream is empty`() {
    #expect(log(Empty<Int, Never>().first()) == ["finished"])
    #expect(log([1].publisher.first { $0 > 9 }) == ["finished"])
  }

  @Test func `cancels upstream once, then finishes`() {
    let source = ManualSource<Int, Never>()
    let recorder = SignalRecorder<Int, Never>()
    var order: [String] = []
    source.onCancel = { order.append("cancelled") }
    recorder.onCompletion = { order.append("finished") }
    source.first().subscribe(recorder)
    source.send(1)
    #expect(order == ["cancelled", "finished"])
  }

  @Test func `requests unlimited demand when it is subscribed to`() {
    let sources = [ManualSource<Int, Never>(), ManualSource(), ManualSource()]
    record(sources[0].first(), .none)
    record(sources[1].first { $0 > 1 }, .max(1))
    record(sources[2].tryFirst { $0 > 1 }, .none)
    for source in sources { #expect(source.requests == [.unlimited]) }
    #expect(sources[1].send(1) == .none)
  }

  @Test func `keeps the value for a late request`() {
    let source = ManualSource<Int, Never>()
    let recorder = record(source.first { $0 > 1 }, .none)
    for value in 1...3 { source.send(value) }
    #expect(source.cancelCount == 1)
    #expect(recorder.log == [])
    recorder.request(.max(1))
    #expect(recorder.log == ["2", "finished"])
  }

  @Test func `finishes without demand when there is no value`() {
    let source = ManualSource<Int, Never>()
    let recorder = record(source.first(), .none)
    source.finish()
    #expect(recorder.log == ["finished"])
  }

  @Test func `forwards failures`() {
    #expect(log(Fail<Int, TestError>(error: .first).first()) == ["first"])
  }

  @Test func `publishes one value when a subject sends another while it is being delivered`() {
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

  @Test func `tryFirst publishes the first value that matches`() {
    #expect(log([1, 2, 3].publisher.tryFirst { $0 > 1 }) == ["2", "finished"])
  }
}
