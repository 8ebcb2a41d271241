import Testing

@testable import Streams

struct BufferMachineTests {
  private func probe(
    size: Int = 2, keepsFull: Bool = false, _ overflow: Overflow = .dropNewest
  ) -> Probe<BufferMachine> {
    Probe(BufferMachine(size: size, keepsFull: keepsFull, overflow: overflow))
  }

  @Test func `byRequest requests unlimited demand`() {
    #expect(probe().connect("a", to: 0) == ["request all from a"])
  }

  @Test func `keepFull requests as many elements as fit`() {
    #expect(probe(keepsFull: true).connect("a", to: 0) == ["request 2 from a"])
  }

  @Test func `requests unlimited demand when demand is unlimited before upstream arrives`() {
    let buffer = probe(keepsFull: true)
    _ = buffer.request(.unlimited)

    #expect(buffer.connect("a", to: 0) == ["request all from a"])
  }

  @Test func `requests unlimited demand when demand becomes unlimited`() {
    let buffer = probe(keepsFull: true)
    _ = buffer.connect("a", to: 0)

    #expect(buffer.request(.unlimited) == ["request all from a"])
    #expect(buffer.request(.unlimited) == [])
  }

  @Test func `requests another element for each delivered one`() {
    let buffer = probe(keepsFull: true)
    _ = buffer.connect("a", to: 0)
    _ = buffer.send(from: 0)

    #expect(buffer.request(.max(1)) == ["element", "request 1 from a"])
  }

  @Test func `drops the newest element when it is full`() {
    let buffer = probe(.dropNewest)
    _ = buffer.send(from: 0)
    _ = buffer.send(from: 0)

    #expect(buffer.send(from: 0) == ["refused"])
    #expect(buffer.request(.max(5)) == ["element", "element"])
  }

  @Test func `drops the oldest element when it is full`() {
    let buffer = probe(.dropOldest)
    _ = buffer.send(from: 0)
    _ = buffer.send(from: 0)

    #expect(buffer.send(from: 0) == ["replaces"])
    #expect(buffer.request(.max(5)) == ["element", "element"])
  }

  @Test func `fails with its own error when it is full, after the waiting elements`() {
    let buffer = probe(.fail)
    _ = buffer.connect("a", to: 0)
    _ = buffer.send(from: 0)
    _ = buffer.send(from: 0)

    #expect(buffer.send(from: 0) == ["refused", "cancel a"])
    #expect(buffer.request(.max(2)) == ["element", "element", "substitute"])
  }

  @Test func `finishes after the waiting elements`() {
    let buffer = probe()
    _ = buffer.connect("a", to: 0)
    _ = buffer.send(from: 0)

    #expect(buffer.finish(0) == ["ends", "release a"])
    #expect(buffer.request(.max(1)) == ["element", "completion"])
  }

  @Test func `fails after the waiting elements`() {
    let buffer = probe()
    _ = buffer.send(from: 0)

    #expect(buffer.fail(0) == ["ends"])
    #expect(buffer.request(.max(1)) == ["element", "completion"])
  }

  @Test func `cancels a second subscription`() {
    let buffer = probe()
    _ = buffer.connect("a", to: 0)

    #expect(buffer.connect("x", to: 0) == ["cancel x"])
  }
}
