import Streams
import Testing

struct ZipTests {
  private let a = ManualSource<Int, TestError>()
  private let b = ManualSource<String, TestError>()
  private let c = ManualSource<Bool, TestError>()
  private let d = ManualSource<Int, TestError>()

  @Test func `pairs one value of each, in order`() {
    let recorder = record(a.zip(b))
    a.send(1)
    a.send(2)
    b.send("a")
    b.send("b")
    #expect(recorder.log == [#"(1, "a")"#, #"(2, "b")"#])
  }

  @Test func `finishes as soon as a finished side has no buffered value, and cancels the other`() {
    let recorder = record(a.zip(b) { "\($0)\($1)" })
    a.send(1)
    a.finish()
    #expect(recorder.log == [])
    b.send("a")
    #expect(recorder.log == ["1a", "finished"])
    #expect(b.cancelCount == 1)
  }

  @Test func `finishes at once when a side without buffered values finishes`() {
    let recorder = record(a.zip(b))
    b.send("a")
    a.finish()
    #expect(recorder.log == ["finished"])
    #expect(b.cancelCount == 1)
  }

  @Test func `does not subscribe to the second when the first is empty`() {
    #expect(log(Empty<Int, TestError>().zip(b)) == ["finished"])
    #expect(b.subscriberCount == b.cancelCount)
  }

  @Test func `fails as soon as one side fails, and cancels the other`() {
    let recorder = record(a.zip(b))
    a.send(1)
    b.fail(.first)
    #expect(recorder.log == ["first"])
    #expect(a.cancelCount == 1)
  }

  @Test func `forwards demand to both`() {
    let recorder = SignalRecorder<(Int, String), TestError>(.max(2))
    recorder.onValue = { _ in .max(1) }
    a.zip(b).subscribe(recorder)
    #expect(a.requests == [.max(2)])
    #expect(b.requests == [.max(2)])
    a.send(1)
    b.send("a")
    #expect(a.demand == 3)
    #expect(b.demand == 3)
  }

  @Test func `publishes no more than requested`() {
    let recorder = record([1, 2, 3].publisher.zip([4, 5, 6].publisher) { $0 + $1 }, .max(2))
    #expect(recorder.log == ["5", "7"])
    recorder.request(.max(1))
    #expect(recorder.log == ["5", "7", "9", "finished"])
  }

  @Test func `cancels all publishers on cancellation`() {
    record(a.zip(b, c, d)).cancel()
    #expect([a.cancelCount, b.cancelCount, c.cancelCount, d.cancelCount] == [1, 1, 1, 1])
  }

  @Test func `of three and of four combines one value of each`() {
    let three = record(a.zip(b, c))
    a.send(1)
    b.send("a")
    c.send(true)
    a.finish()
    #expect(three.log == [#"(1, "a", true)"#, "finished"])

    let four = record(a.zip(b, c, d))
    a.send(1)
    b.send("a")
    c.send(true)
    d.send(4)
    d.fail(.first)
    #expect(four.log == [#"(1, "a", true, 4)"#, "first"])
    #expect(c.cancelCount >= 1)
  }

  @Test func `of three and of four takes a transform`() {
    let numbers = [1, 2].publisher
    #expect(collect(numbers.zip(numbers, numbers) { $0 + $1 + $2 }) == [3, 6])
    #expect(collect(numbers.zip(numbers, numbers, numbers) { $0 + $1 + $2 + $3 }) == [4, 8])
  }

  @Test func `pairs a finite sequence with an infinite one`() {
    #expect(collect(["a", "b"].publisher.zip((1...).publisher) { "\($1)\($0)" }) == ["1a", "2b"])
  }

  @Test func `keeps the order when values are sent while a pair is being delivered`() {
    let (left, right) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
    var pairs: [[Int]] = []
    let cancellable = left.zip(right).sink { first, second in
      pairs.append([first, second])
      if first < 3 {
        left.send(first + 1)
        right.send(second + 1)
      }
    }
    left.send(1)
    right.send(10)
    #expect(pairs == [[1, 10], [2, 11], [3, 12]])
    cancellable.cancel()
  }

  @Test func `releases buffered values on cancellation, even if upstream ignores it`() {
    let (left, right) = (ManualSource<TestObject, Never>(), ManualSource<Int, Never>())
    left.ignoresCancellation = true
    weak var waiting: TestObject?
    let recorder = SignalRecorder<Int, Never>()
    left.zip(right).map(\.1).subscribe(recorder)
    do {
      let object = TestObject()
      waiting = object
      left.send(object)
    }
    #expect(waiting != nil)
    recorder.cancel()
    #expect(waiting == nil)
  }
}
