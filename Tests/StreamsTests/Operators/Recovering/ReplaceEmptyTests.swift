import Dispatch
import Streams
import Testing

struct ReplaceEmptyTests {
  @Test func `sends a value when upstream finishes without one`() {
    #expect(log(Empty<Int, Never>().replaceEmpty(with: 1)) == ["1", "finished"])
  }

  @Test func `passes the values of upstream on`() {
    #expect(log([2, 3].publisher.replaceEmpty(with: 1)) == ["2", "3", "finished"])
  }

  @Test func `a failure is not an end without a value`() {
    #expect(log(Fail<Int, TestError>(error: .first).replaceEmpty(with: 1)) == ["first"])
  }

  @Test func `the value waits until it is asked for`() {
    let recorder = record(Empty<Int, Never>().replaceEmpty(with: 1), .none)
    #expect(recorder.log == [])

    recorder.request(.max(1))
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func `the value has been asked for when upstream was`() {
    let source = ManualSource<Int, Never>()
    let recorder = record(source.replaceEmpty(with: 1), .max(2))
    #expect(source.requests == [.max(2)])

    source.finish()
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func `a source that finishes while it is asked is empty`() {
    let publisher = Deferred { Empty<Int, Never>() }.buffer(size: 1, prefetch: .byRequest, whenFull: .dropNewest)
    #expect(log(publisher.replaceEmpty(with: 1)) == ["1", "finished"])
  }

  @Test func `the value is sent once`() {
    let recorder = Recorder<Int, Never>(.max(1))
    recorder.onValue = { _ in
      recorder.request(.max(1))
      return .max(1)
    }
    Empty<Int, Never>().replaceEmpty(with: 1).subscribe(recorder)
    recorder.request(.unlimited)
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func `passes demand on`() {
    let source = ManualSource<Int, Never>()
    let recorder = record(source.replaceEmpty(with: 0), .max(1))
    recorder.onValue = { _ in .max(4) }
    #expect(source.send(1) == .max(4))

    recorder.request(.max(2))
    #expect(source.requests == [.max(1), .max(2)])
  }

  @Test func `cancellation goes up once and nothing follows`() {
    let source = ManualSource<Int, Never>()
    source.ignoresCancellation = true
    let recorder = record(source.replaceEmpty(with: 1))
    recorder.cancel()
    recorder.cancel()
    source.finish()
    #expect(recorder.log == [])
    #expect(source.cancelCount == 1)
  }

  @Test func `nothing is sent when it is cancelled after upstream has finished`() {
    let recorder = record(Empty<Int, Never>().replaceEmpty(with: 1), .none)
    recorder.cancel()
    recorder.request(.max(1))
    #expect(recorder.log == [])
  }

  @Test func `does not finish when it is cancelled from inside the value`() {
    let recorder = Recorder<Int, Never>()
    recorder.onValue = { _ in
      recorder.cancel()
      return .none
    }
    Empty<Int, Never>().replaceEmpty(with: 1).subscribe(recorder)
    #expect(recorder.log == ["1"])
  }

  @Test func `the value is sent once when it is asked for while upstream finishes on another thread`() {
    for _ in 0..<500 {
      let subject = PassthroughSubject<Int, Never>()
      nonisolated(unsafe) let recorder = record(subject.replaceEmpty(with: 1), .none)
      DispatchQueue.concurrentPerform(iterations: 2) { index in
        if index == 0 { recorder.request(.max(1)) } else { subject.send(completion: .finished) }
      }
      #expect(recorder.log == ["1", "finished"])
    }
  }

  @Test(arguments: ["finished", "replaced", "cancelled"]) func `lets go of the subscriber at the end`(end: String) {
    let source = ManualSource<Int, Never>()
    weak var object: Recorder<Int, Never>?
    do {
      let recorder = record(source.replaceEmpty(with: 1))
      object = recorder
      if end != "replaced" { source.send(2) }
      if end == "cancelled" { recorder.cancel() } else { source.finish() }
    }
    #expect(object == nil)
  }

  @Test func `publishers are equal when upstream and value are`() {
    #expect([1].publisher.replaceEmpty(with: 1) == [1].publisher.replaceEmpty(with: 1))
    #expect([1].publisher.replaceEmpty(with: 1) != [1].publisher.replaceEmpty(with: 2))
  }
}
