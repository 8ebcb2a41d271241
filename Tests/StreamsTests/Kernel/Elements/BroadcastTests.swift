import Testing

@testable import Streams

// `@testable`: the broadcast itself, with sinks that subscribe twice, and with bursts of one delivery.

/// A subscriber that requests nothing by itself.
private final class Listener: Subscriber {
  typealias Input = Int
  typealias Failure = Never
  private(set) var received: [Int] = []
  private(set) var hasFinished = false
  private(set) var subscription: (any Subscription)?
  var onSubscription: (any Subscription) -> Void = { _ in }
  var onValue: (Int) -> Subscribers.Demand = { _ in .none }

  func receive(subscription: any Subscription) {
    self.subscription = subscription
    onSubscription(subscription)
  }

  func receive(_ input: Int) -> Subscribers.Demand {
    received.append(input)
    return onValue(input)
  }

  func receive(completion: Subscribers.Completion<Never>) { hasFinished = true }
}

struct BroadcastTests {
  // After `holdBack()`, it is as if another thread were sending, until the test calls `deliver()`.

  private let broadcast = Broadcast<Int, Never>()
  private let replaying = Broadcast<Int, Never>(current: 0)

  private func listener(to broadcast: Broadcast<Int, Never>, _ demand: Subscribers.Demand? = .unlimited) -> Listener {
    let listener = Listener()
    broadcast.subscribe(listener)
    if let demand { listener.subscription?.request(demand) }
    return listener
  }

  private func count(_ broadcast: Broadcast<Int, Never>) -> Int {
    broadcast.core.receiver == nil ? 0 : list(of: broadcast).count
  }

  private func list(of broadcast: Broadcast<Int, Never>) -> BranchList {
    unsafeDowncast(broadcast.core.receiver!.takeUnretainedValue(), to: BranchList.self)
  }

  @Test func `delivers to every subscriber in the order of subscription`() {
    var log: [String] = []
    let (a, b) = (listener(to: broadcast), listener(to: broadcast))
    a.onValue = {
      log.append("a\($0)")
      return .none
    }
    b.onValue = {
      log.append("b\($0)")
      return .none
    }
    broadcast.send(1)
    broadcast.send(2)

    #expect(log == ["a1", "b1", "a2", "b2"])
  }

  @Test func `queues values that are sent during a delivery`() {
    let (a, b) = (listener(to: broadcast), listener(to: broadcast))
    a.onValue = { [broadcast] in
      if $0 == 1 { broadcast.send(2) }
      return .none
    }
    broadcast.send(1)

    #expect(a.received == [1, 2])
    #expect(b.received == [1, 2])
  }

  @Test func `drops a value without demand`() {
    let listener = listener(to: broadcast, .max(1))
    broadcast.send(1)
    broadcast.send(2)
    listener.subscription?.request(.max(1))
    broadcast.send(3)

    #expect(listener.received == [1, 3])
  }

  @Test func `adds the demand that a delivery returns`() {
    let listener = listener(to: broadcast, .max(1))
    listener.onValue = { $0 == 1 ? .max(1) : .none }
    broadcast.send(1)
    broadcast.send(2)
    broadcast.send(3)

    #expect(listener.received == [1, 2])
  }

  @Test func `delivers nothing to a subscriber that cancelled during the delivery`() {
    let (a, b) = (listener(to: broadcast), listener(to: broadcast))
    a.onValue = { _ in
      b.subscription?.cancel()
      return .none
    }
    broadcast.send(1)

    #expect(a.received == [1])
    #expect(b.received == [])
  }

  @Test func `does not deliver a value to a subscriber that arrived during its delivery`() {
    let a = listener(to: broadcast)
    var late: Listener?
    a.onValue = { [broadcast] _ in
      if late == nil { late = listener(to: broadcast) }
      return .none
    }
    broadcast.send(1)
    broadcast.send(2)

    #expect(late?.received == [2])
  }

