extension Publisher {
  /// Calls closures with an owner and each value, and with the owner and the completion, without retaining the owner.
  ///
  ///     answers.sink(with: self) { model, completion in
  ///       model.isLoading = false
  ///     } receiveValue: { model, answer in
  ///       model.answer = answer
  ///     }
  ///     .store(in: &cancellables)
  ///
  /// For an object that stores the cancellable of a stream that changes it: a closure that captured the object would
  /// keep it alive for as long as the stream lives. Here the closures receive it as their argument, so they need not
  /// capture it, and it is retained only while they run. When the owner has been released, no closure is called any
  /// more, and the stream is cancelled at the next value.
  ///
  /// It requests unlimited demand. The closures belong to the actor on which the sink is created, as those of
  /// ``sink(isolation:receiveCompletion:receiveValue:)`` do. For an actor as the owner, they are isolated to that actor.
  ///
  /// - Parameters:
  ///   - owner: The object that the closures receive. It is not retained.
  ///   - isolation: The actor that the closures belong to; the caller's by default.
  ///   - receiveCompletion: A closure that is called with the owner and the completion.
  ///   - receiveValue: A closure that is called with the owner and each value.
  /// - Returns: A cancellable that keeps the stream alive; releasing it cancels the stream.
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

  /// Calls closures that are isolated to an actor with each value and with the completion, without retaining the actor.
  ///
  ///     prices.sink(with: account) { account, _ in account.close() } receiveValue: { account, price in
  ///       account.price = price
  ///     }
  ///
  /// It requests unlimited demand, and behaves as `receive(on: account)` with a sink that takes the actor: the closures
  /// run on the actor and can access its state. When the actor has been released, no closure is called any more.
  ///
  /// - Parameters:
  ///   - owner: The actor that the closures receive and belong to. It is not retained.
  ///   - receiveCompletion: A closure that is called with the actor and the completion.
  ///   - receiveValue: A closure that is called with the actor and each value.
  /// - Returns: A cancellable that keeps the stream alive; releasing it cancels the stream.
  /// - Complexity: O(1) for each value, plus a job of the actor for values that arrive elsewhere.
  @_disfavoredOverload
  public func sink<Owner: Actor>(
    with owner: Owner,
    receiveCompletion: @escaping (isolated Owner, Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping (isolated Owner, Output) -> Void
  ) -> AnyCancellable {
    receive(on: owner).sink(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
  }

  /// Ends the stream at the first value that arrives when the owner has been released.
  private func ending(with owner: some AnyObject) -> Publishers.PrefixWhile<Self> {
    prefix { [weak owner] _ in owner != nil }
  }
}

extension Publisher where Failure == Never {
  /// Calls a closure with an owner and each value of a publisher that cannot fail, without retaining the owner.
  ///
  ///     $query.debounce(for: .milliseconds(300), scheduler: scheduler)
  ///       .sink(with: self) { model, query in model.search(query) }
  ///       .store(in: &cancellables)
  ///
  /// It requests unlimited demand, and behaves as the `sink` that also takes a closure for the completion.
  ///
  /// - Parameters:
  ///   - owner: The object that the closure receives. It is not retained.
  ///   - isolation: The actor that the closure belongs to; the caller's by default.
  ///   - receiveValue: A closure that is called with the owner and each value.
  /// - Returns: A cancellable that keeps the stream alive; releasing it cancels the stream.
  /// - Complexity: O(1) for each value, which includes two accesses to a weak reference.
  @_disfavoredOverload
  public func sink<Owner: AnyObject>(
    with owner: Owner, isolation: isolated (any Actor)? = #isolation,
    receiveValue: @escaping (Owner, Output) -> Void
  ) -> AnyCancellable {
    ending(with: owner).sink(isolation: isolation) { [weak owner] value in
      if let owner { receiveValue(owner, value) }
    }
  }

  /// Calls a closure that is isolated to an actor with each value of a publisher that cannot fail, without retaining the
  /// actor.
  ///
  /// It requests unlimited demand, and behaves as the `sink` that also takes a closure for the completion.
  ///
  /// - Parameters:
  ///   - owner: The actor that the closure receives and belongs to. It is not retained.
  ///   - receiveValue: A closure that is called with the actor and each value.
  /// - Returns: A cancellable that keeps the stream alive; releasing it cancels the stream.
  /// - Complexity: O(1) for each value, plus a job of the actor for values that arrive elsewhere.
  @_disfavoredOverload
  public func sink<Owner: Actor>(
    with owner: Owner, receiveValue: @escaping (isolated Owner, Output) -> Void
  ) -> AnyCancellable {
    receive(on: owner).sink(receiveValue: receiveValue)
  }
}
