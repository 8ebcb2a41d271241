import Streams
import Testing

struct SequenceTests {
  @Test func `sends the elements and finishes`() {
    #expect(log([1, 2, 3].publisher) == ["1", "2", "3", "finished"])
  }

  @Test func `sends one element for each unit of demand`() {
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

  @Test func `adds the demand that values are answered with`() {
    let recorder = Recorder<Int, Never>(.max(1))
    recorder.onValue = { $0 == 1 ? .max(1) : .none }
    [1, 2, 3].publisher.subscribe(recorder)
    #expect(recorder.log == ["1", "2"])
  }

  @Test func `finishes at once when it is an empty array`() {
    #expect(record([Int]().publisher, .none).log == ["finished"])
  }

  @Test func `waits to be asked before it finds a lazy sequence empty`() {
    let recorder = record([1].lazy.filter { $0 > 1 }.publisher, .none)
    #expect(recorder.log == [])
    recorder.request(.max(1))
    #expect(recorder.log == ["finished"])
  }

  @Test func `pulls no more than is asked for, and so sends an infinite sequence`() {
    let recorder = record((1...).publisher, .max(3))
    #expect(recorder.values == [1, 2, 3])
  }

  @Test func `maps and filters an infinite sequence, other than Combine, which would never return`() {
    let publisher = (1...).publisher.filter { $0.isMultiple(of: 2) }.map { $0 * 10 }.prefix(3)
    #expect(log(publisher) == ["20", "40", "60", "finished"])
  }

  @Test func `runs side effects only as far as somebody asks, other than Combine`() {
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

  @Test func `pulls lazily from an iterator of its own for each subscriber`() {
    var pulled = 0
    let publisher = sequence(first: 1) { value -> Int? in
      pulled += 1
      return value + 1
    }.publisher
    _ = record(publisher, .max(3))
    #expect(pulled <= 3)
    #expect(record(publisher, .max(2)).values == [1, 2])
  }

  @Test func `stops pulling when it is cancelled from inside a value`() {
    var pulled: [Int] = []
    let recorder = Recorder<Int, Never>()
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

  @Test func `requests from inside values do not grow the stack`() {
    let recorder = Recorder<Int, Never>(.max(1))
    recorder.onValue = { _ in
      recorder.request(.max(1))
      return .none
    }
    (1...100_000).publisher.subscribe(recorder)
    #expect(recorder.values.count == 100_000)
    #expect(recorder.completions == [.finished])
  }

  @Test func `starts anew for every subscriber`() {
    let publisher = [1, 2].publisher
    #expect(collect(publisher) + collect(publisher) == [1, 2, 1, 2])
  }

  @Test func `equals one with an equal sequence`() {
    #expect([1, 2].publisher == [1, 2].publisher)
    #expect([1, 2].publisher != [1].publisher)
  }

  @Test func `is made with a kind of errors`() {
    #expect(log(Publishers.Sequence<[Int], TestError>(sequence: [1])) == ["1", "finished"])
  }
}
