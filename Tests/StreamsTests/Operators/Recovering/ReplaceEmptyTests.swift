import Dispatch
import Streams
import Testing

struct ReplaceEmptyTests {
  @Test func `publishes the value when upstream finishes without one`() {
    #expect(log(Empty<Int, Never>().replaceEmpty(with: 1)) == ["1", "finished"])
  }

  @Test func `forwards the values of upstream`() {
    #expect(log([2, 3].publisher.replaceEmpty(with: 1)) == ["2", "3", "finished"])
  }

  @Test func `forwards a failure without the value`() {
    #expect(log(Fail<Int, TestError>(error: .first).replaceEmpty(with: 1)) == ["first"])
  }

  @Test func `holds the value until it is requested`() {
    let recorder = record(Empty<Int, Never>().replaceEmpty(with: 1), .none)
    #expect(recorder.log == [])

    recorder.request(.max(1))
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func `publishes the value with the demand that upstream has not used`() {
    let source = ManualSource<Int, Never>()
    let recorder = record(source.replaceEmpty(with: 1), .max(2))
    #expect(source.requests == [.max(2)])

    source.finish()
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func `replaces a source that finishes during the request`() {
    let publisher = Deferred { Empty<Int, Never>() }.buffer(size: 1, prefetch: .byRequest, whenFull: .dropNewest)
    #expect(log(publisher.replaceEmpty(with: 1)) == ["1", "finished"])
  }

  @Test func `publishes the value once`() {
    let recorder = SignalRecorder<Int, Never>(.max(1))
    recorder.onValue = { _ in
      recorder.request(.max(1))
      return .max(1)
    }
    Empty<Int, Never>().replaceEmpty(with: 1).subscribe(recorder)
    recorder.request(.unlimited)
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func `forwards demand`() {
    let source = ManualSource<Int, Never>()
    let recorder = record(source.replaceEmpty(with: 0), .max(1))
    recorder.onValue = { _ in .max(4) }
    #expect(source.send(1) == .max(4))

    recorder.request(.max(2))
    #expect(source.requests == [.max(1), .max(2)])
  }

  @Test func `cancels upstream once and then publishes nothing`() {
    let source = ManualSource<Int, Never>()
    source.ignoresCancellation = true
    let recorder = record(source.replaceEmpty(with: 1))
    recorder.cancel()
    recorder.cancel()
    source.finish()
    #expect(recorder.log == [])
    #expect(source.cancelCount == 1)
  }

  @Test func `publishes nothing when it is cancelled after upstream has finished`() {
    let recorder = record(Empty<Int, Never>().replaceEmpty(with: 1), .none)
    #expect(recorder.subscription != nil)
    recorder.cancel()
    recorder.request(.max(1))
    #expect(recorder.log == [])
  }

  @Test func `does not finish when it is cancelled while the value is being delivered`() {
    let recorder = SignalRecorder<Int, Never>()
    recorder.onValue = { _ in
      recorder.cancel()
      return .none
    }
    Empty<Int, Never>().replaceEmpty(with: 1).subscribe(recorder)
    #expect(recorder.log == ["1"])
  }

  @Test func `publishes the value once when a request races with upstream's completion`() {
    for _ in 0..<500 {
      let subject = PassthroughSubject<Int, Never>()
      nonisolated(unsafe) let recorder = record(subject.replaceEmpty(with: 1), .none)
      DispatchQueue.concurrentPerform(iterations: 2) { index in
        if index == 0 { recorder.request(.max(1)) } else { subject.send(completion: .finished) }
      }
      #expect(recorder.log == ["1", "finished"])
    }
  }

  @Test(arguments: ["finished", "replaced", "cancelled"]) func `releases the subscriber at the end`(end: String) {
    let source = ManualSource<Int, Never>()
    weak var object: SignalRecorder<Int, Never>?
    do {
      let recorder = record(source.replaceEmpty(with: 1))
      object = recorder
      #expect(source.subscriberCount == 1)
      if end != "replaced" { source.send(2) }
      if end == "cancelled" { recorder.cancel() } else { source.finish() }
    }
    #expect(object == nil)
  }

  @Test func `publishers with equal upstreams and values are equal`() {
    #expect([1].publisher.replaceEmpty(with: 1) == [1].publisher.replaceEmpty(with: 1))
    #expect([1].publisher.replaceEmpty(with: 1) != [1].publisher.replaceEmpty(with: 2))
  }
}
