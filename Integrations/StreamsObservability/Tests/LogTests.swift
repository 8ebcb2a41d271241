import InMemoryLogging
import Logging
import Streams
import StreamsObservability
import TestSupport
import Testing

@Suite(.aloneInProcess)
struct LogTests {
  struct Broken: Error {}

  @Test func `the events of a stream are logged without its values`() {
    let (logger, log) = makeLogger()
    let orders = PassthroughSubject<Int, Broken>()
    let first = orders.log(to: logger, "orders").sink(isolation: nil) { _ in
    } receiveValue: { _ in
    }
    orders.send(1)
    first.cancel()
    let second = orders.log(to: logger, level: .info, "again").sink(isolation: nil) { _ in
    } receiveValue: { _ in
    }
    orders.send(completion: .failure(Broken()))
    second.cancel()

    #expect(
      log.entries.map { "\($0.level) \($0.message)" } == [
        "debug A stream was subscribed.", "debug A stream was cancelled.",
        "info A stream was subscribed.", "info A stream failed.",
      ])
    #expect(log.entries.first?.metadata == ["stream": "orders"])
    #expect(log.entries.last?.metadata == ["stream": "again", "error": "Broken()"])
  }

  @Test func `values are logged if a closure describes them`() {
    let (logger, log) = makeLogger()
    let stream = [1, 2].publisher.log(to: logger, "orders") { "order \($0)" }.sink(isolation: nil) { _ in }
    stream.cancel()
    #expect(
      log.entries.map { "\($0.message) \($0.metadata["value"].map { "\($0)" } ?? "-")" } == [
        "A stream was subscribed. -", "A stream received a value. order 1", "A stream received a value. order 2",
        "A stream finished. -",
      ])
  }

  @Test func `a value isn't described if its line isn't written`() {
    var (logger, log) = makeLogger()
    logger.logLevel = .info
    var descriptions = 0
    let stream = [1, 2].publisher.log(to: logger, "orders") { _ in
      descriptions += 1
      return "order"
    }.sink(isolation: nil) { _ in }
    stream.cancel()
    #expect(descriptions == 0)
    #expect(log.entries == [])
  }
}
