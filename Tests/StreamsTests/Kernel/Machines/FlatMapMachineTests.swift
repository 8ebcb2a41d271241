import Testing

@testable import Streams

struct FlatMapMachineTests {
  private let outer = FlatMapMachine.outer

  private func probe(_ maxPublishers: Subscribers.Demand = .unlimited) -> Probe<FlatMapMachine> {
    Probe(FlatMapMachine(maxPublishers: maxPublishers))
  }

  @Test func `asks the outer source for as many as may be attached`() {
    #expect(probe(.max(2)).connect("outer", to: outer) == ["request 2 from outer"])
    #expect(probe().connect("outer", to: outer) == ["request all from outer"])
  }

  @Test func `asks the outer source for another one when an inner source has finished`() {
    let flatMap = probe(.max(1))
    _ = flatMap.connect("outer", to: outer)
    let slot = flatMap.open().slot!
    _ = flatMap.connect("a", to: slot)

    #expect(flatMap.finish(slot) == ["continues", "release a", "request 1 from outer"])
  }

  @Test func `does not count inner sources when any number may be attached`() {
    let flatMap = probe()
    _ = flatMap.connect("outer", to: outer)
    let slot = flatMap.open().slot!

    #expect(flatMap.finish(slot) == ["continues"])
  }

  @Test func `asks each inner source for one element while demand is limited`() {
    let flatMap = probe()
    _ = flatMap.request(.max(3))

    #expect(flatMap.connect("a", to: flatMap.open().slot!) == ["request 1 from a"])
    #expect(flatMap.connect("b", to: flatMap.open().slot!) == ["request 1 from b"])
  }

  @Test func `goes on with its inner sources when the outer one has finished`() {
    let flatMap = probe()
    _ = flatMap.connect("outer", to: outer)
    let slot = flatMap.open().slot!

    #expect(flatMap.finish(outer) == ["continues", "release outer"])
    #expect(flatMap.finish(slot) == ["continues", "completion"])
  }

  @Test func `finishes when the outer source finishes and none is attached`() {
    #expect(probe().finish(outer) == ["continues", "completion"])
  }

  @Test func `cancels everything when an inner source fails`() {
    let flatMap = probe()
    _ = flatMap.connect("outer", to: outer)
    let (a, b) = (flatMap.open().slot!, flatMap.open().slot!)
    _ = flatMap.connect("a", to: a)
    _ = flatMap.connect("b", to: b)

    #expect(flatMap.fail(a) == ["ends", "release a", "cancel outer", "cancel b", "completion"])
  }

  @Test func `cancels the inner sources when the outer one fails`() {
    let flatMap = probe()
    _ = flatMap.connect("outer", to: outer)
    _ = flatMap.connect("a", to: flatMap.open().slot!)

    #expect(flatMap.fail(outer) == ["ends", "release outer", "cancel a", "completion"])
  }

  @Test func `tells a source from the one that had its place before`() {
    let flatMap = probe()
    _ = flatMap.request(.unlimited)
    let first = flatMap.open().slot!
    _ = flatMap.finish(first)
    let second = flatMap.open().slot!

    #expect(first != second)
    #expect(flatMap.send(from: first) == ["refused"])
    #expect(flatMap.send(from: second) == ["stored", "element"])
  }

  @Test func `opens no slot when it is over`() {
    let flatMap = probe()
    _ = flatMap.cancel()

    #expect(flatMap.open().slot == nil)
  }
}
