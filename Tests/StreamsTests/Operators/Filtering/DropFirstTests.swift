import Streams
import Testing

struct DropFirstTests {
  @Test func `drops one value by default`() {
    #expect(log([1, 2, 3].publisher.dropFirst()) == ["2", "3", "finished"])
    #expect(log([1, 2, 3].publisher.dropFirst(2)) == ["3", "finished"])
  }

  @Test func `with a count of zero drops nothing`() {
    #expect(collect([1, 2].publisher.dropFirst(0)) == [1, 2])
  }

  @Test func `with a count above the number of values finishes without a value`() {
    #expect(log([1, 2].publisher.dropFirst(3)) == ["finished"])
  }

  @Test func `requests another value for each dropped one`() {
    let source = ManualSource<Int, Never>()
    record(source.dropFirst(2), .max(1))
    #expect(source.requests == [.max(1)])
    #expect(source.send(1) == .max(1))
    #expect(source.send(2) == .max(1))
    #expect(source.send(3) == .none)
  }

  @Test func `forwards failures and cancellation`() {
    let source = ManualSource<Int, TestError>()
    let recorder = record(source.dropFirst())
    source.fail(.first)
    #expect(recorder.log == ["first"])
    record(source.dropFirst()).cancel()
    #expect(source.cancelCount == 1)
  }

  @Test func `starts over for every subscriber`() {
    let publisher = [1, 2].publisher.dropFirst()
    #expect(collect(publisher) + collect(publisher) == [2, 2])
  }

  @Test func `a negative count stops the program`() async {
    await #expect(processExitsWith: .failure) { _ = [1].publisher.dropFirst(-1) }
  }
}
