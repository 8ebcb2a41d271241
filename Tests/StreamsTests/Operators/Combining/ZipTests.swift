import Streams
import Testing

struct ZipTests {
  private let a = ManualSource<Int, TestError>()
  private let b = ManualSource<String, TestError>()
  private let c = ManualSource<Bool, TestError>()
  private let d = ManualSource<Int, TestError>()

  @Test func `puts one value of each together, in order`() {
    let recorder = record(a.zip(b))
    a.send(1)
    a.send(2)
    b.send("a")
    b.send("b")
    #expect(recorder.log == [#"(1, "a")"#, #"(2, "b")"#])
  }

  @Test func `finishes as soon as a side that has finished has no value left, and cancels the other`() {
    let recorder = record(a.zip(b) { "\($0)\($1)" })
    a.send(1)
    a.finish()
    #expect(recorder.log == [])
    b.send("a")
    #expect(recorder.log == ["1a", "finished"])
    #expect(b.cancelCount == 1)
  }

  @Test func `finishes at once when a side finishes that has no value`() {
    let recorder = record(a.zip(b))
    b.send("a")
    a.finish()
    #expect(recorder.log == ["finished"])
    #expect(b.cancelCount == 1)
  }

  @Test func `does not attach to the second when the first is empty`() {
    #expect(log(Empty<Int, TestError>().zip(b)) == ["finished"])
    #expect(b.subscriberCount == b.cancelCount)
  }

  @Test func `fails as soon as one does, and cancels the other`() {
    let recorder = record(a.zip(b))
    a.send(1)
    b.fail(.first)
    #expect(recorder.log == ["first"])
    #expect(a.cancelCount == 1)
  }

  @Test func `asks both for what downstream asks for`() {
    let recorder = Recorder<(Int, String), TestError>(.max(2))
    recorder.onValue = { _ in .max(1) }
    a.zip(b).subscribe(recorder)
    #expect(a.requests == [.max(2)])
    #expect(b.requests == [.max(2)])
    a.send(1)
    b.send("a")
    #expect(a.demand == 3)
    #expect(b.demand == 3)
  }

  @Test func `delivers no more than is asked for`() {
    let recorder = record([1, 2, 3].publisher.zip([4, 5, 6].publisher) { $0 + $1 }, .max(2))
    #expect(recorder.log == ["5", "7"])
    recorder.request(.max(1))
    #expect(recorder.log == ["5", "7", "9", "finished"])
  }

  @Test func `cancels all on cancellation`() {
    record(a.zip(b, c, d)).cancel()
    #expect([a.cancelCount, b.cancelCount, c.cancelCount, d.cancelCount] == [1, 1, 1, 1])
  }

  @Test func `of three and of four put one value of each together`() {
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

  @Test func `of three and of four take a transform`() {
    let numbers = [1, 2].publisher
    #expect(collect(numbers.zip(numbers, numbers) { $0 + $1 + $2 }) == [3, 6])
    #expect(collect(numbers.zip(numbers, numbers, numbers) { $0 + $1 + $2 + $3 }) == [4, 8])
  }

  @Test func `pairs an infinite sequence with one that ends when that comes first`() {
    #expect(collect(["a", "b"].publisher.zip((1...).publisher) { "\($1)\($0)" }) == ["1a", "2b"])
  }

  @Test func `keeps the order when a side is sent a value from inside a pair`() {
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

  @Test func `lets go of the values that wait when it is cancelled, whatever upstream keeps`() {
    let (left, right) = (ManualSource<TestObject, Never>(), ManualSource<Int, Never>())
    left.ignoresCancellation = true
    weak var waiting: TestObject?
    let recorder = Recorder<Int, Never>()
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
