import Testing

@testable import Streams

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

struct InletTests {
  private let inlet = Inlet()
  private let upstream = RecordedSubscription()

  @Test func `forwards until completion, from before the subscription on`() {
    #expect(inlet.isForwarding)
    _ = inlet.connect(upstream)
    #expect(inlet.isForwarding)
    inlet.finish()
    #expect(!inlet.isForwarding)
  }

  @Test func `accepts the first subscription`() {
    #expect(inlet.connect(upstream))
    #expect(upstream.events == [])
  }

  @Test func `cancels a second subscription`() {
    _ = inlet.connect(upstream)
    let second = RecordedSubscription()

    #expect(!inlet.connect(second))
    #expect(second.events == ["cancel"])
    #expect(inlet.isForwarding)
  }

  @Test func `forwards requests`() {
    _ = inlet.connect(upstream)
    inlet.request(.max(2))

    #expect(upstream.events == ["request max(2)"])
  }

  @Test func `adds up requests before the subscription arrives`() {
    inlet.request(.max(2))
    inlet.request(.max(1))
    _ = inlet.connect(upstream)

    #expect(upstream.events == ["request max(3)"])
  }

  @Test func `cancels upstream once`() {
    _ = inlet.connect(upstream)
    inlet.cancel()
    inlet.cancel()

    #expect(upstream.events == ["cancel"])
    #expect(!inlet.isForwarding)
  }

  @Test func `cancels a subscription that arrives after cancellation`() {
    inlet.cancel()

    #expect(!inlet.connect(upstream))
    #expect(upstream.events == ["cancel"])
  }

  @Test func `ignores requests after cancellation`() {
    _ = inlet.connect(upstream)
    inlet.cancel()
    inlet.request(.max(1))

    #expect(upstream.events == ["cancel"])
  }

  @Test func `completes once`() {
    _ = inlet.connect(upstream)

    #expect(inlet.finish())
    #expect(!inlet.finish())
    #expect(upstream.events == [])
  }

  @Test func `a completion before the subscription is the end, and a later subscription is cancelled`() {
    #expect(inlet.finish())
    #expect(!inlet.isForwarding)
    #expect(!inlet.connect(upstream))
    #expect(upstream.events == ["cancel"])
  }

  @Test func `forwards nothing after a cancellation before the subscription`() {
    inlet.request(.max(1))
    inlet.cancel()
    #expect(!inlet.isForwarding)
    #expect(!inlet.finish())
  }

  @Test func `does not cancel upstream after its completion`() {
    _ = inlet.connect(upstream)
    inlet.finish()
    inlet.cancel()

    #expect(upstream.events == [])
  }

  @Test func `releases the subscription at completion`() {
    weak var released: RecordedSubscription?
    do {
      let subscription = RecordedSubscription()
      released = subscription
      _ = inlet.connect(subscription)
    }
    #expect(released != nil)
    inlet.finish()

    #expect(released == nil)
  }

  @Test func `ignores a request of none, before and after the subscription arrives`() {
    inlet.request(.none)
    _ = inlet.connect(upstream)
    inlet.request(.none)
    #expect(upstream.events == [])
  }
}
