import Streams
import Testing

struct CombineLatestTests {
  private let a = ManualSource<Int, TestError>()
  private let b = ManualSource<String, TestError>()
  private let c = ManualSource<Bool, TestError>()
  private let d = ManualSource<Int, TestError>()

  @Test func `publishes the latest values once every publisher has published one`() {
    let recorder = record(a.combineLatest(b) { "\($0)\($1)" })
    a.send(1)
    a.send(2)
    #expect(recorder.log == [])
    b.send("a")
    a.send(3)
    b.send("b")
    #expect(recorder.log == ["2a", "3a", "3b"])
  }

  @Test func `finishes when all publishers have finished`() {
    let recorder = record(a.combineLatest(b) { "\($0)\($1)" })
    a.send(1)
    a.finish()
    b.send("a")
    b.send("b")
    #expect(recorder.log == ["1a", "1b"])
    b.finish()
    #expect(recorder.log == ["1a", "1b", "finished"])
  }

  @Test func `finishes early when one finishes without a value, and cancels the others`() {
    let recorder = record(a.combineLatest(b))
    b.send("a")
    a.finish()
    #expect(recorder.log == ["finished"])
    #expect(b.cancelCount == 1)
  }

  @Test func `fails as soon as one publisher fails, and cancels the others`() {
    let recorder = record(a.combineLatest(b))
    a.send(1)
    b.fail(.first)
    #expect(recorder.log == ["first"])
    #expect(a.cancelCount == 1)
  }

  @Test func `forwards requests to all publishers`() {
    let recorder = record(a.combineLatest(b, c), .max(2))
    recorder.request(.max(1))
    #expect(a.requests == [.max(2), .max(1)])
    #expect(b.requests == a.requests)
    #expect(c.requests == a.requests)
  }

  @Test func `a value without demand replaces the latest one and is not published by itself`() {
    let recorder = record(a.combineLatest(b) { "\($0)\($1)" }, .max(1))
    a.send(1)
    b.send("a")
    a.send(2)
    a.send(3)
    #expect(recorder.log == ["1a"])
    recorder.request(.max(1))
    #expect(recorder.log == ["1a"])
    b.send("b")
    #expect(recorder.log == ["1a", "3b"])
  }

  @Test func `cancels the others as soon as one fails, while a value is delivered`() {
    var cancelCount: Int?
    let cancellable = a.combineLatest(b).sink(receiveCompletion: { _ in }) { _ in
      b.fail(.first)
      cancelCount = a.cancelCount
    }
    a.send(1)
    b.send("a")
    #expect(cancelCount == 1)
    cancellable.cancel()
  }

  @Test func `cancels all publishers on cancellation`() {
    record(a.combineLatest(b, c, d)).cancel()
    #expect([a.cancelCount, b.cancelCount, c.cancelCount, d.cancelCount] == [1, 1, 1, 1])
  }

  @Test func `of three and of four publishes the latest values`() {
    let three = record(a.combineLatest(b, c))
    a.send(1)
    b.send("a")
    c.send(true)
    c.send(false)
    #expect(three.log == [#"(1, "a", true)"#, #"(1, "a", false)"#])

    let four = record(a.combineLatest(b, c, d))
    a.send(1)
    b.send("a")
    c.send(true)
    d.send(4)
    d.fail(.first)
    #expect(four.log == [#"(1, "a", true, 4)"#, "first"])
  }

  @Test func `takes a transform`() {
    let numbers = Just(1)
    #expect(collect(numbers.combineLatest(numbers) { $0 + $1 }) == [2])
    #expect(collect(numbers.combineLatest(numbers, numbers) { $0 + $1 + $2 }) == [3])
    #expect(collect(numbers.combineLatest(numbers, numbers, numbers) { $0 + $1 + $2 + $3 }) == [4])
  }

  @Test func `combines the last value of the first with every value of the second`() {
    let (first, second) = ([1, 2].publisher, [10, 20].publisher)
    #expect(collect(first.combineLatest(second) { $0 + $1 }) == [12, 22])
  }

  @Test func `keeps the order when a value is sent while a pair is being delivered, unlike Combine`() {
    let (left, right) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
    var pairs: [[Int]] = []
    let cancellable = left.combineLatest(right).sink { first, second in
      if first == 1, second == 10 { left.send(2) }
      pairs.append([first, second])
    }
    left.send(1)
    right.send(10)
    #expect(pairs == [[1, 10], [2, 10]])
    cancellable.cancel()
  }
}
