import Streams
import Testing

struct FailTests {
  @Test func `fails at once, without demand`() {
    #expect(record(Fail<Int, TestError>(error: .first), .none).log == ["first"])
  }

  @Test func `takes its output type as an argument`() {
    #expect(log(Fail(outputType: Int.self, failure: TestError.second)) == ["second"])
  }

  @Test func `equals another with the same error`() {
    #expect(Fail<Int, TestError>(error: .first) == Fail(error: .first))
    #expect(Fail<Int, TestError>(error: .first) != Fail(error: .second))
  }
}
