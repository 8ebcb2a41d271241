import Streams
import Testing

struct FlatMapFirstTests {
  private let outer = ManualSource<Int, TestError>()
  private let inner = ManualSource<String, TestError>()

  @Test func `drops values until the publisher of the first has finished`() {
    var made: [Int] = []
    let recorder = record(
      outer.flatMapFirst { number in
        made.append(number)
        return inner
      })
    outer.send(1)
    outer.send(2)
    inner.send("a")
    inner.finish()
    outer.send(3)
    inner.send("b")
    #expect(made == [1, 3])
    #expect(recorder.log == ["a", "b"])
  }

  @Test func `finishes when both have`() {
    let recorder = record(outer.flatMapFirst { _ in inner })
    outer.send(1)
    outer.finish()
    #expect(recorder.log == [])
    inner.finish()
    #expect(recorder.log == ["finished"])
  }

  @Test func `fails as soon as one does, and cancels the other`() {
    let failing = record(outer.flatMapFirst { _ in inner })
    outer.send(1)
    inner.fail(.first)
    #expect(failing.log == ["first"])
    #expect(outer.cancelCount == 1)

    let other = record(outer.flatMapFirst { _ in inner })
    outer.send(1)
    outer.fail(.second)
    #expect(other.log == ["second"])
    #expect(inner.cancelCount == 1)
  }

  @Test func `asks upstream for everything`() {
    record(outer.flatMapFirst { _ in inner }, .max(1))
    #expect(outer.requests == [.unlimited])
  }

  @Test func `cancels both`() {
    let recorder = record(outer.flatMapFirst { _ in inner })
    outer.send(1)
    recorder.cancel()
    #expect(outer.cancelCount == 1)
    #expect(inner.cancelCount == 1)
  }

  @Test func `attaches upstream for each subscriber`() {
    let publisher = outer.flatMapFirst { _ in inner }
    record(publisher)
    record(publisher)
    #expect(outer.subscriberCount == 2)
  }
}
