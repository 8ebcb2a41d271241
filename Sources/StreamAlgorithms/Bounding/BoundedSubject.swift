public import Streams
internal import Synchronization

/// A subject whose senders wait while it's full.
///
/// ```swift
/// let jobs = BoundedSubject<Job, Never>(bounded: 100)
/// let worker = Task { for await job in jobs.values { await process(job) } }
/// for try await job in socket.jobs { try await jobs.send(job) }   // reads no faster than the worker processes
/// ```
///
/// Other subjects accept every value immediately, so if values are sent faster than they're delivered, they pile up without
/// bound. Here, ``send(_:)`` suspends the sender while any subscriber already has `bound` values waiting, whether for demand or
/// for other deliveries to end. Waiting senders continue in the order in which they began to wait, and values from the same
/// task stay in order.
///
/// Each subscriber receives the values that you send after it has subscribed, as its demand permits. No value is dropped while
/// the subscription lasts. When you cancel it, the waiting values are dropped, and senders that were waiting only for that
/// subscriber continue.
///
/// Before anybody has subscribed, the subject keeps as many values as the bound allows, and further senders wait. The first
/// subscriber receives the kept values, then the completion if you've sent one. Later subscribers don't receive the kept
/// values. They may also miss values that you send while their chain of operators is being attached. Once the last subscriber
/// has cancelled, values are dropped and senders don't wait, as in a ``/Streams/PassthroughSubject``.
///
/// The bound counts only the values that are waiting in the subject. A subscriber that requests unlimited demand, such as a
/// sink after `receive(on:)`, takes the values out of the subject immediately. Instead, directly after the subject, put a
/// consumer that requests values as it handles them: a loop over `values`, `map(maxTasks:)` or your own subscriber.
///
/// You may send values from any task and any thread. To stop without losing a value, complete the subject. It delivers the
/// values that it has accepted, then the completion. Sending takes O(1) time for each subscriber.
public final class BoundedSubject<Output, Failure: Error>: Publisher {
  /// A value with its number. From the number, a subscriber determines whether the value was sent after it had subscribed.
  fileprivate typealias Numbered = (number: Int, value: Output)

  /// A value for the first subscriber, and the context in which it was sent, if contexts are carried.
  fileprivate typealias KeptValue = (value: Output, context: ContextSnapshot?)

  /// The maximum number of values that may be waiting for a subscriber.
  public let bound: Int

  fileprivate let values = PassthroughSubject<Numbered, Failure>()
  fileprivate let senders: WaitingSenders
  // Exclusive: accessed only under the lock of `senders`.
  /// The values that have been accepted for the first subscriber.
  @exclusivity(unchecked) fileprivate var kept = Ring<KeptValue>()
  /// The completion, once one has been sent.
  private let completion = Locked<Subscribers.Completion<Failure>?>(nil)

  /// Creates a subject that limits the number of waiting values.
  ///
  /// - Parameter bound: The maximum number of values that may be waiting for a subscriber. A number below one stops the program
  ///   with a message.
  public init(bounded bound: Int) {
    require(bound > 0, or: "BoundedSubject(bounded:) requires a bound of at least 1, got \(bound).")
    self.bound = bound
    senders = WaitingSenders(room: bound)
  }

  /// Waits until each subscriber has room for a value, then sends the value to all of them.
  ///
  /// Before the first subscriber arrives, this method waits until the subject has room to keep the value.
  ///
  /// Once this method has returned, the value reaches every subscriber that requests it, even if the subject is completed
  /// first. You may then acknowledge the value to its source.
  ///
  /// - Parameter value: The value to send.
  /// - Throws: A `CancellationError` if the task is cancelled while it's waiting, or if the subject has ended. The value hasn't
  ///   been sent in either case.
  nonisolated(nonsending)
    public func send(_ value: Output) async throws(CancellationError)
  {
    var outcome = enter(value)
    if outcome == .waits { outcome = await senders.wait(for: values) }
    switch outcome {
    case .accepted(let number): pass((number, value))
    case .kept: break
    case .late, .cancelled, .waits: throw CancellationError()
    }
  }

  /// Sends a value to all subscribers if each has room for it and no sender is waiting.
  ///
  /// Before the first subscriber arrives, the subject keeps the value if there's room.
  ///
  /// - Parameter value: The value to send.
  /// - Returns: `true` if the value was accepted.
  public func offer(_ value: Output) -> Bool {
    switch enter(value) {
    case .accepted(let number): pass((number, value))
    case .kept: break
    case .late, .cancelled, .waits: return false
    }
    return true
  }

