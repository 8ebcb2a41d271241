import Streams
import Testing

struct MaterializeTests {
  private let source = ManualSource<Int, TestError>()

  @Test func `publishes values and the completion as events, and finishes`() {
    #expect(collect([1, 2].publisher.materialize()) == [.value(1), .value(2), .finished])
    #expect(log([1].publisher.materialize()) == ["value(1)", "finished", "finished"])
  }

  @Test func `publishes a failure as an event, and finishes`() {
    let recorder = record(source.materialize())
    source.send(1)
    source.fail(.first)
    #expect(recorder.values == [.value(1), .failure(.first)])
    #expect(recorder.completions == [.finished])
  }

  @Test func `holds the event of the completion until it is requested`() {
    let recorder = record(source.materialize(), .max(1))
    source.send(1)
    source.fail(.second)
    #expect(recorder.values == [.value(1)])
    #expect(recorder.completions.isEmpty)
    recorder.request(.max(1))
    #expect(recorder.values == [.value(1), .failure(.second)])
    #expect(recorder.completions == [.finished])
  }

  @Test func `forwards demand and cancellation`() {
    let recorder = record(source.materialize(), .max(2))
    #expect(source.requests == [.max(2)])
    recorder.cancel()
    source.finish()
    #expect(source.cancelCount == 1)
    #expect(recorder.log == [])
  }

  @Test func `publishes no event of the completion after cancellation`() {
    let recorder = record(source.materialize(), .max(1))
    source.send(1)
    source.finish()
    recorder.cancel()
    recorder.request(.max(1))
    #expect(recorder.values == [.value(1)])
    #expect(recorder.completions.isEmpty)
  }
}

struct DematerializeTests {
  private typealias Signal = PublisherEvent<Int, TestError>
  private let source = ManualSource<Signal, Never>()

  @Test func `reverses materialize`() {
    #expect(log([1, 2].publisher.materialize().dematerialize()) == ["1", "2", "finished"])
    #expect(log(Fail<Int, TestError>(error: .first).materialize().dematerialize()) == ["first"])
  }

  @Test(arguments: [true, false])
  func `completes with the first event of a completion, and cancels upstream`(fails: Bool) {
    let recorder = record(source.dematerialize())
    source.send(.value(1))
    source.send(fails ? .failure(.second) : .finished)
    source.send(.value(2))
    #expect(recorder.log == ["1", fails ? "second" : "finished"])
    #expect(source.cancelCount == 1)
  }

  @Test func `finishes when upstream finishes without such an event`() {
    let recorder = record(source.dematerialize())
    source.send(.value(1))
    source.finish()
    #expect(recorder.log == ["1", "finished"])
    #expect(source.cancelCount == 0)
  }

  @Test func `forwards demand and cancellation`() {
    let recorder = record(source.dematerialize(), .max(3))
    #expect(source.requests == [.max(3)])
    recorder.cancel()
    #expect(source.cancelCount == 1)
  }

  @Test func `values of a publisher of events is still an asynchronous sequence`() async {
    var events: [Signal] = []
    for await event in [Signal.value(1), .finished].publisher.values { events.append(event) }
    #expect(events == [.value(1), .finished])
  }

  @Test func `an inner publisher may fail without ending the stream`() {
    let outer = PassthroughSubject<Int, Never>()
    let events = outer.flatMap { number in
      (number == 0 ? Result<Int, TestError>.failure(.first) : .success(number)).publisher.materialize()
    }
    let recorder = record(events.compactMap { $0.value })
    for number in [1, 0, 2] { outer.send(number) }
    #expect(recorder.log == ["1", "2"])
  }
}

struct EventTests {
  private typealias Signal = PublisherEvent<Int, TestError>

  @Test func `describes itself`() {
    #expect("\(Signal.value(1)) \(Signal.failure(.first)) \(Signal.finished)" == "value(1) failure(first) finished")
  }

  @Test func `has a value or a failure`() {
    #expect(Signal.value(1).value == 1)
    #expect(Signal.value(1).failure == nil)
    #expect(Signal.failure(.first).failure == .first)
    #expect(Signal.finished.value == nil)
  }

  @Test func `can be created from a completion`() {
    #expect(Signal(.finished) == .finished)
    #expect(Signal(.failure(.second)) == .failure(.second))
  }

  @Test func `is hashable when its value and failure are`() {
    #expect(Set([PublisherEvent<Int, Never>.value(1), .value(1), .finished]).count == 2)
  }
}
