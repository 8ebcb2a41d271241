import Streams
import Testing

struct RemoveDuplicatesTests {
  @Test func `drops values that equal the previous one`() {
    #expect(collect([1, 1, 2, 2, 1].publisher.removeDuplicates()) == [1, 2, 1])
  }

  @Test func `compares with the last published value`() {
    let publisher = [1, 2, 3, 5].publisher.removeDuplicates { $1 - $0 < 2 }
    #expect(collect(publisher) == [1, 3, 5])
  }

  @Test func `requests another value for each dropped one`() {
    let source = ManualSource<Int, Never>()
    record(source.removeDuplicates(), .max(2))
    #expect(source.send(1) == .none)
    #expect(source.send(1) == .max(1))
  }

  @Test func `starts over for every subscriber`() {
    let publisher = [1, 1].publisher.removeDuplicates()
    #expect(collect(publisher) + collect(publisher) == [1, 1])
  }

  @Test func `tryRemoveDuplicates cancels upstream and delivers a thrown error once`() {
    let source = ManualSource<Int, Never>()
    source.ignoresCancellation = true
    let recorder = record(source.tryRemoveDuplicates { if $1 == 3 { throw TestError.first } else { $0 == $1 } })
    for value in [1, 1, 2, 3, 4] { source.send(value) }
    source.finish()
    #expect(recorder.log == ["1", "2", "first"])
    #expect(source.cancelCount == 1)
  }

  @Test func `forwards failures`() {
    #expect(log(Fail<Int, TestError>(error: .first).removeDuplicates()) == ["first"])
  }
}
