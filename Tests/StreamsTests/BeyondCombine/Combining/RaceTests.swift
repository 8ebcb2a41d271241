import Streams
import Testing

struct RaceTests {
  private let a = ManualSource<Int, TestError>()
  private let b = ManualSource<Int, TestError>()

  @Test func `passes on the one that sends first, and cancels the other`() {
    let recorder = record(a.race(with: b))
    b.send(1)
    #expect(a.cancelCount == 1)
    b.send(2)
    b.finish()
    #expect(recorder.log == ["1", "2", "finished"])
    #expect(b.cancelCount == 0)
  }

  @Test func `an end counts as well`() {
    let recorder = record(a.race(with: b))
    a.fail(.first)
    #expect(recorder.log == ["first"])
    #expect(b.cancelCount == 1)
  }

  @Test func `a loser that goes on is not heard`() {
    b.ignoresCancellation = true
    let recorder = record(a.race(with: b))
    a.send(1)
    b.send(2)
    b.fail(.first)
    a.finish()
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func `requests go to both, and then to the winner`() {
    let recorder = record(a.race(with: b), .max(1))
    #expect(a.requests == [.max(1)])
    #expect(b.requests == [.max(1)])
    a.send(1)
    recorder.request(.max(2))
    #expect(a.requests == [.max(1), .max(2)])
    #expect(b.requests == [.max(1)])
  }

  @Test func `one that wins while it is being attached is not followed by others`() {
    let recorder = record(Just(1).setFailureType(to: TestError.self).race(with: a))
    #expect(recorder.log == ["1", "finished"])
    #expect(a.subscriberCount == 0)
  }

  @Test func `cancelling before the end of the race cancels all`() {
    record([a, b].race()).cancel()
    #expect(a.cancelCount == 1)
    #expect(b.cancelCount == 1)
  }

  @Test func `a race of many is won once`() {
    let recorder = record([a, b, a].race())
    b.send(1)
    #expect(recorder.log == ["1"])
    #expect(a.cancelCount == 2)
  }

  @Test func `a race of none finishes`() {
    #expect(log([Just<Int>]().race()) == ["finished"])
  }
}
