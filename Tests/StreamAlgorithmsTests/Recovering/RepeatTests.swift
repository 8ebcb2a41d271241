import Streams
import SuiteSupport
import Testing

struct RepeatTests {
  private let source = ManualSource<Int, TestError>()

  @Test func `subscribes the given number of times in total, one after another`() {
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

  @Test func `with a count of zero finishes at once and never subscribes`() {
    #expect(record(source.repeat(0), .none).log == ["finished"])
    #expect(source.subscriberCount == 0)
  }

  @Test func `with a count of one subscribes once`() {
    #expect(log([1, 2].publisher.repeat(1)) == ["1", "2", "finished"])
  }

  @Test func `fails with upstream`() {
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

  @Test func `waits for demand between repetitions`() {
    let recorder = record([1, 2].publisher.repeat(), .max(3))
    #expect(recorder.log == ["1", "2", "1"])
    recorder.request(.max(2))
    #expect(recorder.log == ["1", "2", "1", "2", "1"])
    recorder.cancel()
  }

  @Test func `without a count repeats until it is cancelled while a value is being delivered`() {
    #expect(log([1, 2].publisher.repeat().prefix(5)) == ["1", "2", "1", "2", "1", "finished"])
  }

  @Test func `cancels the current repetition, and starts no other`() {
    let recorder = record(source.repeat())
    source.finish()
    recorder.cancel()
    #expect(source.cancelCount == 1)
    #expect(source.subscriberCount == 2)
  }

  @Test func `repeats twenty thousand times without growing the stack`() {
    var count = 0
    let cancellable = Just(1).repeat(20_000).sink { count += $0 }
    #expect(count == 20_000)
    cancellable.cancel()
    #expect(log(Empty<Int, Never>().repeat(20_000)) == ["finished"])
  }

  @Test(.exits) func `a negative count stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = [1].publisher.map { $0 }.repeat(-1)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("repeat(_:) requires a count of at least 0, got -1."))
  }
}
