import Testing

@testable import Streams

struct ZipMachineTests {
  private let zip = Probe(ZipMachine(count: 2))

  private func connectBoth() {
    _ = zip.connect("a", to: 0)
    _ = zip.connect("b", to: 1)
  }

  @Test func `forwards demand to every source`() {
    connectBoth()

    #expect(zip.request(.max(2)) == ["request 2 from a", "request 2 from b"])
    #expect(zip.request(.max(1)) == ["request 1 from a", "request 1 from b"])
  }

  @Test func `requests outstanding demand from a late source`() {
    _ = zip.request(.max(3))

    #expect(zip.connect("b", to: 1) == ["request 3 from b"])
  }

  @Test func `delivers when each source has sent an element`() {
    connectBoth()
    _ = zip.request(.unlimited)

    #expect(zip.send(from: 0) == ["setAside"])
    #expect(zip.send(from: 0) == ["setAside"])
    #expect(zip.send(from: 1) == ["completes", "element"])
    #expect(zip.send(from: 1) == ["completes", "element"])
  }

  @Test func `holds a set until it is requested`() {
    connectBoth()
    _ = zip.send(from: 0)

    #expect(zip.send(from: 1) == ["completes"])
    #expect(zip.request(.max(1)) == ["request 1 from a", "request 1 from b", "element"])
  }

  @Test func `continues while a finished source has buffered elements`() {
    connectBoth()
    _ = zip.request(.unlimited)
    _ = zip.send(from: 0)

    #expect(zip.finish(0) == ["continues", "release a"])
    #expect(zip.send(from: 1) == ["completes", "cancel b", "element", "completion"])
  }

  @Test func `finishes at once when a source without buffered elements finishes`() {
    connectBoth()
    _ = zip.send(from: 1)

    #expect(zip.finish(0) == ["continues", "release a", "cancel b", "completion"])
  }

  @Test func `fails at once and cancels the others`() {
    connectBoth()

    #expect(zip.fail(0) == ["ends", "release a", "cancel b", "completion"])
  }

  @Test func `refuses elements of a source that has ended`() {
    connectBoth()
    _ = zip.send(from: 0)
    _ = zip.finish(0)

    #expect(zip.send(from: 0) == ["refused"])
  }

  @Test func `cancels a second subscription of a source`() {
    connectBoth()

    #expect(zip.connect("x", to: 1) == ["cancel x"])
  }

  @Test func `cancels every source on cancellation`() {
    connectBoth()

    #expect(zip.cancel() == ["cancel a", "cancel b"])
  }
}

struct LatestMachineTests {
  private let latest = Probe(LatestMachine(count: 2))

  private func connectBoth() {
    _ = latest.connect("a", to: 0)
    _ = latest.connect("b", to: 1)
  }

  @Test func `forwards demand to every source`() {
    connectBoth()

    #expect(latest.request(.max(2)) == ["request 2 from a", "request 2 from b"])
  }

  @Test func `delivers once each source has sent an element`() {
    connectBoth()
    _ = latest.request(.unlimited)

    #expect(latest.send(from: 0) == ["setAside"])
    #expect(latest.send(from: 1) == ["completes", "element"])
    #expect(latest.send(from: 1) == ["completes", "element"])
  }

  @Test func `creates no set without demand`() {
    connectBoth()
    _ = latest.request(.max(1))
    _ = latest.send(from: 0)
    _ = latest.send(from: 1)

    #expect(latest.send(from: 0) == ["setAside"])
    #expect(latest.request(.max(1)) == ["request 1 from a", "request 1 from b"])
  }

  @Test func `finishes with the last source`() {
    connectBoth()
    _ = latest.request(.unlimited)
    _ = latest.send(from: 0)
    _ = latest.send(from: 1)

    #expect(latest.finish(0) == ["continues", "release a"])
    #expect(latest.finish(1) == ["continues", "release b", "completion"])
  }

  @Test func `finishes early when a source finishes without an element`() {
    connectBoth()
    _ = latest.send(from: 0)

    #expect(latest.finish(1) == ["continues", "release b", "cancel a", "completion"])
  }

  @Test func `fails at once and cancels the others`() {
    connectBoth()

    #expect(latest.fail(1) == ["ends", "release b", "cancel a", "completion"])
  }

  @Test func `refuses elements of a source that has ended`() {
    connectBoth()
    _ = latest.send(from: 0)
    _ = latest.finish(0)

    #expect(latest.send(from: 0) == ["refused"])
  }
}
