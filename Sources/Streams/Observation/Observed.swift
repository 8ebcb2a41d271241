internal import Observation

/// A publisher of what a closure reads from observable models: the present value, then a new one after each change.
///
///     @Observable @MainActor final class SearchModel {
///       var query = ""
///     }
///
///     Observed { model.query }
///       .debounce(for: .milliseconds(300), scheduler: DispatchQueue.main)
///       .sink { search($0) }
///
/// The closure is called on the actor on which the publisher is made, once for each subscription, and again after a
/// transaction in which something has changed that it read. A transaction is what runs on the actor without leaving it: however
/// many properties change in it, one value follows. A value that equals the one before is sent too; `removeDuplicates()` drops
/// it. The publisher never finishes and cannot fail.
///
/// A subscriber that asks for so many values gets the newest when it asks; those in between are lost to it. After a
/// cancellation the closure is not called again, and is released. Values are sent on the actor. In a virtual world the closure
/// is called when time is moved on, also by no distance. Models that belong to no actor are read wherever the job runs, and have
/// to permit that.
///
/// Each transaction costs a job of the actor, and a registration for each property that the closure reads.
public struct Observed<Value>: Publisher {
  /// The kind of values this publisher sends.
  public typealias Output = Value

  /// This publisher cannot fail.
  public typealias Failure = Never

  private let read: () -> Value
  private let place: ObservedPlace

  /// Makes a publisher of what a closure reads on an actor.
  ///
  /// - Parameters:
  ///   - isolation: The actor that the models belong to; that of the caller.
  ///   - read: Reads properties of models, and makes a value of them.
  public init(isolation: isolated (any Actor)? = #isolation, _ read: @escaping () -> Value) {
    self.read = read
    place = isolation.map { .actor($0) } ?? .anywhere
  }

  /// Makes a publisher of what a closure reads on a scheduler.
  ///
  /// The closure is called at once for a new subscription, and on the scheduler after a change. A test scheduler then decides
  /// when, without a virtual world.
  ///
  /// - Parameters:
  ///   - scheduler: Runs the closure, one action after the first change of those that the closure has read.
  ///   - read: Reads properties of models, and makes a value of them.
  public init<S: Scheduler>(on scheduler: S, _ read: @escaping () -> Value) {
    self.read = read
    place = .scheduler { scheduler.schedule($0) }
  }

  /// Attaches a subscriber.
  ///
  /// - Parameter subscriber: The subscriber to attach.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
    let source = ObservedSource(read, place)
    guard case .actor(let actor) = place else { return source.begin(subscriber) }
    // Unchecked: the subscriber is handed over to the actor, where it receives everything.
    nonisolated(unsafe) let begin = { source.begin(subscriber) }
    ActorHop.run(on: actor) { begin() }
  }
}

/// Where models are read.
private enum ObservedPlace {
  case actor(any Actor)
  case scheduler((@escaping () -> Void) -> Void)
  case anywhere

  /// Runs work there when the present transaction is over.
  func enqueue(_ work: @escaping @Sendable () -> Void) {
    switch self {
    case .actor(let actor): ActorHop.enqueue(on: actor, work)
    case .scheduler(let schedule): schedule(work)
    case .anywhere: Task(executorPreference: Surroundings.taskExecutor) { work() }
    }
  }
}

/// Reads the models for one subscriber, again after each change.
///
/// It is the upstream of the broadcast that keeps the newest value for the subscriber, and lives as long as that; what waits for
/// a change does not keep it.
private final class ObservedSource<Value>: Locked<ObservedPhase>, Subscription, @unchecked Sendable {
  // `Sendable` is unchecked because of the closure, which is called where the models belong, one call after the other, and
  // because of the weak reference, which is set before anybody else has this.
  private let read: () -> Value
  private let place: ObservedPlace
  private weak var broadcast: Broadcast<Value, Never>?

  init(_ read: @escaping () -> Value, _ place: ObservedPlace) {
    self.read = read
    self.place = place
    super.init(.reading)
  }

  /// Reads the first value and attaches the subscriber.
  func begin<S: Subscriber>(_ subscriber: S) where S.Input == Value, S.Failure == Never {
    let broadcast = Broadcast<Value, Never>(current: track())
    self.broadcast = broadcast
    broadcast.attach(self)
    broadcast.subscribe(subscriber)
    endReading()
  }

  private func track() -> Value {
    withObservationTracking(read) { [weak self] in self?.willChange() }
  }

  /// Takes note of a change that is about to happen; the value is read when the transaction is over.
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
    guard reads, let broadcast else { return }
    broadcast.sendNewest(track())
    endReading()
  }

  /// Rests until there is a change, or reads again if there has been one meanwhile.
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
  /// Nothing has changed since the models were read.
  case resting
  /// Something has changed, and a job is on its way that reads.
  case enqueued
  /// The models are being read, or the value is being sent.
  case reading
  /// Something has changed meanwhile.
  case readingStale
  case over
}
