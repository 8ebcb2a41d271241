import Streams
import Testing

struct PrefixWhileBehaviorTests {
  private let source = ManualSource<Int, TestError>()

  @Test(arguments: [
    (PrefixWhileBehavior.inclusive, ["1", "2", "finished"]), (.exclusive, ["1", "finished"]),
  ])
  func `includes the first non-matching value, or ends before it`(
    _ behavior: PrefixWhileBehavior, _ log: [String]
  ) {
    let recorder = record(source.prefix(while: { $0 < 2 }, behavior: behavior))
    source.send(1)
    source.send(2)
    #expect(recorder.log == log)
    #expect(source.cancelCount == 1)
  }

  @Test func `forwards demand, completion and failure`() {
    let recorder = record(source.prefix(while: { $0 < 2 }, behavior: .inclusive), .max(2))
    #expect(source.requests == [.max(2)])
    source.fail(.first)
    #expect(recorder.log == ["first"])
  }
}
