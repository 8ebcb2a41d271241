import Streams
import Testing

struct RepeatTests {
  private let source = ManualSource<Int, TestError>()

  @Test func `attaches so many times in total, one after the other`() {
    let recorder = record(source.repeat(2))
    source.send(1)
    #expect(source.subscriberCount == 1)
    source.finish()
    #expect(source.subscriberCount == 2)
    source.send(2)
    source.finish()
    #expect(recorder.log == ["1", "2", "finished"])
    #expect(source.subscriberCount == 2)
    #expect(recorder.subscriptions.count == 1)
  }

  @Test func `of nothing finishes at once, and attaches never`() {
    #expect(record(source.repeat(0), .none).log == ["finished"])
    #expect(source.subscriberCount == 0)
  }

  @Test func `of one is the publisher`() {
    #expect(log([1, 2].publisher.repeat(1)) == ["1", "2", "finished"])
  }

  @Test func `ends with a failure`() {
    let recorder = record(source.repeat(3))
    source.finish()
    source.fail(.first)
    #expect(recorder.log == ["first"])
    #expect(source.subscriberCount == 2)
  }

  @Test func `carries outstanding demand over`() {
    record(source.repeat(2), .max(3))
    source.send(1)
    source.finish()
    #expect(source.requests == [.max(3), .max(2)])
  }

  @Test func `waits for demand between the times`() {
    let recorder = record([1, 2].publisher.repeat(), .max(3))
    #expect(recorder.log == ["1", "2", "1"])
    recorder.request(.max(2))
    #expect(recorder.log == ["1", "2", "1", "2", "1"])
    recorder.cancel()
  }

  @Test func `without end goes on until it is cancelled from inside a value`() {
    #expect(log([1, 2].publisher.repeat().prefix(5)) == ["1", "2", "1", "2", "1", "finished"])
  }

  @Test func `cancels the one that is attached, and attaches no other`() {
    let recorder = record(source.repeat())
    source.finish()
    recorder.cancel()
    #expect(source.cancelCount == 1)
    #expect(source.subscriberCount == 2)
  }

  @Test func `repeats a hundred thousand times in constant stack`() {
    var count = 0
    let cancellable = Just(1).repeat(100_000).sink { count += $0 }
    #expect(count == 100_000)
    cancellable.cancel()
    #expect(log(Empty<Int, Never>().repeat(100_000)) == ["finished"])
  }

  @Test func `does not take a negative number`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = [1].publisher.map { $0 }.repeat(-1)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("repeat(_:) requires a count of at least 0, got -1."))
  }
}
