internal import Streams

/// What a live stream consists of and what each of its parts is doing, from the sink up to the sources.
///
/// ```swift
/// print(cancellable.inspection)
/// ```
///
/// A part is an object of a live stream: a sink, an operator with a state of its own, a subject, a source. Operators
/// that have none, such as `map`, are named where values pass them. Each part has been read under its own lock, so that
/// what is said of it holds for one moment; the parts were read one after another, so that values may have moved from
/// one to the next meanwhile. A part that several others subscribe to, such as a subject, appears once in ``parts``.
///
/// It is a value, which can be encoded, compared with that of another moment, and printed.
public struct Inspection: Sendable, Codable, Equatable {
  /// The parts of the stream. The first one is the root: the part at the downstream end.
  public internal(set) var parts: [Part]

  /// Indicates whether parts were left out, because there were more than the limit.
  public internal(set) var isTruncated = false

  /// What is wrong, as far as that can be seen, the finding nearest to the sink first.
  ///
  /// A stream that works has none. While nothing has arrived, there is a finding only if its cause is certain. Otherwise, there
  /// are findings when nothing has arrived for longer than ``Thresholds/silence``.
  public internal(set) var findings: [Finding]

  /// What the stream is doing: how many values it has delivered and when, and what it waits for. It accuses nothing.
  public internal(set) var status: String

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

    /// The place in the source code that made this part, if it was made while streams were inspected: file and line, or
    /// the name of a function if there are no debugging symbols.
    public internal(set) var place: String?

    /// What the part is doing and waits for, in words.
    public internal(set) var states: [String] = []

    /// The number of values that have been requested from this part and not yet been delivered: `nil` if it isn't
    /// known.
    public internal(set) var demand: Demand?

    /// The number of values that wait in this part.
    public internal(set) var waiting = 0

    /// An upper bound for the number of values that ever waited in this part, at most twice as great; `nil` if that
    /// isn't known.
    public internal(set) var mostWaiting: Int?

    /// The number of values that may wait in this part; `nil` if it has no bound.
    public internal(set) var bound: Int?

    /// Indicates whether a thread is delivering a value of this part.
    public internal(set) var isDelivering = false

    /// The number of values that this part has received (a sink) or sent (any other), if it counts them.
    public internal(set) var count: UInt64?

    /// The number of values that this operator has received, if it counts them.
    public internal(set) var received: UInt64?

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

  /// The connection of a part to one that it receives values from.
  public struct Upstream: Sendable, Codable, Equatable {
    /// The role that this input plays, if the part has several: `left`, `inner`.
    public internal(set) var role: String?

    /// The operators without a state of their own through which values pass on their way, in the order in which they
    /// pass them.
    public internal(set) var operators: [String] = []

    /// The values that each of these operators has received and sent, if it counts them: those that may drop values do, in a
    /// stream that was made while streams were inspected.
    public internal(set) var flows: [Flow?] = []

    /// The position in ``Inspection/parts`` of the part that sends the values.
    public let part: Int

    /// The number of values that have been requested through this connection and not yet been sent, if that is counted
    /// here.
    public internal(set) var demand: Demand?

    /// The number of values that have been sent through this connection, if it was made while streams were inspected.
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

  /// Something that keeps values from arriving, with a way to mend it.
  public struct Finding: Sendable, Codable, Equatable {
    /// What kind of cause this is.
    public let kind: Cause

    /// One sentence or two: the cause, and what to do.
    public let text: String

    /// The position in ``Inspection/parts`` of the part that it is found at.
    public let part: Int?

    /// The place in the source code to look at, if it is known.
    public let place: String?
  }

  /// A cause why nothing arrives.
  public enum Cause: String, Sendable, Codable {
    /// The stream has ended.
    case ended
    /// Parts wait for one another.
    case cycle
    /// Nothing can send any more.
    case neverAgain
    /// No values have been requested.
    case noDemand
    /// A connectable publisher hasn't been connected.
    case notConnected
    /// Values wait for time that nobody advances.
    case timeStandsStill
    /// Values wait for a queue or an actor.
    case queueBlocked
    /// A thread is delivering a value, and hasn't returned.
    case delivering
    /// Each inner publisher was replaced by the next one before it sent a value.
    case superseded
    /// The places for inner publishers are taken.
    case slotsTaken
    /// Attempts follow one another.
    case retries
    /// An operator waits for a value of one of its sources.
    case waitsForSource
    /// A gate is closed.
    case closed
    /// Operators let no value through.
    case dropped
    /// The cause lies outside what can be seen.
    case unknown
  }

  /// The times and numbers from which something is a finding.
  public struct Thresholds: Sendable, Equatable {
    /// The number of times an inner publisher is replaced without a value, from which that is a finding.
    public var superseded = 3

    /// The number of attempts from which repeated failures are a finding.
    public var attempts = 3

    /// The time for which a delivery may last.
    public var delivery: Duration = .milliseconds(100)

    /// The time for which the number of waiting values may grow.
    public var growth: Duration = .seconds(10)

    /// The time for which nothing may arrive. After it, whatever the stream waits for is a finding. With zero, it always is.
    public var silence: Duration = .seconds(30)

    /// The time for which nothing may be requested.
    public var withoutDemand: Duration = .seconds(30)

    /// Creates the default thresholds.
    public init() {}

    /// The thresholds for a stream that a value is missing from, as somebody else has found out: each cause is a finding.
    package static var forMissingValue: Thresholds {
      var thresholds = Thresholds()
      thresholds.silence = .zero
      return thresholds
    }
  }
}