  @Test func `sends nothing after the completion`() {
    let listener = listener(to: broadcast)
    broadcast.send(completion: .finished)
    broadcast.send(1)

    #expect(listener.hasFinished)
    #expect(listener.received == [])
  }

  @Test func `completes later subscribers`() {
    broadcast.send(completion: .finished)

    #expect(listener(to: broadcast).hasFinished)
  }

  @Test func `replays the latest value on demand`() {
    replaying.send(1)
    let listener = listener(to: replaying, nil)
    replaying.send(2)
    #expect(listener.received == [])
    listener.subscription?.request(.max(1))

    #expect(listener.received == [2])
  }

  @Test func `replays no value twice`() {
    let listener = listener(to: replaying, .max(1))
    listener.subscription?.request(.max(1))
    #expect(listener.received == [0])
    replaying.send(1)
    listener.subscription?.request(.max(5))

    #expect(listener.received == [0, 1])
  }

  @Test func `a subscriber keeps its position in the list while others leave`() {
    let listeners = (0..<40).map { _ in listener(to: broadcast) }
    for number in 0..<39 where number % 3 != 0 { listeners[number].subscription?.cancel() }
    broadcast.send(1)
    for number in 0..<39 { listeners[number].subscription?.cancel() }
    broadcast.send(2)

    #expect(listeners[39].received == [1, 2])
    #expect(listeners[0].received == [1])
    #expect(listeners[1].received == [])
    #expect(count(broadcast) < 20)
  }

  @Test func `adds a subscriber that arrives during a delivery before the next value`() {
    var late: [Listener] = []
    let first = listener(to: broadcast)
    first.onValue = { value in
      if value == 1 {
        late.append(self.listener(to: self.broadcast))
        self.broadcast.send(2)
      }
      return .none
    }
    broadcast.send(1)

    #expect(first.received == [1, 2])
    #expect(late[0].received == [2])
  }

  @Test func `removes a subscriber that leaves during a delivery`() {
    let listeners = (0..<3).map { _ in listener(to: broadcast) }
    listeners[0].onValue = { _ in
      listeners[1].subscription?.cancel()
      return .none
    }
    broadcast.send(1)
    broadcast.send(2)

    #expect(listeners.map(\.received) == [[1, 2], [], [1, 2]])
    #expect(list(of: broadcast).gaps == 1)
  }

  @Test func `forgets subscribers that arrive and leave during one delivery`() {
    let first = listener(to: broadcast)
    first.onValue = { _ in
      for _ in 0..<1_000 { self.listener(to: self.broadcast).subscription?.cancel() }
      #expect(self.broadcast.core.queue.count == 0)
      return .none
    }
    broadcast.send(1)

    #expect(count(broadcast) == 1)
  }

  @Test func `forgets a first subscriber that leaves while a value is being sent`() {
    broadcast.core.holdBack()
    listener(to: broadcast).subscription?.cancel()

    #expect(broadcast.core.queue.count == 0)
  }

  @Test func `cancels a sink's second subscription`() {
    var received: [Int] = []
    let sink = SinkSubscriber<Int, Never>(nil) { received.append($0) }
    broadcast.subscribe(sink)
    broadcast.subscribe(sink)
    broadcast.send(1)

    #expect(received == [1])
    #expect(count(broadcast) == 1)
  }

  @Test func `does not keep a sink that is already cancelled`() {
    let sink = SinkSubscriber<Int, Never>(nil) { _ in }
    sink.link.cancel()
    broadcast.subscribe(sink)

    #expect(count(broadcast) == 0)
  }

  @Test func `requests unlimited demand from upstream on the first request`() {
    let upstream = RecordedSubscription()
    broadcast.addUpstream(upstream)
    #expect(upstream.events == [])
    _ = listener(to: broadcast, .max(1))
    _ = listener(to: broadcast, .max(1))

    #expect(upstream.events == ["request unlimited"])
  }

