import Streams
import Testing

struct DropFirstTests {
  @Test func `leaves out one value unless told otherwise`() {
    #expect(log([1, 2, 3].publisher.dropFirst()) == ["2", "3", "finished"])
    #expect(log([1, 2, 3].publisher.dropFirst(2)) == ["3", "finished"])
  }

  @Test func `of nothing passes everything on`() {
    #expect(collect([1, 2].publisher.dropFirst(0)) == [1, 2])
  }

  @Test func `of more than there is finishes without a value`() {
    #expect(log([1, 2].publisher.dropFirst(3)) == ["finished"])
  }

  @Test func `gives back the demand of a value that is left out`() {
    let source = ManualSource<Int, Never>()
    record(source.dropFirst(2), .max(1))
    #expect(source.requests == [.max(1)])
    #expect(source.send(1) == .max(1))
    #expect(source.send(2) == .max(1))
    #expect(source.send(3) == .none)
  }

  @Test func `passes failures and cancellation on`() {
    let source = ManualSource<Int, TestError>()
    let recorder = record(source.dropFirst())
    source.fail(.first)
    #expect(recorder.log == ["first"])
    record(source.dropFirst()).cancel()
    #expect(source.cancelCount == 1)
  }

  @Test func `counts anew for every subscriber`() {
    let publisher = [1, 2].publisher.dropFirst()
    #expect(collect(publisher) + collect(publisher) == [2, 2])
  }

  @Test func `does not take a negative number`() async {
    await #expect(processExitsWith: .failure) { _ = [1].publisher.dropFirst(-1) }
  }
}
