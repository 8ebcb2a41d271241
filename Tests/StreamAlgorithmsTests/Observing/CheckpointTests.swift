import StreamSchedulers
import Testing

@testable import Streams

// `@testable`: where a name is kept, and whether a sink counts its calls, shows only in the links of a chain.
struct CheckpointTests {
  private let source = ManualSource<Int, TestError>()

  @Test func `passes values, demand and failure unchanged`() {
    let recorder = record(source.checkpoint("numbers"), .max(1))
    #expect(source.requests == [.max(1)])
    recorder.onValue = { _ in .max(3) }
    #expect(source.send(1) == .max(3))
    recorder.request(.max(2))
    #expect(source.requests == [.max(1), .max(2)])
    source.send(2)
    source.fail(.first)
    #expect(recorder.log == ["1", "2", "first"])
  }

  @Test func `forwards cancellation once, and nothing afterwards`() {
    let recorder = record(source.checkpoint("numbers"))
    recorder.cancel()
    recorder.cancel()
    #expect(source.cancelCount == 1)
    source.send(1)
    source.finish()
    #expect(recorder.log == [])
  }

  @Test func `forwards nothing after the completion`() {
    let recorder = record(source.checkpoint("numbers"))
    source.finish()
    source.send(1)
    source.fail(.first)
    #expect(recorder.log == ["finished"])
  }

  @Test(arguments: [true, false])
  func `the name is found from a sink upwards`(isOfSubject: Bool) throws {
    let subject = PassthroughSubject<Int, TestError>()
    let upstream = isOfSubject ? subject.eraseToAnyPublisher() : source.eraseToAnyPublisher()
    let spy = SubscriptionSpy<Int, TestError>()
    upstream.map { $0 + 1 }.checkpoint("above").filter { $0 > 0 }.checkpoint("below").subscribe(spy)
    let below = try #require(spy.subscription as? AnnotatedLink)
    #expect(below.name == "below")
    let above = try #require(below.withLock { $0.subscription } as? AnnotatedLink)
    #expect(above.name == "above")
    #expect(above.withLock { $0.isSerial } == isOfSubject)
    below.cancel()
  }

  @Test func `a sink behind it counts its calls only if upstream is foreign`() {
    let subject = PassthroughSubject<Int, TestError>()
    let sink = SinkSubscriber<Int, TestError>(nil) { _ in }
    subject.checkpoint("numbers").subscribe(sink)
    #expect(sink.link.isDirect)

    let counting = SinkSubscriber<Int, TestError>(nil) { _ in }
    source.checkpoint("numbers").subscribe(counting)
    #expect(counting.link.isForwarding && !counting.link.isDirect)
    sink.link.cancel()
    counting.link.cancel()

    let stage = SinkSubscriber<Int, TestError>(nil) { _ in }
    subject.scan(0, +).subscribe(stage)
    #expect(stage.link.isDirect)
    stage.link.cancel()
    let share = SinkSubscriber<Int, TestError>(nil) { _ in }
    subject.share().subscribe(share)
    #expect(share.link.isDirect)
    share.link.cancel()
  }

  @Test func `publishers of the same place are equal`() {
    #expect(Just(1).checkpoint("a") == Just(1).checkpoint("a"))
    #expect(Just(1).checkpoint("a") != Just(1).checkpoint("b"))
    #expect(log(Just(1).checkpoint("a")) == ["1", "finished"])
  }
}
