import Streams
import Testing

struct FlatMapFirstTests {
  private let outer = ManualSource<Int, TestError>()
  private let inner = ManualSource<String, TestError>()

  @Test func `drops values until the current inner publisher has finished`() {
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

  @Test func `finishes when upstream and the inner publisher have finished`() {
    let recorder = record(outer.flatMapFirst { _ in inner })
    outer.send(1)
    outer.finish()
    #expect(recorder.log == [])
    inner.finish()
    #expect(recorder.log == ["finished"])
  }

  @Test func `fails as soon as either fails, and cancels the other`() {
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

  @Test func `takes publishers that cannot fail, on both sides`() {
    let (taps, saves) = (PassthroughSubject<Int, Never>(), PassthroughSubject<String, Never>())
    let neither = record(taps.flatMapFirst { _ in saves })
    let onlyInner = record(taps.flatMapFirst { _ in inner })
    let onlyOuter = record(outer.flatMapFirst { _ in saves })
    taps.send(1)
    outer.send(1)
    saves.send("a")
    inner.fail(.first)
    outer.fail(.second)
    #expect(neither.log == ["a"])
    #expect(onlyInner.log == ["first"])
    #expect(onlyOuter.log == ["a", "second"])
  }

  @Test func `requests unlimited demand from upstream`() {
    record(outer.flatMapFirst { _ in inner }, .max(1))
    #expect(outer.requests == [.unlimited])
  }

  @Test func `cancels both on cancellation`() {
    let recorder = record(outer.flatMapFirst { _ in inner })
    outer.send(1)
    recorder.cancel()
    #expect(outer.cancelCount == 1)
    #expect(inner.cancelCount == 1)
  }

  @Test func `subscribes to upstream for each subscriber`() {
    let publisher = outer.flatMapFirst { _ in inner }
    record(publisher)
    record(publisher)
    #expect(outer.subscriberCount == 2)
  }
}
