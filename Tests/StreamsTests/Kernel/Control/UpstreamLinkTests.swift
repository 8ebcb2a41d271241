import Streams
import Testing

/// A subscription that records its calls.
final class RecordedSubscription: Subscription {
  private(set) var events: [String] = []
  var onRequest: () -> Void = {}

  func request(_ demand: Subscribers.Demand) {
    events.append("request \(demand)")
    onRequest()
  }

  func cancel() { events.append("cancel") }
}

struct UpstreamLinkTests {
  private let link = UpstreamLink()
  private let upstream = RecordedSubscription()

  @Test func `forwards until completion, from before the subscription on`() {
    #expect(link.isForwarding)
    _ = link.connect(upstream)
    #expect(link.isForwarding)
    link.finish()
    #expect(!link.isForwarding)
  }

  @Test func `accepts the first subscription`() {
    #expect(link.connect(upstream))
    #expect(upstream.events == [])
  }

  @Test func `cancels a second subscription`() {
    _ = link.connect(upstream)
    let second = RecordedSubscription()

    #expect(!link.connect(second))
    #expect(second.events == ["cancel"])
    #expect(link.isForwarding)
  }

  @Test func `forwards requests`() {
    _ = link.connect(upstream)
    link.request(.max(2))

    #expect(upstream.events == ["request max(2)"])
  }

  @Test func `adds up requests before the subscription arrives`() {
    link.request(.max(2))
    link.request(.max(1))
    _ = link.connect(upstream)

    #expect(upstream.events == ["request max(3)"])
  }

  @Test func `cancels upstream once`() {
    _ = link.connect(upstream)
    link.cancel()
    link.cancel()

    #expect(upstream.events == ["cancel"])
    #expect(!link.isForwarding)
  }

  @Test func `cancels a subscription that arrives after cancellation`() {
    link.cancel()

    #expect(!link.connect(upstream))
    #expect(upstream.events == ["cancel"])
  }

  @Test func `ignores requests after cancellation`() {
    _ = link.connect(upstream)
    link.cancel()
    link.request(.max(1))

    #expect(upstream.events == ["cancel"])
  }

  @Test func `completes once`() {
    _ = link.connect(upstream)

    #expect(link.finish())
    #expect(!link.finish())
    #expect(upstream.events == [])
  }

  @Test func `a completion before the subscription is the end, and a later subscription is cancelled`() {
    #expect(link.finish())
    #expect(!link.isForwarding)
    #expect(!link.connect(upstream))
    #expect(upstream.events == ["cancel"])
  }

  @Test func `forwards nothing after a cancellation before the subscription`() {
    link.request(.max(1))
    link.cancel()
    #expect(!link.isForwarding)
    #expect(!link.finish())
  }

  @Test func `does not cancel upstream after its completion`() {
    _ = link.connect(upstream)
    link.finish()
    link.cancel()

    #expect(upstream.events == [])
  }

  @Test func `releases the subscription at completion`() {
    weak var released: RecordedSubscription?
    do {
      let subscription = RecordedSubscription()
      released = subscription
      _ = link.connect(subscription)
    }
    #expect(released != nil)
    link.finish()

    #expect(released == nil)
  }

  @Test func `ignores a request of none, before and after the subscription arrives`() {
    link.request(.none)
    _ = link.connect(upstream)
    link.request(.none)
    #expect(upstream.events == [])
  }
}
