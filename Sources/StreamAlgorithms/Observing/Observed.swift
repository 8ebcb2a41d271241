internal import Observation
public import Streams

/// A publisher of a value that a closure computes from observable models.
///
/// It sends the current value, then a new value after each change.
///
///     @Observable @MainActor final class SearchModel {
///       var query = ""
///     }
///
///     Observed { model.query }
///       .debounce(for: .milliseconds(300), scheduler: DispatchQueue.main)
///       .sink { search($0) }
///
/// The closure runs on the actor on which you create the publisher. It runs once for each subscription, and again after each
/// transaction that changes a property it has read. A transaction is a piece of work that runs on the actor without suspension.
/// A value that equals the previous one is published as well. Use `removeDuplicates()` to drop it. The publisher can't fail,
/// and never finishes except as described for ``init(of:isolation:_:)``.
///
/// If a model observes itself and stores the cancellable, the model is released only if the closure doesn't retain it. Use
/// ``init(of:isolation:_:)``, which passes the model to the closure, as in `Observed(of: self) { $0.query }`.
///
/// A subscriber with limited demand receives only the latest value when it requests one. A value is delivered on the actor or,
/// if it had to wait, on the thread that requests it. After cancellation, the closure is released and never runs again. In a
/// virtual world, the closure runs when time advances, even by zero. If your models don't belong to an actor, the closure can
/// read them on any thread, so they must be safe to read there.
///
/// You don't miss a change if all changes happen where the closure runs: on the actor, or in actions of a serial scheduler. A
/// change that happens elsewhere while the models are being read can be missed. The new value isn't published until a property
/// that the closure has read changes again. The cause lies in the Observation framework, which announces a change before it
/// happens and loses a change that happens before the registration is complete. With a scheduler that runs actions immediately,
/// the closure runs before the change, so every change is missed.
///
/// Each transaction costs a job on the actor, plus a registration for each property that the closure reads.
public struct Observed<Value>: Publisher {
  public typealias Output = Value
  public typealias Failure = Never

  private let read: ObservedSource<Value>.Read
  private let place: ObservedPlace

  /// Creates a publisher of a value that a closure computes on an actor.
  ///
  /// - Parameters:
  ///   - isolation: The actor that the models belong to. Defaults to the caller's.
  ///   - read: A closure that reads properties of models and returns a value.
  public init(isolation: isolated (any Actor)? = #isolation, _ read: @escaping () -> Value) {
    self.read = read
    place = isolation.map { .actor($0) } ?? .anywhere
  }

  /// Creates a publisher of a value that a closure computes on a scheduler.
  ///
  /// The closure runs immediately for a new subscription, and on the scheduler after a change. So a test scheduler
  /// determines when the closure runs, without a virtual world.
  ///
  /// - Parameters:
  ///   - scheduler: The scheduler that runs the closure again, in an action scheduled when a property that the closure has read
  ///     first changes.
  ///   - read: A closure that reads properties of models and returns a value.
  public init<S: Scheduler>(on scheduler: S, _ read: @escaping () -> Value) {
    self.read = read
    place = .scheduler { scheduler.schedule($0) }
  }

  /// Creates a publisher of a value that a closure computes from one model, without retaining the model.
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
  /// After the model has been released, the closure isn't called anymore. If you subscribe then, the publisher finishes without
  /// a value.
  ///
  /// - Parameters:
  ///   - model: The model that the closure receives. It isn't retained.
  ///   - isolation: The actor that the model belongs to. Defaults to the caller's.
  ///   - read: A closure that reads properties of the model and returns a value.
  public init<Model: AnyObject>(
    of model: Model, isolation: isolated (any Actor)? = #isolation, _ read: @escaping (Model) -> Value
  ) {
    self.read = { [weak model] in model.map(read) }
    place = isolation.map { .actor($0) } ?? .anywhere
  }

  /// Creates a publisher of a value that a closure computes from one model on a `scheduler`, like
  /// ``init(of:isolation:_:)``.
  public init<Model: AnyObject, S: Scheduler>(
    of model: Model, on scheduler: S, _ read: @escaping (Model) -> Value
  ) {
    self.read = { [weak model] in model.map(read) }
    place = .scheduler { scheduler.schedule($0) }
  }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
    let source = ObservedSource(read, place)
    guard case .actor(let actor) = place else { return source.begin(subscriber) }
    // Unchecked: the subscriber moves to the actor, where it receives all signals.
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

/// The source that reads the models for one subscriber, on subscription and after each change.
///
/// It's the upstream of the broadcast that stores the latest value for the subscriber, and lives as long as the broadcast. The
/// registration for a change doesn't retain it.
private final class ObservedSource<Value>: Subscription, @unchecked Sendable {
  // `Sendable` is unchecked for two reasons. The closure is called only where the models belong, one call after another. The
  // weak reference is set before any other code has a reference to this object.
  /// A closure that reads the models, or returns `nil` if they no longer exist.
  typealias Read = () -> Value?

  private let read: Read
  private let phase = Locked(ObservedPhase.reading)
  private let place: ObservedPlace
  private weak var broadcast: BroadcastCore?

  init(_ read: @escaping Read, _ place: ObservedPlace) {
    self.read = read
    self.place = place
  }

  /// Reads the first value and attaches the subscriber.
  func begin<S: Subscriber>(_ subscriber: S) where S.Input == Value, S.Failure == Never {
    guard let first = track() else { return subscriber.receiveOnly(.finished) }
    let broadcast = Broadcast<Value, Never>(current: first)
    self.broadcast = broadcast.core
    broadcast.addUpstream(self)
    broadcast.subscribe(subscriber)
    endReading()
  }

  private func track() -> Value? {
    withObservationTracking(read) { [weak self] in self?.willChange() }
  }

  /// Records a change that is about to happen. The value is read after the transaction.
  private func willChange() {
    let enqueues = phase.withLock { phase in
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
    let reads = phase.withLock { phase in
      guard phase == .enqueued else { return false }
      phase = .reading
      return true
    }
    guard reads, let broadcast, let value = track() else { return }
    Broadcast<Value, Never>(broadcast).send(value)
    endReading()
  }

  /// Records that the models have been read, or enqueues another read if they've changed in the meantime.
  private func endReading() {
    let enqueues = phase.withLock { phase in
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

  func cancel() { phase.withLock { $0 = .over } }
}

private enum ObservedPhase {
  /// The models haven't changed since they were read.
  case resting
  /// The models have changed, and a job that reads them is enqueued.
  case enqueued
  /// The models are being read, or the value is being sent.
  case reading
  /// The models have changed while they were being read or the value was being sent.
  case readingStale
  case over
}

extension ObservedSource: InspectedPart {
  func inspect(_ tell: StreamFact.Tell) {
    tell(.sourceName, 0, StreamFact.Box("Observed"))
    if phase.withLock({ $0 == .over }) { tell(.over, 0, nil) }
  }
}
