import Streams
import Testing

struct OptionalPublisherTests {
  @Test func `publishes the value and finishes`() {
    #expect(log(Optional(1).publisher) == ["1", "finished"])
  }

  @Test func `finishes at once without a value`() {
    #expect(record(Int?.none.publisher, .none).log == ["finished"])
  }

  @Test func `publishes nothing without demand`() {
    let recorder = record(Optional(1).publisher, .none)
    #expect(recorder.log == [])
    recorder.request(.max(1))
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func `equals another with the same value`() {
    #expect(Optional(1).publisher == Optional<Int>.Publisher(1))
    #expect(Optional(1).publisher != Int?.none.publisher)
  }
}