  @Test func `requests unlimited demand from a late upstream at once`() {
    _ = listener(to: broadcast, .max(1))
    let upstream = RecordedSubscription()
    broadcast.addUpstream(upstream)

    #expect(upstream.events == ["request unlimited"])
  }

  @Test func `cancels its upstream when it completes`() {
    let upstream = RecordedSubscription()
    broadcast.addUpstream(upstream)
    broadcast.send(completion: .finished)

    #expect(upstream.events == ["cancel"])
  }

  @Test func `opens the subscription for unlimited demand and closes it on cancellation`() throws {
    let listener = listener(to: broadcast)
    let subscription = try #require(listener.subscription as? Branch)
    broadcast.send(1)
    #expect(subscription.isLent)
    subscription.cancel()

    #expect(!subscription.isLent)
  }

  @Test func `keeps the subscription closed for limited demand`() throws {
    let listener = listener(to: broadcast, .max(5))
    let subscription = try #require(listener.subscription as? Branch)
    broadcast.send(1)

    #expect(!subscription.isLent)
  }

  @Test func `a property has its new value when every subscriber has received it`() {
    let property = Broadcast<Int, Never>(current: 0, isPublished: true)
    let listener = listener(to: property)
    var seen: [Int] = []
    listener.onValue = { [property] _ in
      seen.append(property.valueOfProperty)
      return .none
    }
    property.sendBeforeChange(1)
    #expect(seen == [0])
    #expect(property.valueOfProperty == 1)
  }

  @Test func `a property that is set while its value is being sent has the newer value`() {
    let property = Broadcast<Int, Never>(current: 0, isPublished: true)
    let listener = listener(to: property)
    var seen: [Int] = []
    listener.onValue = { [property] in
      if $0 == 1 { property.sendBeforeChange(2) }
      seen.append(property.valueOfProperty)
      return .none
    }
    property.sendBeforeChange(1)
    #expect(seen == [2, 2])
  }

  @Test func `closes the gaps of subscribers that have left once they are most of the list`() {
    let listeners = (0..<20).map { _ in listener(to: broadcast) }
    for number in 0..<11 { listeners[number].subscription?.cancel() }
    #expect(list(of: broadcast).gaps == 0)
    #expect(count(broadcast) == 9)
    listeners[12].subscription?.cancel()

    #expect(list(of: broadcast).gaps == 1)
  }

  @Test func `closes the gaps before a subscriber that has become the last`() {
    let listeners = (0..<30).map { _ in listener(to: broadcast) }
    for number in 0..<10 { listeners[number].subscription?.cancel() }
    for number in (11..<30).reversed() { listeners[number].subscription?.cancel() }
    #expect(list(of: broadcast).count == 1)
    broadcast.send(7)
    #expect(listeners[10].received == [7])

    listeners[10].subscription?.cancel()
    #expect(list(of: broadcast).count == 0)
  }

  @Test func `forgets a subscriber that arrives and leaves before the completion that has been sent`() {
    broadcast.core.holdBack()
    broadcast.send(completion: .finished)
    let late = Listener()
    late.onSubscription = { $0.cancel() }
    broadcast.subscribe(late)
    broadcast.core.deliver()

    #expect(!late.hasFinished)
    #expect(count(broadcast) == 0)
  }

  @Test func `keeps the subscriptions of all its upstreams`() {
    let upstreams = (0..<40).map { _ in RecordedSubscription() }
    for upstream in upstreams { broadcast.addUpstream(upstream) }
    _ = listener(to: broadcast)
    broadcast.send(completion: .finished)

    #expect(upstreams.allSatisfy { $0.events == ["request unlimited", "cancel"] })
  }

  @Test func `opens the subscription when the subscriber has received the latest value`() throws {
    let listener = listener(to: replaying)
    let subscription = try #require(listener.subscription as? Branch)

    #expect(listener.received == [0])
    #expect(subscription.isLent)
  }