  /// Returns the outcome for a value, and stores the value if the outcome is `kept`.
  private func enter(_ value: Output) -> WaitingSenders.Outcome {
    // The context is never captured under the lock, because capturing may run user code.
    let context = ContextCarrier.isAny && senders.areUnheard ? ContextSnapshot.captured() : nil
    return senders.enter { kept.append((value, context)) }
  }

  private func pass(_ value: Numbered) {
    values.send(value)
    if senders.hasPassed(), let completion = completion.withLock({ $0 }) { values.send(completion: completion) }
  }

  /// Ends the subject with a completion.
  ///
  /// Subscribers receive the completion after the values that are waiting for them. They don't receive anything that you send
  /// later.
  ///
  /// Waiting senders continue with a `CancellationError`. Accepted values aren't affected: if another thread is sending one,
  /// that thread sends the completion afterward.
  ///
  /// - Parameter completion: The completion to send.
  public func send(completion: Subscribers.Completion<Failure>) {
    self.completion.withLock { $0 = $0 ?? completion }
    if senders.close() { values.send(completion: completion) }
  }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    // The engine requests as many values as the bound allows, and another for each delivered value.
    let bound = Bound(bound, Overflow.wait, in: "BoundedSubject(bounded:)")
    let receiver = SubscriberReceiver(subscriber)
    let engine = BufferEngine(receiver, ElementLayout(Output.self), bound, keepsFull: true)
    engine.begin(receiver)
    engine.attach(Source(subject: self))
  }

  /// A publisher of a subject's values, for a subscriber that requests as many values as it has room for.
  private struct Source: Publisher {
    let subject: BoundedSubject

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      subject.values.subscribe(BoundedSubscriber(subscriber, of: subject))
    }
  }
}

extension BoundedSubject {
  /// Publishes the subject's values, and completes the subject when another publisher sends its first value.
  ///
  /// ```swift
  /// requests.finish(when: stop).map(maxTasks: 16) { await respond(to: $0) }.sink { reply($0) }
  /// ```
  ///
  /// On any other publisher, `finish(when:)` cancels the publisher. A bounded subject would then drop its waiting values,
  /// although `send` has returned for them. Here, all of the subject's subscribers receive the values that it has accepted,
  /// then the completion. Waiting and later senders receive a `CancellationError`.
  ///
  /// Demand passes through unchanged. For each subscriber, the operator subscribes to `stop` and ignores its completion or
  /// failure. Cancelling the stream cancels that subscription but doesn't complete the subject.
  ///
  /// - Parameter stop: The publisher whose first value completes the subject.
  /// - Returns: A publisher of the subject's values.
  /// - Complexity: O(1) for each value.
  public func finish<Stop: Publisher>(when stop: Stop) -> some Publisher<Output, Failure> {
    Deferred {
      let stopping = stop.prefix(1).sink(isolation: nil) { _ in
      } receiveValue: { _ in
        self.send(completion: .finished)
      }
      return self.handleEvents(
        receiveCompletion: { _ in stopping.cancel() }, receiveCancel: { stopping.cancel() })
    }
  }
}

// Unchecked: the locks of `senders` and of `values` protect all state.
extension BoundedSubject: @unchecked Sendable where Output: Sendable {}

/// Passes on the values sent after downstream had subscribed and, if it's the first subscriber, the kept values.
private struct BoundedSubscriber<Downstream: Subscriber>: Subscriber {
  let downstream: Downstream
  let subject: BoundedSubject<Downstream.Input, Downstream.Failure>
  let credit: BoundedSubscription

  init(_ downstream: Downstream, of subject: BoundedSubject<Downstream.Input, Downstream.Failure>) {
    self.downstream = downstream
    self.subject = subject
    credit = BoundedSubscription(subject.senders, of: subject)
  }

  var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

  func receive(subscription: any Subscription) {
    var kept = Ring<BoundedSubject<Downstream.Input, Downstream.Failure>.KeptValue>()
    guard credit.connect(subscription, { kept = subject.kept.takeAll() }) else { return }
    // The request is unlimited because the credit limits how many values are sent.
    subscription.request(.unlimited)
    downstream.receive(subscription: credit)
    // Until this method returns, values sent on other threads wait in the subject.
    while let (value, context) = kept.popFirst() { ContextSnapshot.run(context) { _ = downstream.receive(value) } }
  }

