import Streams
import Testing

struct MakeConnectableTests {
  @Test func `publishes nothing before connect()`() {
    let publisher = [1, 2].publisher.makeConnectable()
    let first = record(publisher)
    let second = record(publisher)
    #expect(first.log == [])
    let connection = publisher.connect()
    #expect(first.log == ["1", "2", "finished"])
    #expect(second.log == first.log)
    connection.cancel()
  }

  @Test func `cancelling the connection cancels upstream`() {
    let source = ManualSource<Int, Never>()
    let publisher = source.makeConnectable()
    record(publisher)
    publisher.connect().cancel()
    #expect(source.cancelCount == 1)
  }

  @Test func `connects automatically with autoconnect`() {
    #expect(log([1].publisher.makeConnectable().autoconnect()) == ["1", "finished"])
  }
}
