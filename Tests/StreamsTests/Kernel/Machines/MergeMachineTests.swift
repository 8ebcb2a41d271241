import Testing

@testable import Streams

struct MergeMachineTests {
  private let merge = Probe(MergeMachine(count: 2))

  @Test func `requests nothing without demand`() {
    #expect(merge.connect("a", to: 0) == [])
  }

  @Test func `requests one element from each source while demand is limited`() {
    _ = merge.connect("a", to: 0)
    _ = merge.connect("b", to: 1)

    #expect(merge.request(.max(5)) == ["request 1 from a", "request 1 from b"])
    #expect(merge.request(.max(5)) == [])
  }

  @Test func `requests unlimited demand from each source when demand is unlimited`() {
    _ = merge.connect("a", to: 0)

    #expect(merge.request(.unlimited) == ["request all from a"])
    #expect(merge.connect("b", to: 1) == ["request all from b"])
  }

  @Test func `requests unlimited demand when demand becomes unlimited later`() {
    _ = merge.connect("a", to: 0)
    _ = merge.request(.max(1))

    #expect(merge.request(.unlimited) == ["request all from a"])
    #expect(merge.request(.max(1)) == [])
  }

  @Test func `requests one element from a late source`() {
    _ = merge.request(.max(2))

    #expect(merge.connect("b", to: 1) == ["request 1 from b"])
  }

  @Test func `requests another element from the source of a delivered one`() {
    _ = merge.connect("a", to: 0)
    _ = merge.connect("b", to: 1)
    _ = merge.request(.max(1))

    #expect(merge.send(from: 1) == ["stored", "element", "request 1 from b"])
  }

  @Test func `holds an element until it is requested`() {
    _ = merge.connect("a", to: 0)
    _ = merge.request(.max(1))
    _ = merge.send(from: 0)

    #expect(merge.send(from: 0) == ["stored"])
    #expect(merge.request(.max(1)) == ["element", "request 1 from a"])
  }

  @Test func `delivers in the order of arrival and requests in the same order`() {
    _ = merge.connect("a", to: 0)
    _ = merge.connect("b", to: 1)
    _ = merge.request(.max(1))
    _ = merge.send(from: 1)
    _ = merge.send(from: 0)
    _ = merge.send(from: 1)

    #expect(merge.request(.max(2)) == ["element", "request 1 from a", "element", "request 1 from b"])
  }

  @Test func `finishes with the last source`() {
    #expect(merge.finish(0) == ["continues"])
    #expect(merge.finish(1) == ["continues", "completion"])
  }

  @Test func `finishes after the waiting elements`() {
    _ = merge.connect("a", to: 0)
    _ = merge.send(from: 0)
    _ = merge.finish(1)

    #expect(merge.finish(0) == ["continues", "release a"])
    #expect(merge.request(.max(1)) == ["element", "completion"])
  }

  @Test func `fails at once and cancels the others`() {
    _ = merge.connect("a", to: 0)
    _ = merge.connect("b", to: 1)
    _ = merge.send(from: 0)

    #expect(merge.fail(1) == ["ends", "release b", "cancel a", "completion"])
  }

  @Test func `delivers the requested elements before a failure`() {
    let machine = MergeMachine(count: 2)
    var effects = Effects()
    machine.requested(.max(1), &effects)
    _ = machine.count(machine.received(from: 0, &effects))
    _ = machine.count(machine.received(from: 0, &effects))
    _ = machine.ended(1, failed: true, &effects)
    let deliveries = [machine.next(&effects), machine.next(&effects)]

    #expect(deliveries == [.element, .completion])
  }

  @Test func `refuses elements of a source that has ended`() {
    _ = merge.request(.unlimited)
    _ = merge.finish(0)

    #expect(merge.send(from: 0) == ["refused"])
    #expect(merge.finish(0) == ["continues"])
  }

  @Test func `cancels a second subscription of a source`() {
    _ = merge.connect("a", to: 0)

    #expect(merge.connect("x", to: 0) == ["cancel x"])
  }

  @Test func `cancels every source on cancellation`() {
    _ = merge.connect("a", to: 0)
    _ = merge.connect("b", to: 1)

    #expect(merge.cancel() == ["cancel a", "cancel b"])
  }
}
