internal import Streams

/// The parts of a live stream, from the sink up to the sources, and what each is doing.
///
/// ```swift
/// print(cancellable.inspection)
/// ```
///
/// A part is an object of a live stream: a sink, an operator with a state of its own, a subject, or a source. Other
/// operators, such as `map`, are listed where values pass through them. Each part is read under its own lock, so its
/// report is consistent. The parts are read one after another, so values may move from one to the next in between. A
/// part with several subscribers, such as a subject, appears once in ``parts``.
public struct Inspection: Sendable, Codable, Equatable {
  /// The parts of the stream. The first one is the root: the part at the downstream end.
  public internal(set) var parts: [Part]

  /// Indicates whether parts are missing, because there were more than the limit.
  public internal(set) var isTruncated = false

  /// The problems found, nearest to the sink first.
  ///
  /// A stream that works doesn't have any. Before the first value, causes that are certain are findings. When nothing
  /// has arrived for ``Thresholds/silence``, most other causes are findings, too.
  public internal(set) var findings: [Finding]

  /// A neutral description of what the stream is doing: how many values it has delivered and when, and what it's waiting for.
  public internal(set) var status: String

  /// One part of a live stream.
  ///
  /// ```swift
  /// for part in cancellable.inspection.parts { print(part.name, part.waiting) }
  /// ```
  public struct Part: Sendable, Codable, Equatable {
    /// A number that's unique among live parts.
    public let id: UInt64

    /// The name of the operator, the subject or the source: `flatMap`, `PassthroughSubject`.
    public internal(set) var name: String

    /// The kind of this part.
    public internal(set) var kind: Kind

    /// The name that `checkpoint(_:)` has given to this part, if any.
    public internal(set) var checkpoint: String?

    /// The place in the source code that created this part, if streams were being inspected then: file and line, or,
    /// without debugging symbols, the name of a function.
    public internal(set) var place: String?

    /// Phrases that say what the part is doing and waiting for.
    public internal(set) var states: [String] = []

    /// The number of values that have been requested from this part and haven't been delivered yet, or `nil` if the
    /// number isn't known.
    public internal(set) var demand: Demand?

    /// The number of values that wait in this part.
    public internal(set) var waiting = 0

    /// An upper bound for the largest number of values that have waited in this part, or `nil` if it isn't known. The
    /// bound is at most twice that number.
    public internal(set) var mostWaiting: Int?

    /// The maximum number of values that can wait in this part, or `nil` if there's no bound.
    public internal(set) var bound: Int?

    /// Indicates whether a thread is delivering a value from this part.
    public internal(set) var isDelivering = false

    /// The number of values that this sink has received, or that another part has sent, if it counts them.
    public internal(set) var count: UInt64?

    /// The number of values that this operator has received, if it counts them.
    public internal(set) var received: UInt64?

    /// The age of the part in seconds, if it's a sink that was created while streams were being inspected.
    public internal(set) var age: Double?

    /// The time since the last value in seconds, if the part is a sink that counts values and has received one.
    public internal(set) var sinceLastValue: Double?

    /// The connections to the parts that this part receives values from.
    public internal(set) var upstreams: [Upstream] = []

    init(id: UInt64, name: String, kind: Kind) {
      self.id = id
      self.name = name
      self.kind = kind
    }
  }

  /// The kind of a part.
  public enum Kind: String, Sendable, Codable {
    /// The downstream end, such as a `sink`, an `assign`, or a loop over `values`.
    case sink
    /// An operator with a state of its own.
    case `operator`
    /// A subject, or another part that sends the values of one source to several subscribers.
    case subject
    /// A source of values.
    case source
    /// A subscription that isn't one of this package's, so an inspection can't see its state.
    case unknown
  }

  /// A demand for values.
  public enum Demand: Sendable, Codable, Equatable {
    /// A number of values.
    case values(Int)
    /// Any number of values.
    case unlimited
  }

  /// A part's connection to a source of its values.
  public struct Upstream: Sendable, Codable, Equatable {
    /// The role of this input, if the part has several: `left`, `inner`.
    public internal(set) var role: String?

