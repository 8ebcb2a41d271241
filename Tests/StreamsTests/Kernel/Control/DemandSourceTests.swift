import Streams
import Testing

struct DemandSourceTests {
  /// A demand source that records its batches, and runs a closure after each.
  private func demandSource(_ log: Log, _ afterBatch: @escaping (DemandSource) -> Void = { _ in }) -> DemandSource {
    DemandSource(of: log) { demandSource in
      while let batch = demandSource.nextBatch() {
        log.entries.append("\(batch)")
        afterBatch(demandSource)
      }
    }
  }

  private final class Log {
    var entries: [String] = []
  }

  @Test func `produces the requested values`() {
    let log = Log()
    let demandSource = demandSource(log)
    demandSource.request(.max(2))
    demandSource.request(.max(1))

    #expect(log.entries == ["max(2)", "max(1)"])
  }

  @Test func `adds up requests while it produces`() {
    let log = Log()
    let demandSource = demandSource(log) { demandSource in
      if log.entries.count == 1 {
        demandSource.request(.max(2))
        demandSource.request(.max(3))
      }
    }
    demandSource.request(.max(1))

    #expect(log.entries == ["max(1)", "max(5)"])
  }

  @Test func `produces without recursion`() {
    var depth = 0
    var deepest = 0
    var count = 0
    let demandSource = DemandSource(of: Log()) { demandSource in
      depth += 1
      deepest = max(deepest, depth)
      while demandSource.nextBatch() != nil {
        count += 1
        if count < 1000 { demandSource.request(.max(1)) }
      }
      depth -= 1
    }
    demandSource.request(.max(1))

    #expect(count == 1000)
    #expect(deepest == 1)
  }

  @Test func `continues with unlimited demand until it finishes`() {
    let log = Log()
    let demandSource = demandSource(log) { demandSource in if log.entries.count == 3 { _ = demandSource.finish() } }
    demandSource.request(.unlimited)

    #expect(log.entries == ["unlimited", "unlimited", "unlimited"])
  }

  @Test func `stops when it is cancelled while it produces`() {
    let log = Log()
    let demandSource = demandSource(log) { $0.cancel() }
    demandSource.request(.unlimited)

    #expect(log.entries == ["unlimited"])
    #expect(demandSource.isOver)
  }

  @Test func `ignores requests after cancellation`() {
    let log = Log()
    let demandSource = demandSource(log)
    demandSource.cancel()
    demandSource.request(.max(1))

    #expect(log.entries == [])
  }

  @Test func `completes once`() {
    let demandSource = demandSource(Log())

    #expect(demandSource.finish())
    #expect(!demandSource.finish())
  }

  @Test func `does not complete after cancellation`() {
    let demandSource = demandSource(Log())
    demandSource.cancel()

    #expect(!demandSource.finish())
  }

  @Test(arguments: [false, true]) func `releases its closure at completion`(_ cancels: Bool) {
    weak var released: Log?
    let demandSource: DemandSource
    do {
      let log = Log()
      released = log
      demandSource = self.demandSource(log)
    }
    #expect(released != nil)
    if cancels { demandSource.cancel() } else { _ = demandSource.finish() }

    #expect(released == nil)
  }

  @Test func `releases its closure when it is cancelled while it produces`() {
    weak var released: Log?
    let demandSource: DemandSource
    do {
      let log = Log()
      released = log
      demandSource = self.demandSource(log) { $0.cancel() }
    }
    demandSource.request(.max(1))

    #expect(released == nil)
  }
}
