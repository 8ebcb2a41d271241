import Testing

@testable import Streams

struct PumpTests {
  /// A pump that records its batches, and runs a closure after each.
  private func pump(_ log: Log, _ afterBatch: @escaping (Pump) -> Void = { _ in }) -> Pump {
    Pump { pump in
      while let batch = pump.nextBatch() {
        log.entries.append("\(batch)")
        afterBatch(pump)
      }
    }
  }

  private final class Log {
    var entries: [String] = []
  }

  @Test func `produces the requested values`() {
    let log = Log()
    let pump = pump(log)
    pump.request(.max(2))
    pump.request(.max(1))

    #expect(log.entries == ["max(2)", "max(1)"])
  }

  @Test func `adds up requests while it produces`() {
    let log = Log()
    let pump = pump(log) { pump in
      if log.entries.count == 1 {
        pump.request(.max(2))
        pump.request(.max(3))
      }
    }
    pump.request(.max(1))

    #expect(log.entries == ["max(1)", "max(5)"])
  }

  @Test func `produces without recursion`() {
    var depth = 0
    var deepest = 0
    var count = 0
    let pump = Pump { pump in
      depth += 1
      deepest = max(deepest, depth)
      while pump.nextBatch() != nil {
        count += 1
        if count < 1000 { pump.request(.max(1)) }
      }
      depth -= 1
    }
    pump.request(.max(1))

    #expect(count == 1000)
    #expect(deepest == 1)
  }

  @Test func `continues with unlimited demand until it finishes`() {
    let log = Log()
    let pump = pump(log) { pump in if log.entries.count == 3 { _ = pump.finish() } }
    pump.request(.unlimited)

    #expect(log.entries == ["unlimited", "unlimited", "unlimited"])
  }

  @Test func `stops when it is cancelled while it produces`() {
    let log = Log()
    let pump = pump(log) { $0.cancel() }
    pump.request(.unlimited)

    #expect(log.entries == ["unlimited"])
    #expect(pump.isOver)
  }

  @Test func `ignores requests after cancellation`() {
    let log = Log()
    let pump = pump(log)
    pump.cancel()
    pump.request(.max(1))

    #expect(log.entries == [])
  }

  @Test func `completes once`() {
    let pump = pump(Log())

    #expect(pump.finish())
    #expect(!pump.finish())
  }

  @Test func `does not complete after cancellation`() {
    let pump = pump(Log())
    pump.cancel()

    #expect(!pump.finish())
  }

  @Test(arguments: [false, true]) func `releases its closure at completion`(_ cancels: Bool) {
    weak var released: Log?
    let pump: Pump
    do {
      let log = Log()
      released = log
      pump = self.pump(log)
    }
    #expect(released != nil)
    if cancels { pump.cancel() } else { _ = pump.finish() }

    #expect(released == nil)
  }

  @Test func `releases its closure when it is cancelled while it produces`() {
    weak var released: Log?
    let pump: Pump
    do {
      let log = Log()
      released = log
      pump = self.pump(log) { $0.cancel() }
    }
    pump.request(.max(1))

    #expect(released == nil)
  }
}
