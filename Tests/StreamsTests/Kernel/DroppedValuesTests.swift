import Streams
import SuiteSupport
import Testing

/// The link of a subscriber is told of the values that a subject drops for lack of demand.
struct DroppedValuesTests {
  private struct Linked: Subscriber {
    let link: AnnotatedLink
    let combineIdentifier = CombineIdentifier()

    var _upstreamLink: SubscriberLink? { SubscriberLink(link) }

    func receive(subscription: any Subscription) { _ = link.connect(subscription) }
    func receive(_ input: Int) -> Subscribers.Demand { .none }
    func receive(completion: Subscribers.Completion<Never>) {}
  }

  @Test func `a value is dropped by a subject that keeps none, but waits in one that keeps the newest`() {
    var drops = 0
    let link = AnnotatedLink(whenValueDropped: { drops += 1 })
    let subject = PassthroughSubject<Int, Never>()
    subject.subscribe(Linked(link: link))
    subject.send(1)
    #expect(drops == 1)
    link.cancel()

    let waiting = AnnotatedLink(whenValueDropped: { drops += 1 })
    let current = CurrentValueSubject<Int, Never>(1)
    current.subscribe(Linked(link: waiting))
    current.send(2)
    current.send(3)
    #expect(drops == 1)
    waiting.cancel()
  }
}
