extension Engine {
  // MARK: Sources

  /// Indicates whether nothing more will be delivered, so no further source needs to be attached.
  @usableFromInline
  package var isOver: Bool { withLock { phase == .over } }

  /// Indicates whether nothing more is accepted.
  var hasEnded: Bool { withLock { phase != .running } }

  /// Subscribes to a source that the operator was created with, unless nothing more will be delivered.
  @inlinable @inline(__always)
  package func attach<Source: Publisher, Child: Subscriber>(_ source: Source, _ child: consuming Child)
  where Source.Output == Child.Input, Source.Failure == Child.Failure {
    if !isOver { nest(source, child) }
  }

  /// Subscribes, one level up, to a source that was created while the stream was running.
  @inlinable @inline(__always)
  package func attachNew<Source: Publisher, Child: Subscriber>(_ source: Source, _ child: Child)
  where Source.Output == Child.Input, Source.Failure == Child.Failure {
    // An erased publisher itself bounds the stack of an endless chain, and `Just` attaches nothing further. The compiler knows
    // the type of the source, so the check costs nothing.
    if isTrampoline, !(source is AnyPublisher<Source.Output, Source.Failure> || source is Just<Source.Output>) {
      trampolineAttaching { [self] in nest(source, child) }
    } else {
      nest(source, child)
    }
  }

  @usableFromInline
  package func trampolineAttaching(_ work: @escaping () -> Void) { trampoline(.attaching, work) }

  /// Subscribes to a source, one level up.
  ///
  /// Never inlined: the optimizer of Swift 6.3 crashes on a longer chain in one function. Optimized for size, because most of a
  /// chain's code is here and runs once for each subscription.
  @inlinable @inline(never) @_optimize(size)
  package final func nest<Source: Publisher, Child: Subscriber>(_ source: Source, _ child: Child)
  where Source.Output == Child.Input, Source.Failure == Child.Failure {
    let place = enterSourceLevel()
    source.subscribe(child)
    restoreSourceLevel(place)
  }

  @usableFromInline
  package func enterSourceLevel() -> ThreadState.SavedLevel { ThreadState.enter(level: level + 1) }

  func trampoline(_ direction: ThreadState.Direction, _ work: @escaping () -> Void) {
    ThreadState.current.trampoline(direction, work)
  }
}
