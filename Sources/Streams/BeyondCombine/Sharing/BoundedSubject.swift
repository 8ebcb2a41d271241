internal import Synchronization

/// A subject whose senders wait while it is full.
///
/// ```swift
/// let jobs = BoundedSubject<Job, Never>(bounded: 100)
/// let worker = Task { for await job in jobs.values { await process(job) } }
/// for try await job in socket.jobs { try await jobs.send(job) }   // reads no faster than the worker processes
/// ```
///
/// Other subjects accept every value immediately. If threads send faster than anybody delivers, values pile up without bound.
/// Here, ``send(_:)`` is asynchronous. It suspends the sender while a subscriber has as many values waiting as the bound
/// allows, for demand or for the delivery of others. The slowest subscriber decides. Waiting senders continue in the order in
/// which they began to wait. The values of one task keep their order.
///
/// Each subscriber receives the values that you send after it has subscribed, as its demand permits. Nothing is dropped.
/// Without subscribers, as in a ``PassthroughSubject``, values go nowhere and no sender waits. A completion follows the
/// values that wait. When you cancel a subscription, its waiting values are dropped. Senders that waited for it alone then
/// continue.
///
/// A bound counts the values that wait in the subject. Suppose the operator after it keeps values of its own and requests
/// unlimited demand, as `receive(on:)` does. It then takes the values out of the subject immediately. Instead, put a consumer
/// that requests values as it handles them directly after the subject: a loop over `values`, `map(maxTasks:)` or a subscriber
/// of your own.
///
/// You may send values from any task and any thread. To stop without losing any, complete the subject. Values it has accepted
/// pass, and then its streams finish. Sending takes O(1) time for each subscriber.
public final class BoundedSubject<Output, Failure: Error>: Publisher {
  /// A value with its number. From the number, a subscriber determines whether it had subscribed before.
  fileprivate typealias Numbered = (number: Int, value: Output)

  /// The maximum number of values that wait for a subscriber.
  public let bound: Int

  fileprivate let values = PassthroughSubject<Numbered, Failure>()
  fileprivate let senders = WaitingSenders()
  /// The completion, once it is known.
  private let completion = Locked<Subscribers.Completion<Failure>?>(nil)

  /// Creates a subject.
  ///
  /// - Parameter bound: The maximum number of values that wait for a subscriber. A number below one stops the program with a
  ///   message.
  public init(bounded bound: Int) {
    require(bound > 0, or: "BoundedSubject(bounded:) requires a bound of at least 1, got \(bound).")
    self.bound = bound
  }

  /// Waits until each subscriber has room for a value, then sends it to all of them.
  ///
  /// When this returns, the value reaches every subscriber that requests it, even if the subject is completed meanwhile. You
  /// may then acknowledge the value to its source.
  ///
  /// - Parameter value: The value to send.
  /// - Throws: A `CancellationError`, if the task is cancelled while it waits, or the subject has ended. The value has then
  ///   not been sent.
  nonisolated(nonsending)
    public func send(_ value: Output) async throws(CancellationError)
  {
    var outcome = senders.enter()
    if outcome == .waits { outcome = await senders.wait() }
    switch outcome {
    case .accepted(let number): pass((number, value))
    case .late, .cancelled, .waits: throw CancellationError()
    }
  }

  /// Sends a value to all subscribers if each has room for it, and no sender waits.
  ///
  /// - Parameter value: The value to send.
  /// - Returns: Whether the value was sent.
  public func offer(_ value: Output) -> Bool {
    guard case .accepted(let number) = senders.enter() else { return false }
    pass((number, value))
    return true
  }

  private func pass(_ value: Numbered) {
    values.send(value)
    if senders.hasPassed(), let completion = completion.withLock({ $0 }) { values.send(completion: completion) }
  }

  /// Ends the subject.
  ///
  /// Subscribers receive the completion after the values that wait for them, and nothing that you send later.
  ///
  /// Senders that wait continue with a `CancellationError`. Accepted values aren't affected: if another thread is just
  /// sending one, that thread sends the completion after it.
  ///
  /// - Parameter completion: The completion to send.
  public func send(completion: Subscribers.Completion<Failure>) {
    self.completion.withLock { $0 = $0 ?? completion }
    if senders.close() { values.send(completion: completion) }
  }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    // Requests a constant number of values, and another for each that has been delivered.
    let engine = Engine.buffer(size: bound, prefetch: .keepFull, .wait)
    let outlet = engine.makeOutlet(for: subscriber)
    engine.attach(Source(subject: self), Child(engine, outlet))
  }

  /// The values of a subject, for a subscriber that requests them as it has room.
  private struct Source: Publisher {
    let subject: BoundedSubject

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      subject.values.subscribe(BoundedSubscriber(subscriber, SenderCredit(subject.senders, of: subject)))
    }
  }
}

// Unchecked: the locks of `senders` and of `values` protect all state.
extension BoundedSubject: @unchecked Sendable where Output: Sendable {}

/// Passes on the values that were sent after a subscriber had subscribed.
private struct BoundedSubscriber<Downstream: Subscriber>: Subscriber {
  let downstream: Downstream
  let credit: SenderCredit

