import Dispatch
import StreamInspection
import StreamSchedulers
import Streams
import Testing

struct SampleTests {
  private let values = ManualSource<Int, TestError>()
  private let sampler = ManualSource<Void, TestError>()

  @Test func `publishes the latest value once with each sample`() {
    let recorder = record(values.sample(by: sampler))
    sampler.send(())
    values.send(1)
    values.send(2)
    sampler.send(())
    sampler.send(())
    values.send(3)
    sampler.send(())
    #expect(recorder.log == ["2", "3"])
  }

  @Test func `requests unlimited demand from both, and keeps a value without demand for a later sample`() {
    let recorder = record(values.sample(by: sampler), .none)
    #expect(values.requests == [.unlimited])
    #expect(sampler.requests == [.unlimited])
    values.send(1)
    sampler.send(())
    recorder.request(.max(1))
    #expect(recorder.log == [])
    sampler.send(())
    #expect(recorder.log == ["1"])
  }

  @Test func `publishes the last value with the next sample, and then finishes`() {
    let recorder = record(values.sample(by: sampler))
    values.send(1)
    values.finish()
    #expect(recorder.log == [])
    sampler.send(())
    #expect(recorder.log == ["1", "finished"])
    #expect(sampler.cancelCount == 1)
  }

  @Test func `finishes at once when no value waits`() {
    let recorder = record(values.sample(by: sampler))
    values.finish()
    #expect(recorder.log == ["finished"])
    #expect(sampler.cancelCount == 1)
  }

  @Test func `finishes with the sampler`() {
    let recorder = record(values.sample(by: sampler))
    values.send(1)
    sampler.finish()
    #expect(recorder.log == ["finished"])
    #expect(values.cancelCount == 1)
  }

  @Test func `fails as soon as either fails`() {
    let recorder = record(values.sample(by: sampler))
    sampler.fail(.first)
    #expect(recorder.log == ["first"])
    #expect(values.cancelCount == 1)
  }

  @Test func `takes a timer as the sampler`() {
    let scheduler = DispatchQueue.test
    let recorder = record(
      values.sample(by: scheduler.timerPublisher(every: .seconds(1)).autoconnect()), on: scheduler)
    scheduler.at(0.5) { values.send(1) }
    scheduler.at(1.5) { values.send(2) }
    scheduler.at(1.6) { values.send(3) }
    scheduler.advance(by: .seconds(10))
    #expect(recorder.log == ["1@1", "3@2"])
    recorder.cancel()
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `inspection says that a value waits for the sampler`() {
    let values = PassthroughSubject<Int, Never>()
    let cancellable = values.sample(by: PassthroughSubject<Void, Never>()).sink { _ in }
    #expect("\(cancellable.inspection)".contains("main has sent nothing new"))
    values.send(1)
    #expect("\(cancellable.inspection)".contains("a value is waiting for the sampler"))
    cancellable.cancel()
  }
}