    /// The operators without a state of their own that values pass through, in this order.
    public internal(set) var operators: [String] = []

    /// For each of these operators, the numbers of values that it has received and sent, if it counts them. Operators
    /// that may drop values count them in streams that began while streams were being inspected.
    public internal(set) var flows: [Flow?] = []

    /// The position in ``Inspection/parts`` of the part that sends the values.
    public let part: Int

    /// The number of values that have been requested through this connection and haven't been sent yet, if the
    /// connection counts them.
    public internal(set) var demand: Demand?

    /// The number of values that a subject has sent through this connection, if it began while streams were being
    /// inspected.
    public internal(set) var count: UInt64?

    init(part: Int) { self.part = part }
  }

  /// The numbers of values that an operator has received and sent.
  public struct Flow: Sendable, Codable, Equatable {
    /// The number of values that have arrived.
    public let received: UInt64

    /// The number of values that have left.
    public let sent: UInt64

    init(received: UInt64, sent: UInt64) { (self.received, self.sent) = (received, sent) }

    init(_ counter: FlowCounter) {
      self.init(received: UInt64(counter.arrivals), sent: UInt64(max(0, counter.departures)))
    }
  }

  /// A problem that keeps values from arriving, with advice on how to fix it.
  ///
  /// ```swift
  /// for finding in cancellable.inspection.findings { print(finding.text) }
  /// ```
  public struct Finding: Sendable, Codable, Equatable {
    /// The kind of cause.
    public let kind: Cause

    /// The cause, and what to do about it.
    public let text: String

    /// The position in ``Inspection/parts`` of the part with the problem, if any.
    public let part: Int?

    /// The place in the source code to look at, if it's known.
    public let place: String?
  }

  /// A reason why nothing arrives.
  public enum Cause: String, Sendable, Codable {
    /// The stream has ended.
    case ended
    /// Parts wait for one another.
    case cycle
    /// Nothing can send any more values.
    case neverAgain
    /// No values have been requested.
    case noDemand
    /// A connectable publisher hasn't been connected.
    case notConnected
    /// Values wait for time that nobody advances.
    case timeStandsStill
    /// Values wait for a queue or an actor.
    case queueBlocked
    /// A thread is delivering a value, and the code downstream hasn't returned.
    case delivering
    /// Each inner publisher was replaced before it sent a value, or each value of a `debounce` before it was due.
    case superseded
    /// All slots for inner publishers or tasks are taken.
    case slotsTaken
    /// One attempt after another fails, or ends without a value.
    case retries
    /// The stream waits for a source to send a value.
    case waitsForSource
    /// A gate is closed.
    case closed
    /// Operators don't let any values through.
    case dropped
    /// The cause isn't visible.
    case unknown
  }

  /// The limits beyond which a problem is reported as a finding.
  ///
  /// ```swift
  /// var thresholds = Inspection.Thresholds()
  /// thresholds.silence = .seconds(5)
  /// StreamInspector.start(lints: thresholds) { print($0) }
  /// ```
  public struct Thresholds: Sendable, Equatable {
    /// The minimum number of inner publishers replaced before they sent a value, for a finding.
    public var superseded = 3

    /// The minimum number of failed attempts for a finding.
    public var attempts = 3

    /// The maximum duration of a delivery.
    public var delivery: Duration = .milliseconds(100)

    /// The maximum time for which the number of waiting values may grow.
    public var growth: Duration = .seconds(10)

    /// The time without a value after which causes that aren't certain are findings, too, except `ended`, `unknown`
    /// and, once a value has arrived, `waitsForSource`. If the time is zero, every cause is a finding.
    public var silence: Duration = .seconds(30)

    /// The maximum time for which values may wait without being requested.
    public var withoutDemand: Duration = .seconds(30)

    /// Creates the default thresholds.
    public init() {}

    /// The thresholds for a stream that is known to lack a value: each cause is a finding.
    package static var forMissingValue: Thresholds {
      var thresholds = Thresholds()
      thresholds.silence = .zero
      return thresholds
    }
  }
}
