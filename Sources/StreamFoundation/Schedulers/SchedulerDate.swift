#if !canImport(Combine)
  public import Foundation
  internal import StreamSchedulers
  public import Streams

  /// A point in the time of a scheduler that goes by the calendar: a `Date`.
  ///
  /// `RunLoop.SchedulerTimeType` and `OperationQueue.SchedulerTimeType` are made of it; `Owner` keeps the two apart. It is
  /// coded as Combine's are: `{"date": …}`, with the date as the encoder writes dates.
  public struct SchedulerDate<Owner>: Strideable, Hashable, Codable, Sendable {
    /// The point in time as Foundation has it.
    public var date: Date

    /// Makes one from a date.
    public init(_ date: Date) { self.date = date }

    private enum CodingKeys: String, CodingKey {
      case date
    }

    /// Reads a date, also one that stands by itself, as earlier versions of this package wrote it.
    public init(from decoder: any Decoder) throws {
      if let container = try? decoder.container(keyedBy: CodingKeys.self), container.contains(.date) {
        date = try container.decode(Date.self, forKey: .date)
      } else {
        date = try decoder.singleValueContainer().decode(Date.self)
      }
    }

    /// Returns how far it is to another point in time.
    public func distance(to other: Self) -> Stride {
      // Infinities, which a date may have, have no difference.
      date == other.date ? .zero : Stride(other.date.timeIntervalSince(date))
    }

    /// Returns the point in time that is a stride away.
    public func advanced(by stride: Stride) -> Self { Self(date.addingTimeInterval(stride.timeInterval)) }

    /// Whether one point in time is before another.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.date < rhs.date }

    /// Whether both are the same point in time.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.date == rhs.date }

    /// Feeds the date into a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(date) }

    /// A distance between two dates, in seconds.
    ///
    /// Arithmetic stops at the largest and the smallest number that there is, which also stand for the infinities. What is
    /// not a number stops the program. It is coded as Combine's are: `{"magnitude": …}`.
    public struct Stride: SchedulerTimeIntervalConvertible, SignedNumeric, Comparable, Hashable, Codable, Sendable,
      ExpressibleByFloatLiteral
    {
      /// The number of seconds, negative for a distance back.
      public var magnitude: TimeInterval

      /// The number of seconds, negative for a distance back; the same as ``magnitude``.
      public var timeInterval: TimeInterval {
        get { magnitude }
        set { magnitude = newValue }
      }

      /// The nearest whole number of microseconds, in nanoseconds: a date of our time cannot tell smaller distances.
      public var _nanoseconds: Int? { Int(saturating: timeInterval * 1_000_000).multipliedSaturating(by: 1_000) }

      /// Makes a number of seconds; what is not a number stops the program.
      public init(_ timeInterval: TimeInterval) { magnitude = timeInterval.saturated }

      /// Makes a number of seconds.
      public init(floatLiteral value: TimeInterval) { self.init(value) }

      /// Makes a number of seconds.
      public init(integerLiteral value: Int) { magnitude = TimeInterval(value) }

      /// Makes a number of seconds, unless there is no such floating-point number.
      public init?<T: BinaryInteger>(exactly source: T) {
        guard let seconds = TimeInterval(exactly: source) else { return nil }
        magnitude = seconds
      }

      private enum CodingKeys: String, CodingKey {
        case magnitude
      }

      /// How earlier versions of this package called the number.
      private enum EarlierCodingKeys: String, CodingKey {
        case timeInterval
      }

      /// Reads a distance, also one that an earlier version of this package wrote.
      public init(from decoder: any Decoder) throws {
        let earlier = try decoder.container(keyedBy: EarlierCodingKeys.self)
        if earlier.contains(.timeInterval) {
          magnitude = try earlier.decode(TimeInterval.self, forKey: .timeInterval)
        } else {
          magnitude = try decoder.container(keyedBy: CodingKeys.self).decode(TimeInterval.self, forKey: .magnitude)
        }
      }

      /// A whole number of seconds.
      public static func seconds(_ s: Int) -> Self { Self(TimeInterval(s)) }

      /// A number of seconds; what is not a number stops the program.
      public static func seconds(_ s: Double) -> Self { Self(s) }

      /// A whole number of thousandths of a second.
      public static func milliseconds(_ ms: Int) -> Self { Self(TimeInterval(ms) / 1_000) }

      /// A whole number of millionths of a second.
      public static func microseconds(_ us: Int) -> Self { Self(TimeInterval(us) / 1_000_000) }

      /// A whole number of billionths of a second.
      public static func nanoseconds(_ ns: Int) -> Self { Self(TimeInterval(ns) / 1_000_000_000) }

      /// Whether one distance is less than another.
      public static func < (lhs: Self, rhs: Self) -> Bool { lhs.timeInterval < rhs.timeInterval }

      /// The sum of two distances.
      public static func + (lhs: Self, rhs: Self) -> Self { Self(lhs.timeInterval + rhs.timeInterval) }

      /// The difference of two distances.
      public static func - (lhs: Self, rhs: Self) -> Self { Self(lhs.timeInterval - rhs.timeInterval) }

      /// The product of two distances as numbers of seconds.
      public static func * (lhs: Self, rhs: Self) -> Self { Self(lhs.timeInterval * rhs.timeInterval) }

      /// Adds a distance.
      public static func += (lhs: inout Self, rhs: Self) { lhs = lhs + rhs }

      /// Takes a distance away.
      public static func -= (lhs: inout Self, rhs: Self) { lhs = lhs - rhs }

      /// Multiplies with a distance, both as numbers of seconds.
      public static func *= (lhs: inout Self, rhs: Self) { lhs = lhs * rhs }
    }
  }

  extension RunLoop {
    /// A point in the time that run loops go by: a date.
    public typealias SchedulerTimeType = SchedulerDate<RunLoop>

    /// What can be said about how a run loop is to run work, which is nothing.
    public struct SchedulerOptions: Sendable {
      /// Makes options that say nothing.
      public init() {}
    }
  }

  extension OperationQueue {
    /// A point in the time that operation queues go by: a date.
    public typealias SchedulerTimeType = SchedulerDate<OperationQueue>

    /// What can be said about how an operation queue is to run work, which is nothing.
    public struct SchedulerOptions: Sendable {
      /// Makes options that say nothing.
      public init() {}
    }
  }
#endif
