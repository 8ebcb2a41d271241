import Streams
import Testing

struct FailTests {
  @Test func `fails at once, without being asked`() {
    #expect(record(Fail<Int, TestError>(error: .first), .none).log == ["first"])
  }

  @Test func `is made of kinds that are written down`() {
    #expect(log(Fail(outputType: Int.self, failure: TestError.second)) == ["second"])
  }

  @Test func `equals one with the same error`() {
    #expect(Fail<Int, TestError>(error: .first) == Fail(error: .first))
    #expect(Fail<Int, TestError>(error: .first) != Fail(error: .second))
  }
}
