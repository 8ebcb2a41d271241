import Streams
import Testing

struct WithLatestTests {
  private let main = ManualSource<Int, TestError>()
  private let other = ManualSource<String, TestError>()

  @Test func `combines each value with the latest one of the other`() {
    let recorder = record(main.withLatest(from: other) { "\($0)\($1)" })
    other.send("a")
    other.send("b")
    main.send(1)
    main.send(2)
    other.send("c")
    #expect(recorder.log == ["1b", "2b"])
    main.send(3)
    #expect(recorder.log == ["1b", "2b", "3c"])
  }

  @Test func `drops values before the other has published one, and requests another for each`() {
    let recorder = record(main.withLatest(from: other) { "\($0)\($1)" }, .max(1))
    main.send(1)
    main.send(2)
    #expect(main.requests == [.max(1), .max(1), .max(1)])
    other.send("a")
    main.send(3)
    #expect(recorder.log == ["3a"])
    #expect(main.requests == [.max(1), .max(1), .max(1)])
  }

  @Test func `forwards demand to the first, and requests unlimited demand from the other`() {
    let recorder = record(main.withLatest(from: other), .none)
    #expect(main.requests == [])
    #expect(other.requests == [.unlimited])
    recorder.request(.max(2))
    #expect(main.requests == [.max(2)])
    #expect(other.requests == [.unlimited])
  }

  @Test func `finishes with the first, and cancels the other`() {
    let recorder = record(main.withLatest(from: other))
    main.finish()
    #expect(recorder.log == ["finished"])
    #expect(other.cancelCount == 1)
  }

  @Test func `keeps the latest value when the other has finished`() {
    let recorder = record(main.withLatest(from: other) { "\($0)\($1)" })
    other.send("a")
    other.finish()
    main.send(1)
    main.finish()
    #expect(recorder.log == ["1a", "finished"])
  }

  @Test func `finishes when the other finishes without a value, and cancels the first`() {
    let recorder = record(main.withLatest(from: other))
    other.finish()
    #expect(recorder.log == ["finished"])
    #expect(main.cancelCount == 1)
  }

  @Test func `fails as soon as either fails`() {
    let recorder = record(main.withLatest(from: other))
    other.send("a")
    other.fail(.first)
    #expect(recorder.log == ["first"])
    #expect(main.cancelCount == 1)
  }

  @Test func `uses a value that the other replays`() {
    let recorder = record(Just(1).withLatest(from: CurrentValueSubject<String, Never>("a")) { "\($0)\($1)" })
    #expect(recorder.log == ["1a", "finished"])
  }

  @Test func `takes another publisher that cannot fail`() {
    let recorder = record(main.withLatest(from: Just("a")).map { "\($0.0)\($0.1)" })
    main.send(1)
    main.fail(.first)
    #expect(recorder.log == ["1a", "first"])
  }

  @Test func `takes two and three other publishers`() {
    let (b, c) = (Just("b").setFailureType(to: TestError.self), Just("c").setFailureType(to: TestError.self))
    let two = record(main.withLatest(from: b, c).map { "\($0.0)\($0.1)\($0.2)" })
    main.send(1)
    #expect(two.log == ["1bc"])
    let three = record(main.withLatest(from: b, c, b).map { "\($0.0)\($0.1)\($0.2)\($0.3)" })
    main.send(2)
    #expect(three.log == ["2bcb"])
  }
}