  func receive(_ input: (number: Int, value: Downstream.Input)) -> Subscribers.Demand {
    if credit.covers(input.number) { _ = downstream.receive(input.value) }
    return .none
  }

  func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    credit.end()
    downstream.receive(completion: completion)
  }
}

extension BoundedSubscriber: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole {
    .links("BoundedSubject", to: Downstream.self)
  }
}

/// A bounded subject's subscription, which counts how many values its subscriber has room for.
final class BoundedSubscription: Subscription, InspectedPart {
  // Exclusive: accessed only under the lock of `senders`.
  /// The number of values that the subscriber has room for. It's negative until the subscriber has requested the values kept
  /// for it.
  @exclusivity(unchecked) var room = 0
  /// The number of the first value that was sent after the subscriber had subscribed.
  private let first = Atomic(Int.max)
  private let senders: WaitingSenders
  private let link = UpstreamLink()
  /// The subject, which its subscriptions retain until they end.
  private let owner: AnyObject

  init(_ senders: WaitingSenders, of owner: AnyObject) {
    self.senders = senders
    self.owner = owner
  }

  /// Connects the subscriber to the subject's values. For the first subscriber, a closure takes over the kept values.
  func connect(_ subscription: any Subscription, _ takeOver: () -> Void) -> Bool {
    guard link.connect(subscription) else { return false }
    first.store(senders.join(self, takeOver), ordering: .relaxed)
    return true
  }

  /// Indicates whether a value was sent after the subscriber had subscribed.
  func covers(_ number: Int) -> Bool { number >= first.load(ordering: .relaxed) }

  /// Reports how many values there's room for. Called when the stream is inspected.
  package func inspect(_ tell: StreamFact.Tell) {
    tell(.demand, max(0, senders.room(of: self)), nil)
    tell(.waiting, senders.count, nil)
    tell(.upstream, 0, link)
  }

  func request(_ demand: Subscribers.Demand) {
    if let count = demand.max { senders.change { _ in room += count } }
  }

  func cancel() {
    senders.change { $0.leave(self) }
    link.cancel()
  }

  func end() {
    link.finish()
    senders.change { $0.leave(self) }
  }
}

/// The senders that wait until all of a bounded subject's subscribers have room, or until the first subscriber arrives.
// Unchecked: all state is protected by the lock.
final class WaitingSenders: @unchecked Sendable {
  enum Outcome: Equatable {
    /// The value is sent under this number.
    case accepted(Int)
    /// The value is kept for the first subscriber.
    case kept
    case waits
    /// The value came after the completion.
    case late
    /// The sender was cancelled while it waited.
    case cancelled
  }

  // Unchecked: as above.
  private final class Sender: @unchecked Sendable {
    // Exclusive: accessed only under the lock of the senders.
    @exclusivity(unchecked) var continuation: UnsafeContinuation<Outcome, Never>?
    @exclusivity(unchecked) var isCancelled = false
  }

  struct State {
    fileprivate var subscribers: [BoundedSubscription] = []
    /// The number of further values that can be kept for the first subscriber, or `nil` once it has subscribed.
    fileprivate var firstRoom: Int?
    /// The number of values that have been accepted since the first subscriber joined.
    fileprivate var count = 0
    fileprivate var isOver = false
    /// The number of accepted values that haven't been sent on yet.
    fileprivate var inFlight = 0

    mutating func leave(_ credit: BoundedSubscription) { subscribers.removeAll { $0 === credit } }

    /// Reserves room for a value for every subscriber, or in the subject before the first subscriber arrives. Returns the
    /// outcome for the value.
    fileprivate mutating func take() -> Outcome {
      if isOver { return .late }
      if let room = firstRoom {
        guard room > 0 else { return .waits }
        firstRoom = room - 1
        return .kept
      }
      guard subscribers.allSatisfy({ $0.room > 0 }) else { return .waits }
      for subscriber in subscribers { subscriber.room -= 1 }
      inFlight += 1
      defer { count += 1 }
      return .accepted(count)
    }
  }

  // Exclusive: accessed only under the lock, which is never held while unknown code runs.
  @exclusivity(unchecked) private var queue = Ring<Sender>()

  private let state: Locked<State>
  private let room: Int

