/// What a live stream consists of and what each of its parts is doing, from the sink up to the sources.
///
/// ```swift
/// print(cancellable.inspection)
/// ```
///
/// A part is an object of a live stream: a sink, an operator with a state of its own, a subject, a source. Operators that
/// have none, such as `map`, are named where values pass them. Each part has been read under its own lock, so that what is
/// said of it holds for one moment; the parts were read one after another, so that values may have moved from one to the
/// next meanwhile. A part that several others subscribe to, such as a subject, appears once in ``parts``.
///
/// It is a value, which can be encoded, compared with that of another moment, and printed.
public struct Inspection: Sendable, Codable, Equatable {
  /// The parts of the stream. The first one is the root: the part at the downstream end.
  public internal(set) var parts: [Part]

  /// Indicates whether parts were left out, because there were more than the limit.
  public internal(set) var isTruncated = false

  /// One part of a live stream.
  public struct Part: Sendable, Codable, Equatable {
    /// A number that no other live part has at the same time.
    public let id: UInt64

    /// The name of the operator, the subject or the source: `flatMap`, `PassthroughSubject`.
    public internal(set) var name: String

    /// What kind of part this is.
    public internal(set) var kind: Kind

    /// The name that `checkpoint(_:)` has given to this place.
    public internal(set) var checkpoint: String?

    /// The place in the source code that made this part, if it was made while streams were inspected: file and line, or the
    /// name of a function if there are no debugging symbols.
    public internal(set) var place: String?

    /// The operators without a state of their own through which values pass on their way from this part downstream, in the
    /// order in which values pass them.
    public internal(set) var operators: [String] = []

    /// What the part is doing and waits for, in words.
    public internal(set) var states: [String] = []

    /// The number of values that have been requested from this part and not yet been delivered: `nil` if it is not known.
    public internal(set) var demand: Demand?

    /// The number of values that wait in this part.
    public internal(set) var waiting = 0

    /// The number of values that this part has received (a sink) or sent (any other), if it counts them.
    public internal(set) var count: UInt64?

    /// The time since the part was made, in seconds, if it was made while streams were inspected.
    public internal(set) var age: Double?

    /// The time since the last value passed, in seconds, if the part counts values.
    public internal(set) var sinceLastValue: Double?

    /// The parts that this one receives values from.
    public internal(set) var upstreams: [Upstream] = []

    init(id: UInt64, name: String, kind: Kind) {
      self.id = id
      self.name = name
      self.kind = kind
    }
  }

  /// The kind of a part.
  public enum Kind: String, Sendable, Codable {
    /// The downstream end: a `sink`, an `assign`, a loop over `values`.
    case sink
    /// An operator with a state of its own.
    case `operator`
    /// A subject, or what else sends the values of one source to several subscribers.
    case subject
    /// A source of values.
    case source
    /// A subscription of other code, which tells nothing.
    case unknown
  }

  /// A demand: a number of values, or any number.
  public enum Demand: Sendable, Codable, Equatable {
    /// A number of values.
    case values(Int)
    /// Any number of values.
    case unlimited
  }

  /// One of the parts that a part receives values from.
  public struct Upstream: Sendable, Codable, Equatable {
    /// The role that this input plays, if the part has several: `left`, `inner`.
    public let role: String?

    /// The position of the part in ``Inspection/parts``.
    public let part: Int
  }
}
