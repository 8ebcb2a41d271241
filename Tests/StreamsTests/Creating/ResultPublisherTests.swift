import Streams
import Testing

struct ResultPublisherTests {
  @Test func `publishes the value of a success and finishes`() {
    #expect(log(Result<Int, TestError>.success(1).publisher) == ["1", "finished"])
  }

  @Test func `fails with the error of a failure, without demand`() {
    #expect(record(Result<Int, TestError>.failure(.first).publisher, .none).log == ["first"])
  }

  @Test func `publishes nothing without demand`() {
    let recorder = record(Result<Int, TestError>.Publisher(1), .none)
    #expect(recorder.log == [])
    recorder.request(.max(1))
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func `is created from a value, an error or a result`() {
    #expect(Result<Int, TestError>.Publisher(1) == Result<Int, TestError>.Publisher(.success(1)))
    #expect(Result<Int, TestError>.Publisher(.first) == Result<Int, TestError>.failure(.first).publisher)
  }
}
