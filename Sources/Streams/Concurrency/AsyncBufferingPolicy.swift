/// How many values an asynchronous sequence of a publisher keeps until they are awaited, and what it asks upstream for.
///
/// The names are those of `AsyncBufferSequencePolicy` in swift-async-algorithms and of
/// `AsyncStream.Continuation.BufferingPolicy`, without the word that the label of ``Publisher/values(buffering:)`` says.
/// In contrast to both, ``bounded(_:)`` suspends nobody: the bound is the demand, which upstream keeps to.
@frozen
public enum AsyncBufferingPolicy: Hashable, Sendable {
  /// Keeps nothing: upstream is asked for one value whenever one is awaited and none is there.
  case unbuffered

  /// Keeps up to so many values and loses none: upstream is asked for that many, and again when half of them have been
  /// taken.
  case bounded(Int)

  /// Keeps every value; demand is unlimited.
  case unbounded

  /// Keeps up to so many values; one that finds them there is dropped. Demand is unlimited.
  case oldest(Int)

  /// Keeps up to so many values; one that finds them there takes the place of the oldest. Demand is unlimited.
  case newest(Int)
}
