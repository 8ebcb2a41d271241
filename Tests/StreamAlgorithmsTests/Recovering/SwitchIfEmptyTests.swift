import Streams
import SuiteSupport
import Testing

struct SwitchIfEmptyTests {
  private let source = ManualSource<Int, TestError>()
  private let other = ManualSource<Int, TestError>()

  @Test func `continues with the other publisher if there was no value`() {
    let recorder = record(source.switchIfEmpty(to: other))
    #expect(other.subscriberCount == 0)
    source.finish()
    #expect(other.subscriberCount == 1)
    other.send(1)
    other.finish()
    #expect(recorder.log == ["1", "finished"])
    #expect(recorder.subscriptions.count == 1)
  }

  @Test func `finishes after values without the other publisher`() {
    let recorder = record(source.switchIfEmpty(to: other))
    source.send(1)
    source.finish()
    #expect(recorder.log == ["1", "finished"])
    #expect(other.subscriberCount == 0)
  }

  @Test func `fails with either publisher`() {
    let recorder = record(source.switchIfEmpty(to: other))
    source.fail(.first)
    #expect(recorder.log == ["first"])
    #expect(other.subscriberCount == 0)

    let second = ManualSource<Int, TestError>()
    let another = record(second.switchIfEmpty(to: other))
    second.finish()
    other.fail(.second)
    #expect(another.log == ["second"])
  }

  @Test func `the other publisher receives the outstanding demand`() {
    record(source.switchIfEmpty(to: other), .max(3))
    source.finish()
    #expect(other.requests == [.max(3)])
  }

  @Test func `each subscription decides for itself`() {
    var sources = [[], [1]].map(\.publisher)
    let publisher = Deferred { sources.removeFirst() }.switchIfEmpty(to: Just(2))
    #expect(log(publisher) == ["2", "finished"])
    #expect(log(publisher) == ["1", "finished"])
  }

  @Test func `cancelling cancels the source that is attached`() {
    let recorder = record(source.switchIfEmpty(to: other))
    source.finish()
    recorder.cancel()
    #expect(other.cancelCount == 1)
  }
}
