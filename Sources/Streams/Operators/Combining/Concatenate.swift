extension Publisher {
  // The compiler tries overloads in order, and the first one that fits determines the rest of a chain, so overloads that accept
  // literals come first. Otherwise, chains that append or prepend a value or an array take up to a thousand times as long to
  // type-check, or fail.

  /// Publishes this publisher's values and, after it finishes, the given values.
  ///
  /// It's otherwise like ``append(_:)->Publishers.Concatenate<Self,P>``.
  @inlinable
  public __consuming func append(_ elements: Output...)
    -> Publishers.Concatenate<Self, Publishers.Sequence<[Output], Failure>>
  {
    append(elements)
  }

  /// Publishes this publisher's values and, after it finishes, the elements of a sequence.
  ///
  /// It's otherwise like ``append(_:)->Publishers.Concatenate<Self,P>``.
  @inlinable
  public __consuming func append<S: Sequence>(
    _ elements: S
  ) -> Publishers.Concatenate<Self, Publishers.Sequence<S, Failure>> where S.Element == Output {
    append(Publishers.Sequence(sequence: elements))
  }

  /// Publishes this publisher's values and, after it finishes, another publisher's values.
  ///
  ///     [1, 2].publisher.append([3, 4].publisher)   // 1 2 3 4
  ///
  /// ![first publishes 1 and 2 and finishes; second, subscribed to at 500 ms, publishes 3 and 4 and finishes; the result publishes 1, 2, 3 and 4 and finishes.](diagram-append)
  ///
  /// When this publisher has finished, the operator subscribes to the other one and requests the remaining demand from
  /// it. A failure ends the stream. Cancellation cancels the running publisher.
  ///
  /// - Parameter publisher: The publisher that follows this one.
  @inlinable
  public __consuming func append<P: Publisher>(_ publisher: P) -> Publishers.Concatenate<Self, P>
  where P.Output == Output, P.Failure == Failure {
    Publishers.Concatenate(prefix: self, suffix: publisher)
  }

  /// Publishes the given values, then this publisher's values.
  ///
  /// It's otherwise like ``prepend(_:)->Publishers.Concatenate<P,Self>``.
  ///
  /// If the values are arrays, `prepend([])` prepends an empty sequence. To publish an empty array, write `prepend([[]])`.
  @inlinable
  public __consuming func prepend(_ elements: Output...)
    -> Publishers.Concatenate<Publishers.Sequence<[Output], Failure>, Self>
  {
    prepend(elements)
  }

  /// Publishes the elements of a sequence, then this publisher's values.
  ///
  /// It's otherwise like ``prepend(_:)->Publishers.Concatenate<P,Self>``.
  @inlinable
  public __consuming func prepend<S: Sequence>(
    _ elements: S
  ) -> Publishers.Concatenate<Publishers.Sequence<S, Failure>, Self> where S.Element == Output {
    prepend(Publishers.Sequence(sequence: elements))
  }

  /// Publishes another publisher's values and, after it finishes, this publisher's values.
  ///
  ///     [3, 4].publisher.prepend([1, 2].publisher)   // 1 2 3 4
  ///
  /// ![second publishes 1 and 2 and finishes; first, subscribed to at 500 ms, publishes 3 and 4 and finishes; the result publishes 1, 2, 3 and 4 and finishes.](diagram-prepend)
  ///
  /// When the other publisher has finished, the operator subscribes to this one and requests the remaining demand from
  /// it. A failure ends the stream. Cancellation cancels the running publisher.
  ///
  /// - Parameter publisher: The publisher that precedes this one.
  @inlinable
  public __consuming func prepend<P: Publisher>(_ publisher: P) -> Publishers.Concatenate<P, Self>
  where P.Output == Output, P.Failure == Failure {
    Publishers.Concatenate(publisher, self, as: OperatorName("prepend"))
  }
}

extension Publishers {
  /// The publisher that `append(_:)` and `prepend(_:)` return.
  @frozen
  public struct Concatenate<Prefix: Publisher, Suffix: Publisher>: Publisher
  where Prefix.Output == Suffix.Output, Prefix.Failure == Suffix.Failure {
    // The suffix is upstream of `prepend(_:)`, so the compiler knows these types without the argument.
    public typealias Output = Suffix.Output
    public typealias Failure = Suffix.Failure

    public let prefix: Prefix
    public let suffix: Suffix

    @usableFromInline let name: OperatorName?

    @inlinable
    public init(prefix: Prefix, suffix: Suffix) {
      self.init(prefix, suffix, as: nil)
    }

    @inlinable
    package init(_ prefix: Prefix, _ suffix: Suffix, as name: OperatorName?) {
      self.prefix = prefix
      self.suffix = suffix
      self.name = name
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let suffix = suffix
      let engine = SuccessionEngine(
        SubscriberReceiver(subscriber), ElementLayout(Output.self), name?.text ?? "append")
      engine.attach(prefix) { $0.attach(last: suffix, to: $1) }
    }
  }
}

extension SuccessionEngine {
  /// Attaches a source. If the source finishes, the closure attaches the last source.
  @inlinable @inline(__always)
  package func attach<Source: Publisher>(_ source: Source, next: @escaping Attach) {
    follow(left: 1) { engine, slot in
      engine.attach(source, to: slot) { engine, completion in
        if case .finished = completion { engine.follow(next) } else { engine.end(with: completion) }
      }
    }
  }
}

extension Publishers.Concatenate: Equatable where Prefix: Equatable, Suffix: Equatable {
  /// Indicates whether two publishers have equal prefixes and equal suffixes.
  @inlinable
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.prefix == rhs.prefix && lhs.suffix == rhs.suffix }
}

extension Publishers.Concatenate: Sendable where Prefix: Sendable, Suffix: Sendable {}
