import Streams
import Testing

struct OutputTests {
  @Test func `at a position publishes that value, cancels upstream and finishes`() {
    let source = ManualSource<Int, Never>()
    let recorder = record(source.output(at: 1))
    source.send(10)
    #expect(recorder.log == [])
    source.send(11)
    #expect(recorder.log == ["11", "finished"])
    #expect(source.cancelCount == 1)
  }

  @Test func `out of range finishes without a failure`() {
    #expect(log([1, 2].publisher.output(at: 5)) == ["finished"])
  }

  @Test func `in a range finishes together with its last value`() {
    let source = ManualSource<Int, Never>()
    let recorder = record(source.output(in: 1...2))
    for value in 0...2 { source.send(value) }
    #expect(recorder.log == ["1", "2", "finished"])
    #expect(source.cancelCount == 1)
  }

  @Test func `takes every kind of range`() {
    let values = [0, 1, 2, 3].publisher
    #expect(collect(values.output(in: 1..<3)) == [1, 2])
    #expect(collect(values.output(in: 2...)) == [2, 3])
    #expect(collect(values.output(in: ..<2)) == [0, 1])
    #expect(collect(values.output(in: ...1)) == [0, 1])
  }

  @Test func `in an empty range finishes without a request`() {
    let source = ManualSource<Int, Never>()
    #expect(record(source.output(in: 2..<2), .none).log == ["finished"])
    #expect(source.requests == [])
  }

  @Test func `in a range up to Int.max never finishes by itself`() {
    let source = PassthroughSubject<Int, Never>()
    let recorders = [
      record(source.output(in: 0...Int.max)), record(source.output(in: ...Int.max)),
      record(source.output(in: 0..<Int.max)),
      record(source.prefix(.max)),
    ]
    source.send(1)
    #expect(recorders.map(\.log) == Array(repeating: ["1"], count: 4))
    source.send(completion: .finished)
    #expect(recorders.map(\.log) == Array(repeating: ["1", "finished"], count: 4))
  }

  @Test func `at Int.max publishes nothing and finishes with upstream`() {
    let source = PassthroughSubject<Int, Never>()
    let recorders = [
      record(source.output(at: .max)), record(source.output(in: Int.max...)),
      record(source.output(in: Int.max...Int.max)),
    ]
    source.send(1)
    #expect(recorders.map(\.log) == [[], [], []])
    source.send(completion: .finished)
    #expect(recorders.map(\.log) == Array(repeating: ["finished"], count: 3))
  }

  @Test func `in an empty range at Int.max finishes at once`() {
    let source = ManualSource<Int, Never>()
    #expect(record(source.output(in: Int.max..<Int.max)).log == ["finished"])
  }

  @Test func `requests another value for each one before the range`() {
    let source = ManualSource<Int, Never>()
    record(source.output(in: 1..<3), .max(1))
    #expect(source.send(0) == .max(1))
    #expect(source.send(1) == .none)
  }

  @Test func `forwards failures`() {
    #expect(log(Fail<Int, TestError>(error: .first).output(at: 0)) == ["first"])
  }
}
