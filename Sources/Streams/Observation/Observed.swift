internal import Observation

/// A publisher of a value that a closure computes from observable models: the current value, then a new value after each
/// change.
///
///     @Observable @MainActor final class SearchModel {
///       var query = ""
///     }
///
///     Observed { model.query }
///       .debounce(for: .milliseconds(300), scheduler: DispatchQueue.main)
///       .sink { search($0) }
///
/// The closure is called on the actor on which the publisher is created: once for each subscription, and again after each
/// transaction that changes a property that the closure has read. A transaction is a piece of work that runs on the actor
/// without suspension: one value follows it, regardless of the number of properties that it changes. A value that equals
/// the previous one is published as well; `removeDuplicates()` drops it. The publisher never finishes and cannot fail.
///
/// A model that stores the cancellable of a stream that observes itself is released only if the closure does not retain
/// it: ``init(of:isolation:_:)`` passes the model to the closure, as in `Observed(of: self) { $0.query }`.
///
/// A subscriber with limited demand receives the latest value when it requests one; it does not receive the values in
/// between. Values are sent on the actor. After cancellation, the closure is not called again, and is released. In a
/// virtual world, the closure is called when time advances, even by zero. Models that belong to no actor may be read on any
/// thread, and must permit that.
///
/// No change is missed if all changes are made where the closure is called: on the actor, or in actions of the serial
/// scheduler. A change that is made elsewhere while the models are read can be missed: its value is not published until
/// another property that the closure has read changes, or the same one again. This concerns models without an actor, and
/// models that belong to another isolation than their scheduler. The cause is observation itself, which announces a change
/// before it is made and forgets one that is made before the registration is complete: a closure that is called between the
/// announcement and the change reads the old value, and nothing announces the change again.
/// A scheduler that runs actions immediately calls it there every time.
///
/// Each transaction costs a job of the actor, and a registration for each property that the closure reads.
public struct Observed<Value>: Publisher {
  public typealias Output = Value
  public typealias Failure = Never

  private let read: ObservedSource<Value>.Read
  private let place: ObservedPlace

  /// Creates a publisher of a value that a closure computes on an actor.
  ///
  /// - Parameters:
  ///   - isolation: The actor to which the models belong; the caller's by default.
  ///   - read: A closure that reads properties of models and returns a value.
  public init(isolation: isolated (any Actor)? = #isolation, _ read: @escaping () -> Value) {
    self.read = read
    place = isolation.map { .actor($0) } ?? .anywhere
  }

  /// Creates a publisher of a value that a closure computes on a scheduler.
  ///
  /// The closure is called immediately for a new subscription, and on the scheduler after a change. A test scheduler
  /// therefore determines the time of the call, without a virtual world.
  ///
  /// - Parameters:
  ///   - scheduler: The scheduler that runs the closure, in an action scheduled after the first change of a property that
  ///     the closure has read.
  ///   - read: A closure that reads properties of models and returns a value.
  public init<S: Scheduler>(on scheduler: S, _ read: @escaping () -> Value) {
    self.read = read
    place = .scheduler { scheduler.schedule($0) }
  }

  /// Creates a publisher of a value that a closure computes from one model, which the publisher does not retain.
  ///
  ///     @Observable @MainActor final class SearchModel {
  ///       var query = ""
  ///       var results: [String] = []
  ///       @ObservationIgnored private var cancellables: Set<AnyCancellable> = []
  ///
  ///       init(search: @escaping (String) -> AnyPublisher<[String], Never>) {
  ///         Observed(of: self) { $0.query }
  ///           .flatMapLatest(search)
  ///           .sink(with: self) { $0.results = $1 }
  ///           .store(in: &cancellables)
  ///       }
  ///     }
  ///
  /// When the model has been released, the closure is not called any more. A subscription after that finishes without a
  /// value.
  ///
  /// - Parameters:
  ///   - model: The model that the closure receives. It is not retained.
  ///   - isolation: The actor to which the model belongs; the caller's by default.
  ///   - read: A closure that reads properties of the model and returns a value.
  public init<Model: AnyObject>(
    of model: Model, isolation: isolated (any Actor)? = #isolation, _ read: @escaping (Model) -> Value
  ) {
    self.read = { [weak model] in model.map(read) }
    place = isolation.map { .actor($0) } ?? .anywhere
  }