  init(_ downstream: Downstream, _ credit: SenderCredit) {
    self.downstream = downstream
    self.credit = credit
  }

  var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

  func receive(subscription: any Subscription) {
    guard credit.connect(subscription) else { return }
    // The subject has demand for every value. The credit limits it.
    subscription.request(.unlimited)
    downstream.receive(subscription: credit)
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

/// The subscription of a subscriber of a bounded subject: the number of values for which it has room.
final class SenderCredit: Subscription {
  // Exclusive: accessed only under the lock of `senders`.
  /// The number of values for which the subscriber has room.
  @exclusivity(unchecked) var room = 0
  /// The number of the first value that was sent after the subscriber had subscribed.
  private let first = Atomic(Int.max)
  private let senders: WaitingSenders
  private let link = UpstreamLink()
  /// The subject. As with every subject, its subscriptions retain it until they end.
  private let owner: AnyObject

  init(_ senders: WaitingSenders, of owner: AnyObject) {
    self.senders = senders
    self.owner = owner
  }

  func connect(_ subscription: any Subscription) -> Bool {
    guard link.connect(subscription) else { return false }
    first.store(senders.join(self), ordering: .relaxed)
    return true
  }

  /// Indicates whether a value was sent after the subscriber had subscribed.
  func covers(_ number: Int) -> Bool { number >= first.load(ordering: .relaxed) }

  /// Reports for how many values there is room. Called when the stream is inspected.
  func inspect(_ tell: StreamFact.Tell) {
    senders.withLock { _ in tell(.demand, room, nil) }
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

/// The senders of a bounded subject that wait until each subscriber has room.
// Unchecked: all state is protected by the lock.
final class WaitingSenders: Locked<WaitingSenders.State>, @unchecked Sendable {
  /// What happens to a value.
  enum Outcome: Equatable {
    /// It is sent under this number.
    case accepted(Int)
    /// It has to wait.
    case waits
    /// It came after the completion.
    case late
    /// Its sender was cancelled while it waited.
    case cancelled
  }

  // Unchecked: as above.
  private final class Sender: @unchecked Sendable {
    // Exclusive: accessed only under the lock of the senders.
    @exclusivity(unchecked) var continuation: UnsafeContinuation<Outcome, Never>?
    @exclusivity(unchecked) var isCancelled = false
  }

  struct State {
    fileprivate var subscribers: [SenderCredit] = []
    fileprivate var count = 0
    fileprivate var isOver = false
    /// The number of accepted values that haven't been sent on yet.
    fileprivate var inFlight = 0

    mutating func leave(_ credit: SenderCredit) { subscribers.removeAll { $0 === credit } }

    /// Takes room for a value from every subscriber, if each has some. Returns the outcome for the value.
    fileprivate mutating func take() -> Outcome {
      if isOver { return .late }
      guard subscribers.allSatisfy({ $0.room > 0 }) else { return .waits }
      for subscriber in subscribers { subscriber.room -= 1 }
      inFlight += 1
      defer { count += 1 }
      return .accepted(count)
    }
  }

  // Exclusive: accessed only under the lock, which is never held while unknown code runs.
  @exclusivity(unchecked) private var queue = Ring<Sender>()

  init() { super.init(State()) }

  /// Returns the outcome for a value of a sender that doesn't wait yet.
  func enter() -> Outcome {
    withLock { outcome(&$0) }
  }

  /// Decides about a value whose sender doesn't wait yet. Such a value doesn't overtake others. Called under the lock.
  private func outcome(_ state: inout State) -> Outcome {
    queue.isEmpty || state.isOver ? state.take() : .waits
  }

  /// Adds a subscriber and returns the number of the first value that it will receive.
  func join(_ credit: SenderCredit) -> Int {
    withLock { state in
      if !state.isOver { state.subscribers.append(credit) }
      return state.count
    }
  }

  /// Changes the room of subscribers, and lets the senders continue for whose values there is room now.
  func change(_ change: (inout State) -> Void) {
    let released = withLock { state in
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

  /// Records that an accepted value has been sent on. Returns whether it was the last and the completion follows.
  func hasPassed() -> Bool {
    withLock { state in
      state.inFlight -= 1
      return state.isOver && state.inFlight == 0
    }
  }

  /// Lets all senders continue. Their values come too late. Returns whether the completion follows now, which happens once.
  func close() -> Bool {
    // Released outside the lock.
    var subscribers: [SenderCredit] = []
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

  /// Waits until there is room for a value, and returns the outcome for it.
  nonisolated(nonsending)
    func wait() async -> Outcome
  {
    let sender = Sender()
    return await withTaskCancellationHandler {
      await withUnsafeContinuation { begin(sender, $0) }
    } onCancel: {
      cancel(sender)
    }
  }

  private func begin(_ sender: Sender, _ continuation: UnsafeContinuation<Outcome, Never>) {
    let outcome: Outcome = withLock { state in
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
    let continuation: UnsafeContinuation<Outcome, Never>? = withLock { _ in
      sender.isCancelled = true
      if let index = (0..<queue.count).first(where: { queue[$0] === sender }) { _ = queue.remove(at: index) }
      return sender.continuation.take()
    }
    continuation?.resume(returning: .cancelled)
  }
}
