internal import StreamSchedulers
public import Streams

/// A script that says when a recorder requests values, and how many.
///
/// ```swift
/// scheduler.record(numbers)                                            // everything
/// scheduler.record(numbers, demand: .max(2))                           // two values
/// scheduler.record(numbers, demand: .initial(.max(1), perValue: .max(1)))
/// scheduler.record(numbers, demand: .initial(.none, requests: [.request(at: 3, .max(2))]))
/// scheduler.record(numbers, demand: "1---2---*")                       // as a marble diagram
/// ```
///
/// In a diagram, a digit requests that many values, and `*` requests unlimited demand. `(12)` stands for two requests
/// in one frame, and `'10'` for a number with several digits. A diagram starts when the recording does, whereas the
/// times in `requests` count from the beginning of the scheduler's time.
public struct DemandScript<Time> {
  /// The demand that is requested when the subscription arrives.
  package var initial: Subscribers.Demand

  package var perValue: Subscribers.Demand

  package var requests: [RecordedRequest<Time>]

  var marbles: Marbles?

  /// Indicates whether parsing has found no mistake in the diagram.
  var isSound = true

  /// Creates a script that requests demand at the beginning, with each value, and at given times.
  ///
  /// - Parameters:
  ///   - initial: The demand to request when the subscription arrives.
  ///   - perValue: The demand to request with each value.
  ///   - requests: Further requests, with their times.
  public static func initial(
    _ initial: Subscribers.Demand, perValue: Subscribers.Demand = .none, requests: [RecordedRequest<Time>] = []
  ) -> Self {
    Self(initial: initial, perValue: perValue, requests: requests)
  }

  /// Creates a script that requests a number of values at the beginning.
  ///
  /// - Parameter count: The number of values. A negative number stops the program with a message.
  public static func max(_ count: Int) -> Self { initial(.max(count)) }

  /// A script that requests unlimited demand at the beginning.
  public static var unlimited: Self { initial(.unlimited) }

  /// A script that doesn't request anything. Call ``Recorder/request(_:)`` instead.
  public static var none: Self { initial(.none) }
}

extension DemandScript: ExpressibleByStringLiteral {
  /// Creates a script from a marble diagram. The function that uses the script reports mistakes.
  ///
  /// - Parameter text: The diagram.
  public init(stringLiteral text: String) {
    self = .none
    marbles = Marbles(text)
  }
}

extension DemandScript: Sendable where Time: Sendable {}
