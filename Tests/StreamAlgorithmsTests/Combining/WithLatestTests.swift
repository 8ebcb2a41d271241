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

  @Test func `requests nothing from the first before the other has published a value, and everything then`() {
    let recorder = record(main.withLatest(from: other) { "\($0)\($1)" }, .max(1))
    recorder.request(.max(2))
    #expect(main.requests == [])
    #expect(other.requests == [.unlimited])
    main.send(1)
    other.send("a")
    #expect(main.requests == [.max(3)])
    main.send(2)
    other.send("b")
    #expect(recorder.log == ["2a"])
    recorder.request(.max(4))
    #expect(main.requests == [.max(3), .max(4)])
    #expect(other.requests == [.unlimited])
  }

  @Test(arguments: [Subscribers.Demand.unlimited, .max(3)])
  func `loses no value of a source that waits for demand`(demand: Subscribers.Demand) {
    let late = PassthroughSubject<String, Never>()
    let recorder = record([1, 2, 3].publisher.withLatest(from: late) { "\($0)\($1)" }, demand)
    #expect(recorder.log == [])
    late.send("a")
    #expect(recorder.log == ["1a", "2a", "3a", "finished"])
  }

  @Test func `an unlimited request made before the other has published a value reaches the first once`() {
    let recorder = record(main.withLatest(from: other) { "\($0)\($1)" }, .unlimited)
    other.send("a")
    other.send("b")
    main.send(1)
    #expect(main.requests == [.unlimited])
    #expect(recorder.log == ["1b"])
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

  @Test func `keeps the latest value of a relay that is released`() {
    let taps = PassthroughRelay<Int>()
    var title: CurrentValueRelay<String>? = CurrentValueRelay("a")
    let recorder = record(taps.withLatest(from: title!).map { "\($0)\($1)" })
    title = nil
    taps.accept(1)
    #expect(recorder.log == ["1a"])
  }

  @Test func `finishes when the first is a relay that is released`() {
    var taps: PassthroughRelay<Int>? = PassthroughRelay()
    let title = CurrentValueRelay("a")
    let recorder = record(taps!.withLatest(from: title).map { "\($0)\($1)" })
    taps = nil
    #expect(recorder.log == ["finished"])
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
