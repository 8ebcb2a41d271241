import Streams
import Testing

struct SwitchToLatestTests {
  private let outer = PassthroughSubject<Int, TestError>()
  private let inners = (0..<3).map { _ in ManualSource<String, TestError>() }

  private func switching() -> some Publisher<String, TestError> {
    outer.map { inners[$0] }.switchToLatest()
  }

  @Test func `publishes the values of the latest publisher`() {
    let recorder = record(switching())
    outer.send(0)
    inners[0].send("a")
    outer.send(1)
    inners[0].send("lost")
    inners[1].send("b")
    #expect(recorder.log == ["a", "b"])
  }

  @Test func `cancels the previous publisher before it subscribes to the next`() {
    var order: [String] = []
    inners[0].onCancel = { order.append("cancelled") }
    inners[1].onSubscribe = { order.append("subscribed") }
    record(switching())
    outer.send(0)
    outer.send(1)
    #expect(order == ["cancelled", "subscribed"])
  }

  @Test func `drops values that a previous publisher still sends`() {
    inners[0].ignoresCancellation = true
    let recorder = record(switching())
    outer.send(0)
    outer.send(1)
    inners[0].send("old")
    inners[0].fail(.second)
    inners[1].send("new")
    #expect(recorder.log == ["new"])
  }

  @Test func `finishes when upstream and the latest publisher have finished`() {
    let recorder = record(switching())
    outer.send(0)
    outer.send(completion: .finished)
    #expect(recorder.log == [])
    inners[0].finish()
    #expect(recorder.log == ["finished"])

    let another = ManualSource<ManualSource<String, TestError>, TestError>()
    let second = record(another.switchToLatest())
    another.send(inners[1])
    inners[1].finish()
    #expect(second.log == [])
    another.finish()
    #expect(second.log == ["finished"])
  }

  @Test func `finishes when upstream finishes without a value`() {
    let recorder = record(switching())
    outer.send(completion: .finished)
    #expect(recorder.log == ["finished"])
  }

  @Test func `an inner failure cancels upstream`() {
    let outer = ManualSource<ManualSource<String, TestError>, TestError>()
    let recorder = record(outer.switchToLatest())
    outer.send(inners[0])
    inners[0].fail(.first)
    #expect(recorder.log == ["first"])
    #expect(outer.cancelCount == 1)
  }

  @Test func `an upstream failure cancels the inner publisher`() {
    let recorder = record(switching())
    outer.send(0)
    outer.send(completion: .failure(.first))
    #expect(recorder.log == ["first"])
    #expect(inners[0].cancelCount == 1)
  }

  @Test func `requests unlimited demand from upstream, and outstanding demand from each inner publisher`() {
    let outer = ManualSource<ManualSource<String, TestError>, TestError>()
    let recorder = record(outer.switchToLatest(), .max(3))
    #expect(outer.requests == [.unlimited])
    outer.send(inners[0])
    #expect(inners[0].demand == 3)
    inners[0].send("a")
    outer.send(inners[1])
    #expect(inners[1].demand == 2)
    recorder.request(.max(5))
    #expect(inners[1].demand == 7)
    #expect(inners[0].demand == 3)
  }

  @Test func `cancels both on cancellation`() {
    let outer = ManualSource<ManualSource<String, TestError>, TestError>()
    let recorder = record(outer.switchToLatest())
    outer.send(inners[0])
    recorder.cancel()
    #expect(outer.cancelCount == 1)
    #expect(inners[0].cancelCount == 1)
  }

  @Test func `switches while a value is being delivered`() {
    let recorder = SignalRecorder<String, TestError>()
    recorder.onValue = { value in
      if value == "a" { outer.send(1) }
      return .none
    }
    switching().subscribe(recorder)
    outer.send(0)
    inners[0].send("a")
    inners[1].send("b")
    #expect(recorder.log == ["a", "b"])
    #expect(inners[0].cancelCount == 1)
  }

  // MARK: Overloads

  @Test func `switches from an upstream that cannot fail to publishers that can`() {
    let publisher: some Publisher<Int, TestError> =
      [1, 2].publisher.map { _ in Fail<Int, TestError>(error: .first) }.switchToLatest()
    #expect(log(publisher) == ["first"])
  }

  @Test func `switches from an upstream that can fail to publishers that cannot`() {
    let publisher: some Publisher<Int, TestError> =
      Record<Int, TestError>(output: [1], completion: .failure(.first)).map { Just($0) }.switchToLatest()
    #expect(log(publisher) == ["1", "first"])
  }

  @Test func `switches from an upstream that cannot fail to publishers that cannot`() {
    let publisher: some Publisher<Int, Never> = [1, 2].publisher.map { [$0, $0].publisher }.switchToLatest()
    #expect(log(publisher) == ["1", "1", "2", "2", "finished"])
  }

  @Test func `follows twenty thousand publishers without growing the stack`() {
    #expect(collect((1...20_000).publisher.map { Just($0) }.switchToLatest()).count == 20_000)
  }

  @Test func `is stopped from downstream while upstream is infinite`() {
    #expect(log((1...).publisher.map { Just($0) }.switchToLatest().prefix(3)) == ["1", "2", "3", "finished"])
  }
}