  /// - Parameter room: The number of values to keep for the first subscriber.
  init(room: Int) {
    self.room = room
    state = Locked(State(firstRoom: room))
  }

  /// Returns the outcome for a value from a sender that isn't waiting yet. If the value is kept, a closure stores it under the
  /// lock.
  func enter(_ keep: () -> Void) -> Outcome {
    state.withLock { state in
      let outcome = outcome(&state)
      if outcome == .kept { keep() }
      return outcome
    }
  }

  /// Returns the outcome for a value whose sender isn't waiting yet. Such a value doesn't overtake the values of waiting
  /// senders. Called under the lock.
  private func outcome(_ state: inout State) -> Outcome {
    queue.isEmpty || state.isOver ? state.take() : .waits
  }

  /// Adds a subscriber and returns the number of the first value that it will receive. For the first subscriber, a closure
  /// takes over the kept values under the lock.
  func join(_ credit: BoundedSubscription, _ takeOver: () -> Void) -> Int {
    state.withLock { state in
      if let left = state.firstRoom.take() {
        credit.room = left - room
        takeOver()
      }
      if !state.isOver { state.subscribers.append(credit) }
      return state.count
    }
  }

  var count: Int { state.withLock { _ in queue.count } }

  /// Returns the number of values that a subscriber has room for.
  func room(of credit: BoundedSubscription) -> Int { state.withLock { _ in credit.room } }

  /// Changes how much room subscribers have, and lets senders continue if there's now room for their values.
  func change(_ change: (inout State) -> Void) {
    let released = state.withLock { state in
      change(&state)
      var released: [(UnsafeContinuation<Outcome, Never>, Outcome)] = []
      while !queue.isEmpty {
        let outcome = state.take()
        if outcome == .waits { break }
        if let continuation = queue.removeExistingFirst().continuation.take() {
          released.append((continuation, outcome))
        }
      }
      return released
    }
    for (continuation, outcome) in released { continuation.resume(returning: outcome) }
  }

  /// Records that an accepted value has been sent on. Returns whether it was the last value and the caller must now send the
  /// completion.
  func hasPassed() -> Bool {
    state.withLock { state in
      state.inFlight -= 1
      return state.isOver && state.inFlight == 0
    }
  }

  /// Closes the subject. All waiting senders continue with the outcome `late`. Returns whether the caller must now send the
  /// completion.
  func close() -> Bool {
    // Released outside the lock.
    var subscribers: [BoundedSubscription] = []
    var isFirst = false
    var isIdle = false
    change { state in
      isFirst = !state.isOver
      isIdle = state.inFlight == 0
      state.isOver = true
      swap(&state.subscribers, &subscribers)
    }
    return isFirst && isIdle
  }

  /// Waits until there's room for a value, and returns the outcome for it. The outcome is never `kept`, because no room becomes
  /// free before the first subscriber joins.
  nonisolated(nonsending)
    func wait(for subject: PassthroughSubject<some Any, some Error>) async -> Outcome
  {
    let sender = Sender()
    if areUnheard { subject.noteUnheard(self) }
    return await withTaskCancellationHandler {
      await withUnsafeContinuation { begin(sender, $0) }
    } onCancel: {
      cancel(sender)
    }
  }

  /// Indicates whether there has been no subscriber yet.
  var areUnheard: Bool { state.withLock { $0.firstRoom != nil } }

  private func begin(_ sender: Sender, _ continuation: UnsafeContinuation<Outcome, Never>) {
    let outcome: Outcome = state.withLock { state in
      if sender.isCancelled { return .cancelled }
      let outcome = self.outcome(&state)
      if outcome == .waits {
        sender.continuation = continuation
        queue.append(sender)
      }
      return outcome
    }
    if outcome != .waits { continuation.resume(returning: outcome) }
  }

  private func cancel(_ sender: Sender) {
    let continuation: UnsafeContinuation<Outcome, Never>? = state.withLock { _ in
      sender.isCancelled = true
      if let index = (0..<queue.count).first(where: { queue[$0] === sender }) { _ = queue.remove(at: index) }
      return sender.continuation.take()
    }
    continuation?.resume(returning: .cancelled)
  }
}

extension WaitingSenders: InspectedPart {
  /// Reports how many senders are waiting for a first subscriber.
  package func inspect(_ tell: StreamFact.Tell) {
    tell(.waiting, state.withLock { $0.firstRoom == nil ? 0 : queue.count }, nil)
  }
}
