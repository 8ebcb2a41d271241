internal import StreamSchedulers
public import Streams

/// How much a recorder asks for, and when.
///
/// ```swift
/// scheduler.record(numbers)                                            // everything
/// scheduler.record(numbers, demand: .max(2))                           // two values
/// scheduler.record(numbers, demand: .initial(.max(1), perValue: .max(1)))
/// scheduler.record(numbers, demand: .initial(.none, requests: [.request(at: 3, .max(2))]))
/// scheduler.record(numbers, demand: "1---2---*")                       // as a marble diagram
/// ```
///
/// In a diagram a digit asks for so many values, `*` for all; `(12)` are two requests in one frame and `'10'` is a number
/// of several digits. It starts with the recording, while the times of `requests` count from the beginning of the
/// scheduler's time.
public struct DemandScript<Time> {
  /// What is asked for when the subscription arrives.
  public var initial: Subscribers.Demand

  /// What is asked for with every value.
  public var perValue: Subscribers.Demand

  /// What is asked for at given times.
  public var requests: [RecordedRequest<Time>]

  var marbles: Marbles?

  /// Whether nothing was wrong with the diagram, as far as it has been read.
  var isSound = true

  /// Asks for something at the beginning, with every value, and at given times.
  public static func initial(
    _ initial: Subscribers.Demand, perValue: Subscribers.Demand = .none, requests: [RecordedRequest<Time>] = []
  ) -> Self {
    Self(initial: initial, perValue: perValue, requests: requests)
  }

  /// Asks for so many values at the beginning, and for no more.
  public static func max(_ count: Int) -> Self { initial(.max(count)) }

  /// Asks for everything at the beginning.
  public static var unlimited: Self { initial(.unlimited) }

  /// Asks for nothing; the test calls ``Recorder/request(_:)``.
  public static var none: Self { initial(.none) }
}

extension DemandScript: ExpressibleByStringLiteral {
  /// Reads a marble diagram; a mistake in it is reported by whoever uses it.
  public init(stringLiteral text: String) {
    self = .none
    marbles = Marbles(text)
  }
}

extension DemandScript: Sendable where Time: Sendable {}
