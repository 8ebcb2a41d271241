import Streams
import Testing

struct RaceTests {
  private let a = ManualSource<Int, TestError>()
  private let b = ManualSource<Int, TestError>()

  @Test func `publishes the values of the first to send one, and cancels the other`() {
    let recorder = record(a.race(with: b))
    b.send(1)
    #expect(a.cancelCount == 1)
    b.send(2)
    b.finish()
    #expect(recorder.log == ["1", "2", "finished"])
    #expect(b.cancelCount == 0)
  }

  @Test func `a completion wins, too`() {
    let recorder = record(a.race(with: b))
    a.fail(.first)
    #expect(recorder.log == ["first"])
    #expect(b.cancelCount == 1)
  }

  @Test func `values of the loser are dropped`() {
    b.ignoresCancellation = true
    let recorder = record(a.race(with: b))
    a.send(1)
    b.send(2)
    b.fail(.first)
    a.finish()
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func `requests go to both sources, and then only to the winner`() {
    let recorder = record(a.race(with: b), .max(1))
    #expect(a.requests == [.max(1)])
    #expect(b.requests == [.max(1)])
    a.send(1)
    recorder.request(.max(2))
    #expect(a.requests == [.max(1), .max(2)])
    #expect(b.requests == [.max(1)])
  }

  @Test func `subscribes to no further source after one has won during its subscription`() {
    let recorder = record(Just(1).setFailureType(to: TestError.self).race(with: a))
    #expect(recorder.log == ["1", "finished"])
    #expect(a.subscriberCount == 0)
  }

  @Test func `cancellation before a source has won cancels all sources`() {
    record([a, b].race()).cancel()
    #expect(a.cancelCount == 1)
    #expect(b.cancelCount == 1)
  }

  @Test func `a race of many has one winner`() {
    let recorder = record([a, b, a].race())
    b.send(1)
    #expect(recorder.log == ["1"])
    #expect(a.cancelCount == 2)
  }

  @Test func `a race of none finishes at once`() {
    #expect(log([Just<Int>]().race()) == ["finished"])
  }
}