  /// Creates a publisher of a value that a closure computes from one model on a scheduler, and which does not retain the
  /// model.
  ///
  /// - Parameters:
  ///   - model: The model that the closure receives. It is not retained.
  ///   - scheduler: The scheduler that runs the closure after a change.
  ///   - read: A closure that reads properties of the model and returns a value.
  public init<Model: AnyObject, S: Scheduler>(
    of model: Model, on scheduler: S, _ read: @escaping (Model) -> Value
  ) {
    self.read = { [weak model] in model.map(read) }
    place = .scheduler { scheduler.schedule($0) }
  }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
    let source = ObservedSource(read, place)
    guard case .actor(let actor) = place else { return source.begin(subscriber) }
    // Unchecked: the subscriber is handed over to the actor, where it receives all signals.
    nonisolated(unsafe) let begin = { source.begin(subscriber) }
    ActorHop.run(on: actor, for: "Observed") { begin() }
  }
}

/// The place where models are read.
private enum ObservedPlace {
  case actor(any Actor)
  case scheduler((@escaping () -> Void) -> Void)
  case anywhere

  /// Runs work at this place after the current transaction.
  func enqueue(_ work: @escaping @Sendable () -> Void) {
    switch self {
    case .actor(let actor): ActorHop.enqueue(on: actor, for: "Observed", work)
    case .scheduler(let schedule): schedule(ContextSnapshot.following(work))
    case .anywhere: NamedTask.start("Observed") { work() }
    }
  }
}

/// The source that reads the models for one subscriber, and again after each change.
///
/// It is the upstream of the broadcast that stores the latest value for the subscriber, and lives as long as the broadcast;
/// the registration for a change does not retain it.
private final class ObservedSource<Value>: Locked<ObservedPhase>, Subscription, @unchecked Sendable {
  // `Sendable` is unchecked because of the closure, which is called at the place of the models, one call after another, and
  // because of the weak reference, which is set before any other code has a reference to this object.
  /// Reads the models. Returns `nil` if they no longer exist.
  typealias Read = () -> Value?

  private let read: Read
  private let place: ObservedPlace
  private weak var broadcast: Broadcast<Value, Never>?

  init(_ read: @escaping Read, _ place: ObservedPlace) {
    self.read = read
    self.place = place
    super.init(.reading)
  }

  /// Reads the first value and attaches the subscriber.
  func begin<S: Subscriber>(_ subscriber: S) where S.Input == Value, S.Failure == Never {
    guard let first = track() else { return subscriber.receiveOnly(.finished) }
    let broadcast = Broadcast<Value, Never>(current: first)
    self.broadcast = broadcast
    broadcast.attach(self)
    broadcast.subscribe(subscriber)
    endReading()
  }

  private func track() -> Value? {
    withObservationTracking(read) { [weak self] in self?.willChange() }
  }

  /// Records a change that is about to happen; the value is read after the transaction.
  private func willChange() {
    let enqueues = withLock { phase in
      switch phase {
      case .resting:
        phase = .enqueued
        return true
      case .reading: phase = .readingStale
      case .enqueued, .readingStale, .over: break
      }
      return false
    }
    if enqueues { enqueue() }
  }

  private func enqueue() {
    place.enqueue { [weak self] in self?.readAgain() }
  }

  private func readAgain() {
    let reads = withLock { phase in
      guard phase == .enqueued else { return false }
      phase = .reading
      return true
    }
    guard reads, let broadcast, let value = track() else { return }
    broadcast.sendNewest(value)
    endReading()
  }

  /// Waits for a change, or reads again if one has happened since the models were read.
  private func endReading() {
    let enqueues = withLock { phase in
      switch phase {
      case .reading: phase = .resting
      case .readingStale:
        phase = .enqueued
        return true
      case .resting, .enqueued, .over: break
      }
      return false
    }
    if enqueues { enqueue() }
  }

  func request(_ demand: Subscribers.Demand) {}

  func cancel() { withLock { $0 = .over } }
}

private enum ObservedPhase {
  /// The models have not changed since they were read.
  case resting
  /// The models have changed, and a job that reads them is enqueued.
  case enqueued
  /// The models are being read, or the value is being sent.
  case reading
  /// The models have changed while they were being read or the value was being sent.
  case readingStale
  case over
}
