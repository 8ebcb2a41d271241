import Streams
import SuiteSupport
import Testing

struct AssertNoFailureTests {
  @Test func `forwards values and a normal completion`() {
    let publisher: Publishers.AssertNoFailure<Publishers.SetFailureType<Publishers.Map<[Int].Source, Int>, TestError>> =
      [1, 2].publisher.map { $0 }.setFailureType(to: TestError.self).assertNoFailure()
    #expect(log(publisher) == ["1", "2", "finished"])
    #expect(log(Empty<Int, TestError>().assertNoFailure()) == ["finished"])
  }

  @Test func `stores the parts of its message`() {
    let publisher = Fail<Int, TestError>(error: .first).assertNoFailure("load", file: "File.swift", line: 7)
    #expect(publisher.prefix == "load")
    #expect("\(publisher.file)" == "File.swift")
    #expect(publisher.line == 7)
  }

  @Test func `forwards demand and cancellation`() {
    let source = ManualSource<Int, TestError>()
    let recorder = record(source.assertNoFailure(), .max(1))
    recorder.onValue = { _ in .max(4) }
    #expect(source.requests == [.max(1)])
    #expect(source.send(1) == .max(4))

    recorder.cancel()
    #expect(source.cancelCount == 1)
  }

  @Test(.exits) func `stops the program when upstream fails`() async throws {
    let result = try #require(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        record(Fail<Int, TestError>(error: .first).assertNoFailure("load"))
      })
    #expect(String(decoding: result.standardErrorContent, as: UTF8.self).contains("load: first"))
  }
}

extension Array {
  fileprivate typealias Source = Publishers.Sequence<[Element], Never>
}