  @Test(arguments: [false, true])
  func `a thread that subscribes or requests delivers what arrives meanwhile`(subscribes: Bool) {
    let listener = Listener()
    if subscribes { listener.onSubscription = { $0.request(.unlimited) } }
    listener.onValue = {
      if $0 == 0 {
        replaying.send(1)
        #expect(listener.received == [0])
      }
      return .none
    }
    replaying.subscribe(listener)
    if !subscribes { listener.subscription?.request(.unlimited) }

    #expect(listener.received == [0, 1])
  }

  @Test func `a subscriber that receives a value before the latest one misses none of those that wait`() {
    let listener = Listener()
    listener.onSubscription = {
      $0.request(.unlimited)
      replaying.send(1)
      replaying.core.holdBack()
      replaying.send(2)
      replaying.send(3)
    }
    replaying.subscribe(listener)
    #expect(listener.received == [0, 1])
    replaying.core.deliver()

    #expect(listener.received == [0, 1, 2, 3])
  }

  @Test(.ownThread) func `a thread that sends takes over what another one offers that catches up`() throws {
    let listener = listener(to: replaying, .max(9))
    let branch = try #require(listener.subscription as? Branch)
    // It is as if another thread were delivering to the subscriber, until it offers the rest.
    branch.holdBack()
    replaying.send(1)
    var burst = Burst(0)
    #expect(branch.withLock { burst.countsLastDelivery(&branch.handover) })
    nonisolated(unsafe) let replaying = replaying
    onAnotherThread { replaying.send(2) }
    #expect(branch.withLock { burst.offersTurn(&branch.handover) })
    #expect(listener.received == [0])
    replaying.send(3)

    #expect(listener.received == [0, 1, 2, 3])
  }

  @Test func `tells how many of the values that wait are requested, and whether there is a newer one`() throws {
    let listener = listener(to: replaying, nil)
    let branch = try #require(listener.subscription as? Branch)
    func facts() -> [StreamFact: Int] {
      var facts: [StreamFact: Int] = [:]
      StreamFact.tell(of: branch) { fact, number, _ in facts[fact] = number }
      return facts
    }
    #expect(facts()[.waiting] == 0)
    #expect(facts()[.stale] != nil)
    listener.subscription?.request(.max(1))
    #expect(listener.received == [0])
    #expect(facts()[.stale] == nil)
    #expect(facts()[.over] == nil)
    branch.cancel()
    #expect(facts()[.over] != nil)
  }

  @Test func `tells that it serves a property, and how many subscribers it has`() {
    let property = Broadcast<Int, Never>(current: 0, isPublished: true)
    let (first, _) = (listener(to: property), listener(to: property))
    first.subscription?.cancel()
    var facts: [StreamFact: Int] = [:]
    StreamFact.tell(of: property.core) { fact, number, _ in facts[fact] = number }
    #expect(facts[.subscribers] == 1)
    #expect(facts[.published] != nil)
    #expect(facts[.over] == nil)
    property.send(completion: .finished)
    StreamFact.tell(of: property.core) { fact, number, _ in facts[fact] = number }
    #expect(facts[.subscribers] == 0)
    #expect(facts[.over] != nil)
  }

  @Test func `values that a property gives up may use it from their deinit`() {
    let property = Broadcast<OnDeinit, Never>(current: OnDeinit {}, isPublished: true)
    var released = 0
    func value() -> OnDeinit {
      OnDeinit {
        released += 1
        property.valueOfProperty.touch()
      }
    }
    property.sendBeforeChange(value())
    var calls = 0
    let cancellable = PassthroughSubject(property).sink { _ in
      calls += 1
      // Set while the value before is being sent.
      if calls == 2 { property.sendBeforeChange(value()) }
    }
    property.sendBeforeChange(value())
    property.sendBeforeChange(OnDeinit {})
    cancellable.cancel()

    #expect(released == 3)
  }
}
