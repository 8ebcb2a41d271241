public import Streams

extension AsyncSequence where Self: Sendable {
  /// A publisher that sends the elements of this asynchronous sequence.
  ///
  ///     socket.lines.publisher.map { $0.uppercased() }.sink { print($0) }
  ///
  /// For demand, cancellation and threads, see ``AsyncSequencePublisher``.
  @inlinable @_disfavoredOverload
  public var publisher: AsyncSequencePublisher<Self> { AsyncSequencePublisher(sequence: self) }

  /// Creates a publisher that sends the elements of this asynchronous sequence from tasks on a scheduler.
  ///
  /// On a test scheduler, the tasks run on its timeline. Otherwise, they run as described for ``AsyncSequencePublisher``.
  ///
  ///     socket.lines.publisher(on: scheduler).debounce(for: 1, scheduler: scheduler).sink { print($0) }
  ///
  /// If the scheduler is a queue, use `receive(on:)` to deliver the values on it. For demand and cancellation, see
  /// ``AsyncSequencePublisher``.
  ///
  /// - Parameter scheduler: The scheduler whose task executor, if any, runs the tasks.
  /// - Complexity: O(1) for each value, plus the work of the sequence.
  @inlinable @_disfavoredOverload
  public func publisher<S: Scheduler>(on scheduler: S) -> AsyncSequencePublisher<Self> {
    AsyncSequencePublisher(sequence: self, executorPreference: scheduler.taskExecutor)
  }

  /// Creates a publisher that sends the elements of this asynchronous sequence from tasks that prefer an executor.
  ///
  /// - Parameter executor: The executor that the tasks prefer, or `nil` for the default described for
  ///   ``AsyncSequencePublisher``.
  /// - Complexity: O(1) for each value, plus the work of the sequence.
  @inlinable @_disfavoredOverload
  public func publisher(executorPreference executor: (any TaskExecutor)?) -> AsyncSequencePublisher<Self> {
    AsyncSequencePublisher(sequence: self, executorPreference: executor)
  }
}

/// A publisher that sends the elements of an asynchronous sequence.
///
/// Each subscriber has its own iterator and task. The task begins with the first request and takes an element from the
/// sequence only when there's demand for it. So it detects the end only when you request one more element than the sequence
/// has. The publisher then finishes. If the sequence throws an error, the publisher fails with it.
///
/// The task delivers the values one after the other. It runs on the first of these that exists: the given executor, the
/// timeline (a test's virtual time) that the first request's thread is advancing, or the global concurrent executor.
///
/// When you cancel the subscription, the task is cancelled, and the subscriber is released immediately or when the current
/// delivery ends. Nothing is delivered afterward, even if the sequence still returns an element.
///
/// The sequence must be `Sendable`, because a publisher can have several subscribers, whose tasks iterate at the same time. A
/// sequence with a single consumer, such as an `AsyncStream`, gives each element to only one subscriber. To send each element
/// to all subscribers, use `share()`.
@frozen
public struct AsyncSequencePublisher<Elements: _Concurrency.AsyncSequence & Sendable>: Publisher, Sendable {
  public typealias Output = Elements.Element

  /// The type of error that the sequence can throw, or `Never` if it can't throw.
  public typealias Failure = Elements.Failure

  @usableFromInline let sequence: Elements
  @usableFromInline let executorPreference: (any TaskExecutor)?

  @inlinable
  init(sequence: Elements, executorPreference: (any TaskExecutor)? = nil) {
    self.sequence = sequence
    self.executorPreference = executorPreference
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    subscriber.declareUpstreamSerial()
    let source = AsyncSequenceSource(sequence, subscriber, executorPreference)
    subscriber.receive(subscription: source)
    source.begin()
  }
}

/// The subscription that iterates over an asynchronous sequence for one subscriber.
@usableFromInline @_fixed_layout
final class AsyncSequenceSource<Elements: AsyncSequence, Downstream: Subscriber>: TaskDemandSource, @unchecked Sendable
where Downstream.Input == Elements.Element, Downstream.Failure == Elements.Failure {
  // Unchecked, as in `TaskDemandSource`.
  // Exclusive: these belong to the task during a delivery, and otherwise to the code that ends the stream. The state's
  // `isDelivering` determines which.
  @usableFromInline @exclusivity(unchecked) var elements: Elements?
  @usableFromInline @exclusivity(unchecked) var downstream: Downstream?

  @inlinable
  init(_ elements: Elements, _ downstream: Downstream, _ executor: (any TaskExecutor)?) {
    self.elements = elements
    self.downstream = downstream
    super.init(executor)
  }

  @inlinable
  override func run() async {
    var iterator: Elements.AsyncIterator?
    guard deliver({ iterator = elements.take()?.makeAsyncIterator() }), var iterator else { return }
    do throws(Elements.Failure) {
      while var demand = await nextBatch() {
        while !isOver, demand.spend() {
          guard let element = try await iterator.next(isolation: nil) else { return end(.finished) }
          guard deliver({ if let more = downstream?.receive(element) { demand += more } }) else { return }
        }
      }
    } catch {
      end(.failure(error))
    }
  }

  @inlinable
  func end(_ completion: Subscribers.Completion<Elements.Failure>) {
    guard finish() else { return }
    downstream?.receive(completion: completion)
    releaseSubscriber()
  }

  @usableFromInline
  override func releaseSubscriber() {
    let (elements, downstream) = (elements.take(), downstream.take())
    _ = (elements, downstream)
  }
}

extension AsyncSequenceSource: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .iterates(Elements.self, to: Downstream.self) }
}
