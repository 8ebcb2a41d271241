public import Streams

extension Publisher {
  /// Calls closures with each value and the completion, passing an owner that isn't retained.
  ///
  ///     answers.sink(with: self) { model, completion in
  ///       model.isLoading = false
  ///     } receiveValue: { model, answer in
  ///       model.answer = answer
  ///     }
  ///     .store(in: &cancellables)
  ///
  /// Use it when an object stores the cancellable for a stream that changes that object. A closure that captured the object
  /// would keep it alive as long as the stream. Here, the closures receive the object as an argument, and it's retained only
  /// while they run. After the owner has been released, the closures aren't called, and the next value cancels the stream.
  ///
  /// The sink requests unlimited demand. The closures belong to the actor on which you create the sink, as they do with
  /// ``/Streams/Publisher/sink(isolation:receiveCompletion:receiveValue:)``. If the owner is an actor, they're isolated to that
  /// actor.
  ///
  /// - Parameters:
  ///   - owner: The object that the closures receive. It isn't retained.
  ///   - isolation: The actor that the closures belong to. Defaults to the caller's.
  ///   - receiveCompletion: A closure that is called with the owner and the completion.
  ///   - receiveValue: A closure that is called with the owner and each value.
  /// - Returns: A cancellable that keeps the stream alive. Releasing it cancels the stream.
  /// - Complexity: O(1) for each value, which includes two accesses to a weak reference.
  @_disfavoredOverload
  public func sink<Owner: AnyObject>(
    with owner: Owner, isolation: isolated (any Actor)? = #isolation,
    receiveCompletion: @escaping (Owner, Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping (Owner, Output) -> Void
  ) -> AnyCancellable {
    ending(with: owner).sink(isolation: isolation) { [weak owner] completion in
      if let owner { receiveCompletion(owner, completion) }
    } receiveValue: { [weak owner] value in
      if let owner { receiveValue(owner, value) }
    }
  }

  /// Calls closures isolated to an actor with each value and with the completion, without retaining the actor.
  ///
  ///     prices.sink(with: account) { account, _ in account.close() } receiveValue: { account, price in
  ///       account.price = price
  ///     }
  ///
  /// The sink requests unlimited demand and delivers values like `receive(on: account)`. After the actor has been released, the
  /// closures aren't called. To limit the number of values waiting for the actor, put `receive(on: account, bounded:whenFull:)`
  /// before the sink.
  ///
  /// - Parameters:
  ///   - owner: The actor that the closures receive and belong to. It isn't retained.
  ///   - receiveCompletion: A closure that is called with the actor and the completion.
  ///   - receiveValue: A closure that is called with the actor and each value.
  /// - Returns: A cancellable that keeps the stream alive. Releasing it cancels the stream.
  /// - Complexity: O(1) for each value, plus a job on the actor for each value that arrives elsewhere.
  @_disfavoredOverload
  public func sink<Owner: Actor>(
    with owner: Owner,
    receiveCompletion: @escaping (isolated Owner, Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping (isolated Owner, Output) -> Void
  ) -> AnyCancellable {
    receive(on: owner).sink(isolation: nil) { [weak owner] completion in
      owner?.receive(completion, receiveCompletion)
    } receiveValue: { [weak owner] value in
      owner?.receive(value, receiveValue)
    }
  }

  private func ending(with owner: some AnyObject) -> EndingWithOwner<Self> {
    EndingWithOwner(upstream: self, owner: owner)
  }
}

extension Publisher where Failure == Never {
  /// Calls a closure with an owner and each value from a publisher that can't fail, without retaining the owner.
  ///
  ///     $query.debounce(for: .milliseconds(300), scheduler: scheduler)
  ///       .sink(with: self) { model, query in model.refresh(query) }
  ///       .store(in: &cancellables)
  ///
  /// Otherwise, it's like ``sink(with:isolation:receiveCompletion:receiveValue:)``.
  @_disfavoredOverload
  public func sink<Owner: AnyObject>(
    with owner: Owner, isolation: isolated (any Actor)? = #isolation,
    receiveValue: @escaping (Owner, Output) -> Void
  ) -> AnyCancellable {
    ending(with: owner).sink(isolation: isolation) { [weak owner] value in
      if let owner { receiveValue(owner, value) }
    }
  }

  /// Calls a closure isolated to an actor with each value from a publisher that can't fail, like
  /// ``sink(with:receiveCompletion:receiveValue:)``.
  @_disfavoredOverload
  public func sink<Owner: Actor>(
    with owner: Owner, receiveValue: @escaping (isolated Owner, Output) -> Void
  ) -> AnyCancellable {
    receive(on: owner).sink(isolation: nil) { [weak owner] value in owner?.receive(value, receiveValue) }
  }
}

extension Actor {
  /// Calls a closure isolated to this actor. The caller must be on the actor.
  fileprivate nonisolated func receive<Signal>(_ signal: Signal, _ closure: @escaping (isolated Self, Signal) -> Void) {
    // Unchecked: the caller is on the actor, which `assumeIsolated` verifies, so the signal and the closure don't leave it.
    nonisolated(unsafe) let (signal, closure) = (signal, closure)
    assumeIsolated { closure($0, signal) }
  }
}

/// Ends the stream when the first value arrives after the owner has been released.
private struct EndingWithOwner<Upstream: Publisher>: Publisher {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure

  let upstream: Upstream
  weak var owner: AnyObject?

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(StageSubscriber<_, Failure, _>(OwnerStage(owner: owner), subscriber))
  }
}

private struct OwnerStage<Input>: Stage {
  /// Empty, because a stream's tree doesn't show this part of the sink.
  static var name: String { "" }

  weak var owner: AnyObject?

  func receive(_ input: Input) throws(Never) -> Verdict<Input> { owner == nil ? .finish : .emit(input) }
}
