import Streams
import Testing

struct SequenceTests {
  @Test func `publishes the elements and finishes`() {
    #expect(log([1, 2, 3].publisher) == ["1", "2", "3", "finished"])
  }

  @Test func `publishes one element for each unit of demand`() {
    let recorder = record([1, 2, 3].publisher, .none)
    recorder.request(.max(1))
    #expect(recorder.log == ["1"])
    recorder.request(.max(1))
    #expect(recorder.log == ["1", "2"])
  }

  @Test func `finishes together with the last element of an array`() {
    let recorder = record([1, 2].publisher, .max(2))
    #expect(recorder.log == ["1", "2", "finished"])
  }

  @Test func `adds the demand that receive(_:) returns`() {
    let recorder = SignalRecorder<Int, Never>(.max(1))
    recorder.onValue = { $0 == 1 ? .max(1) : .none }
    [1, 2, 3].publisher.subscribe(recorder)
    #expect(recorder.log == ["1", "2"])
  }

  @Test func `finishes at once when it is an empty array`() {
    #expect(record([Int]().publisher, .none).log == ["finished"])
  }

  @Test func `evaluates an empty lazy sequence only on demand`() {
    let recorder = record([1].lazy.filter { $0 > 1 }.publisher, .none)
    #expect(recorder.log == [])
    recorder.request(.max(1))
    #expect(recorder.log == ["finished"])
  }

  @Test func `pulls no more elements than requested, and so publishes an infinite sequence`() {
    let recorder = record((1...).publisher, .max(3))
    #expect(recorder.values == [1, 2, 3])
  }

  @Test func `maps and filters an infinite sequence, unlike Combine, which never returns`() {
    let publisher = (1...).publisher.filter { $0.isMultiple(of: 2) }.map { $0 * 10 }.prefix(3)
    #expect(log(publisher) == ["20", "40", "60", "finished"])
  }

  @Test func `runs side effects on demand only, unlike Combine`() {
    var calls = 0
    let publisher = [1, 2, 3].publisher.map { value -> Int in
      calls += 1
      return value
    }
    #expect(calls == 0)

    let recorder = record(publisher, .max(2))
    #expect(calls == 2)
    recorder.cancel()
    #expect(calls == 2)
  }

  @Test func `pulls lazily from a separate iterator for each subscriber`() {
    var pulled = 0
    let publisher = sequence(first: 1) { value -> Int? in
      pulled += 1
      return value + 1
    }.publisher
    _ = record(publisher, .max(3))
    #expect(pulled <= 3)
    #expect(record(publisher, .max(2)).values == [1, 2])
  }

  @Test func `stops pulling when it is cancelled while a value is being delivered`() {
    var pulled: [Int] = []
    let recorder = SignalRecorder<Int, Never>()
    recorder.onValue = { value in
      if value == 2 { recorder.cancel() }
      return .none
    }
    (1...).lazy.map { value -> Int in
      pulled.append(value)
      return value
    }.publisher.subscribe(recorder)
    #expect(recorder.log == ["1", "2"])
    #expect(pulled == [1, 2])
  }

  @Test func `requests while a value is being delivered do not grow the stack`() {
    let recorder = SignalRecorder<Int, Never>(.max(1))
    recorder.onValue = { _ in
      recorder.request(.max(1))
      return .none
    }
    (1...20_000).publisher.subscribe(recorder)
    #expect(recorder.values.count == 20_000)
    #expect(recorder.completions == [.finished])
  }

  @Test func `the end of a lazy sequence comes with the request after its last element`() {
    for publisher in [
      (1...2).lazy.map { $0 }.publisher.eraseToAnyPublisher(),
      sequence(first: 1) { $0 < 2 ? 2 : nil }.publisher.eraseToAnyPublisher(),
    ] {
      let recorder = record(publisher, .max(2))
      #expect(recorder.log == ["1", "2"])
      recorder.request(.max(1))
      #expect(recorder.log == ["1", "2", "finished"])
    }
  }

  @Test func `starts over for every subscriber`() {
    let publisher = [1, 2].publisher
    #expect(collect(publisher) + collect(publisher) == [1, 2, 1, 2])
  }

  @Test func `equals another with an equal sequence`() {
    #expect([1, 2].publisher == [1, 2].publisher)
    #expect([1, 2].publisher != [1].publisher)
  }

  @Test func `can be created with a failure type`() {
    #expect(log(Publishers.Sequence<[Int], TestError>(sequence: [1])) == ["1", "finished"])
  }
}
