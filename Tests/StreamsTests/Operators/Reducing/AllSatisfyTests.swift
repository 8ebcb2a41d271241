import Streams
import Testing

struct AllSatisfyTests {
  @Test(arguments: [([], true), ([2, 2], true), ([2, 1, 2], false)] as [([Int], Bool)])
  func `sends whether all values are accepted`(values: [Int], answer: Bool) {
    let expected = ["\(answer)", "finished"]
    #expect(log(values.publisher.allSatisfy { $0 == 2 }) == expected)
    #expect(log(values.publisher.tryAllSatisfy { $0 == 2 }) == expected)
  }

  @Test func `answers as soon as it is known`() {
    #expect(log((1...).publisher.allSatisfy { $0 < 3 }) == ["false", "finished"])
  }

  @Test func `asks for everything at once, cancels upstream, and answers when it is asked`() {
    let source = ManualSource<Int, Never>()
    let recorder = record(source.allSatisfy { $0 < 2 }, .none)
    #expect(source.requests == [.unlimited])

    source.send(1)
    #expect(source.cancelCount == 0)

    source.send(2)
    #expect(source.cancelCount == 1)
    #expect(recorder.log == [])

    recorder.request(.max(1))
    #expect(recorder.log == ["false", "finished"])
  }

  @Test func `a failure before the answer is passed on`() {
    let source = ManualSource<Int, TestError>()
    let recorder = record(source.allSatisfy { $0 == 1 })
    source.send(1)
    source.fail(.first)
    #expect(recorder.log == ["first"])
  }

  @Test func `cancellation goes up once and nothing follows`() {
    let source = ManualSource<Int, Never>()
    source.ignoresCancellation = true
    let recorder = record(source.allSatisfy { $0 == 1 })
    recorder.cancel()
    source.send(2)
    source.finish()
    #expect(recorder.log == [])
    #expect(source.cancelCount == 1)
  }

  @Test func `tryAllSatisfy cancels upstream and delivers a thrown error once`() {
    let source = ManualSource<Int, Never>()
    source.ignoresCancellation = true
    let recorder = record(source.tryAllSatisfy { _ in throw TestError.first })
    source.send(1)
    source.send(2)
    source.finish()
    #expect(recorder.log == ["first"])
    #expect(source.cancelCount == 1)
  }
}
