import Streams
import Testing

struct EnumeratedTests {
  private let source = ManualSource<String, TestError>()

  @Test func `counts values from zero for each subscriber`() {
    let publisher = ["a", "b"].publisher.enumerated()
    for _ in 0..<2 {
      let values = collect(publisher)
      #expect(values.map(\.offset) == [0, 1])
      #expect(values.map(\.element) == ["a", "b"])
    }
  }

  @Test func `counts values from the initial number`() {
    #expect(collect(["a", "b"].publisher.enumerated(initial: 5)).map(\.offset) == [5, 6])
    #expect(collect(["a", "b"].publisher.enumerated(initial: .max)).map(\.offset) == [.max, .min])
  }

  @Test func `forwards demand, failures and cancellation`() {
    let recorder = record(source.enumerated(), .max(2))
    #expect(source.requests == [.max(2)])
    source.send("a")
    source.fail(.first)
    #expect(recorder.values.map(\.element) == ["a"])
    #expect(recorder.failures == [.first])
    record(source.enumerated()).cancel()
    #expect(source.cancelCount == 1)
  }
}

struct PartitionTests {
  @Test func `publishes matching values in one publisher and the others in the second`() {
    let (even, odd) = (1...4).publisher.partition { $0 % 2 == 0 }
    #expect(log(even) == ["2", "4", "finished"])
    #expect(log(odd) == ["1", "3", "finished"])
  }

  @Test func `subscribes to upstream for each of the two`() {
    let source = ManualSource<Int, TestError>()
    let parts = source.partition { $0 > 1 }
    record(parts.matches)
    record(parts.others)
    #expect(source.subscriberCount == 2)
  }

  @Test func `toggle publishes the negated value`() {
    #expect(collect([true, false].publisher.toggle()) == [false, true])
  }

  @Test func `setOutputType changes the output type from Never`() {
    let saved = [1, 2].publisher.ignoreOutput().setOutputType(to: String.self)
    #expect(log(saved.append("saved")) == ["saved", "finished"])
  }
}
