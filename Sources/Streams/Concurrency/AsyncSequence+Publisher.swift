extension AsyncSequence where Self: Sendable {
  /// A publisher that sends the elements of this asynchronous sequence.
  ///
  ///     numbers.publisher.map { $0 * 2 }.sink { print($0) }
  ///
  /// Everything else is said with ``Publishers/AsyncSequence``.
  @inlinable
  public var publisher: Publishers.AsyncSequence<Self> { Publishers.AsyncSequence(sequence: self) }

  /// A publisher that sends the elements of this asynchronous sequence, from tasks that run on a scheduler: on its timeline if
  /// it is a test scheduler, else on the threads of the process.
  ///
  ///     numbers.publisher(on: scheduler).debounce(for: 1, scheduler: scheduler).sink { print($0) }
  ///
  /// A queue does not become the place of delivery by this; `receive(on:)` does that.
  @inlinable
  public func publisher<S: Scheduler>(on scheduler: S) -> Publishers.AsyncSequence<Self> {
    Publishers.AsyncSequence(sequence: self, executorPreference: scheduler.taskExecutor)
  }

  /// A publisher that sends the elements of this asynchronous sequence, from tasks that prefer an executor.
  @inlinable
  public func publisher(executorPreference executor: (any TaskExecutor)?) -> Publishers.AsyncSequence<Self> {
    Publishers.AsyncSequence(sequence: self, executorPreference: executor)
  }
}

extension Publishers {
  /// A publisher that sends the elements of an asynchronous sequence.
  ///
  /// Each subscriber has an iterator and a task of its own. The task begins when something is asked for, and takes an element
  /// from the sequence only when there is demand for it; so the end is known when one more element is asked for than there
  /// are. After the last element comes the completion, or what the sequence throws as the failure.
  ///
  /// Values are delivered by the task, one after the other: on the executor that was given, else on the timeline that the
  /// thread of the first request is moving on, else on the threads of the process.
  ///
  /// Cancelling cancels the task and lets go of the subscriber at once. Nothing is delivered afterwards, and an element that
  /// the sequence then still returns is dropped.
  ///
  /// The sequence has to be `Sendable`, because a publisher may have several subscribers, whose tasks iterate at the same time.
  /// A sequence with one consumer, such as an `AsyncStream`, gives each element to one of them; `share()` gives it to all.
  @frozen
  public struct AsyncSequence<Elements: _Concurrency.AsyncSequence & Sendable>: Publisher, Sendable {
    /// The kind of values this publisher sends.
    public typealias Output = Elements.Element

    /// The kind of errors that the sequence may throw; `Never` for one that throws none.
    public typealias Failure = Elements.Failure

    /// The sequence whose elements are sent.
    public let sequence: Elements

    /// What runs the tasks, if that was said.
    public let executorPreference: (any TaskExecutor)?

    /// Makes a publisher of the elements of an asynchronous sequence.
    @inlinable
    public init(sequence: Elements, executorPreference: (any TaskExecutor)? = nil) {
      self.sequence = sequence
      self.executorPreference = executorPreference
    }

    /// Attaches a subscriber.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      subscriber.vouchForUpstream()
      let source = AsyncSequenceSource(sequence, subscriber, executorPreference)
      subscriber.receive(subscription: source)
      source.begin()
    }
  }
}

/// Iterates over an asynchronous sequence for one subscriber.
@usableFromInline @_fixed_layout
final class AsyncSequenceSource<Elements: AsyncSequence, Downstream: Subscriber>: TaskPump, @unchecked Sendable
where Downstream.Input == Elements.Element, Downstream.Failure == Elements.Failure {
  // Unchecked, as in `TaskPump`.
  // Exclusive: these belong to the task during a delivery, and to whoever ends this; the phase says which.
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
    guard beginDelivery() else { return }
    guard var iterator = elements.take()?.makeAsyncIterator() else { return }
    guard endDelivery() else { return }
    do throws(Elements.Failure) {
      while var demand = await nextBatch() {
        while !isOver, demand.spend() {
          guard let element = try await iterator.next(isolation: nil) else { return end(.finished) }
          guard beginDelivery() else { return }
          if let more = downstream?.receive(element) { demand += more }
          guard endDelivery() else { return }
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
    letGo()
  }

  @usableFromInline
  override func letGo() {
    let (elements, downstream) = (elements.take(), downstream.take())
    _ = (elements, downstream)
  }
}
