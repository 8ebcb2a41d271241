#if !canImport(Darwin)
  public import Foundation
  internal import StreamSchedulers
  public import Streams

  /// A point in a scheduler's time, for schedulers that work with calendar dates.
  ///
  /// `RunLoop.SchedulerTimeType` and `OperationQueue.SchedulerTimeType` are built on it. `Owner` distinguishes the two.
  /// It's encoded like Combine's types: `{"date": …}`, with the date in the encoder's format. A date is always finite:
  /// the infinities become the latest and the earliest date. Passing or assigning a date that's NaN stops the program,
  /// and decoding one throws an error.
  public struct SchedulerDate<Owner>: Strideable, Hashable, Codable, Sendable {
    /// The point in time as a `Date`, which is finite.
    public var date: Date {
      didSet { date = date.saturated }
    }

    /// Creates a point in time from a date.
    ///
    /// - Parameter date: The date, which must not be NaN.
    public init(_ date: Date) { self.date = date.saturated }

    private enum CodingKeys: String, CodingKey {
      case date
    }

    /// Decodes a point in time. Earlier versions' format, a single date, is accepted, too.
    ///
    /// - Throws: The decoder's error, or a `DecodingError` if the date is NaN.
    public init(from decoder: any Decoder) throws {
      let decoded: Date
      if let container = try? decoder.container(keyedBy: CodingKeys.self), container.contains(.date) {
        decoded = try container.decode(Date.self, forKey: .date)
      } else {
        decoded = try decoder.singleValueContainer().decode(Date.self)
      }
      try decoded.timeIntervalSinceReferenceDate.throwIfNaN(decodedFrom: decoder)
      date = decoded.saturated
    }

    public func distance(to other: Self) -> Stride {
      Stride(other.date.timeIntervalSince(date))
    }

    public func advanced(by stride: Stride) -> Self { Self(date.addingTimeInterval(stride.timeInterval)) }

    // Not declared as an operator, for the reason that `ClockStride` gives.

    /// Returns whether the first point in time is before the second.
    @_implements(Comparable,<(_:_:))
    public static func _isBefore(lhs: Self, rhs: Self) -> Bool { lhs.date < rhs.date }

    /// Returns whether both are the same point in time.
    @_implements(Equatable,==(_:_:))
    public static func _isEqual(lhs: Self, rhs: Self) -> Bool { lhs.date == rhs.date }

    public func hash(into hasher: inout Hasher) { hasher.combine(date) }

    /// A stride between two dates, in seconds.
    ///
    /// Arithmetic saturates at the largest finite values, which also stand for the infinities. Passing or assigning NaN
    /// stops the program, and decoding it throws an error. A stride is encoded like Combine's types:
    /// `{"magnitude": …}`.
    public struct Stride: SchedulerTimeIntervalConvertible, SignedNumeric, Comparable, Hashable, Codable, Sendable,
      ExpressibleByFloatLiteral
    {
      /// The number of seconds, which is finite, and negative for a stride back in time.
      public var magnitude: TimeInterval {
        didSet { magnitude = magnitude.saturated }
      }

      /// The same as ``magnitude``.
      public var timeInterval: TimeInterval {
        get { magnitude }
        set { magnitude = newValue }
      }

      /// The nearest whole number of microseconds, in nanoseconds, because dates can't represent shorter strides.
      public var _nanoseconds: Int? { Int(saturating: timeInterval * 1_000_000).multipliedSaturating(by: 1_000) }

      /// Creates a stride from a number of seconds.
      ///
      /// - Parameter timeInterval: The number of seconds, which must not be NaN.
      public init(_ timeInterval: TimeInterval) { magnitude = timeInterval.saturated }

      /// Creates a stride from a floating-point literal.
      ///
      /// - Parameter value: The number of seconds, which must not be NaN.
      public init(floatLiteral value: TimeInterval) { self.init(value) }

      /// Creates a stride from an integer literal.
      ///
      /// - Parameter value: The number of seconds.
      public init(integerLiteral value: Int) { magnitude = TimeInterval(value) }

      /// Creates a stride from a number of seconds, or returns `nil` if `TimeInterval` can't represent it exactly.
      ///
      /// - Parameter source: The number of seconds.
      public init?<T: BinaryInteger>(exactly source: T) {
        guard let seconds = TimeInterval(exactly: source) else { return nil }
        magnitude = seconds
      }

      private enum CodingKeys: String, CodingKey {
        case magnitude
      }

      /// The key that earlier versions of this package used.
      private enum EarlierCodingKeys: String, CodingKey {
        case timeInterval
      }

      /// Decodes a stride. Earlier versions' format is accepted, too.
      ///
      /// - Throws: The decoder's error, or a `DecodingError` if the number of seconds is NaN.
      public init(from decoder: any Decoder) throws {
        let decoded: TimeInterval
        let earlier = try decoder.container(keyedBy: EarlierCodingKeys.self)
        if earlier.contains(.timeInterval) {
          decoded = try earlier.decode(TimeInterval.self, forKey: .timeInterval)
        } else {
          decoded = try decoder.container(keyedBy: CodingKeys.self).decode(TimeInterval.self, forKey: .magnitude)
        }
        try decoded.throwIfNaN(decodedFrom: decoder)
        magnitude = decoded.saturated
      }

      /// Returns a stride with the specified whole number of seconds.
      public static func seconds(_ s: Int) -> Self { Self(TimeInterval(s)) }

      /// Returns a stride with the specified number of seconds.
      public static func seconds(_ s: Double) -> Self { Self(s) }

      /// Returns a stride with the specified number of milliseconds.
      public static func milliseconds(_ ms: Int) -> Self { Self(TimeInterval(ms) / 1_000) }

      /// Returns a stride with the specified number of microseconds.
      public static func microseconds(_ us: Int) -> Self { Self(TimeInterval(us) / 1_000_000) }

      /// Returns a stride with the specified number of nanoseconds.
      public static func nanoseconds(_ ns: Int) -> Self { Self(TimeInterval(ns) / 1_000_000_000) }

      /// Returns whether the first stride is less than the second.
      @_implements(Comparable,<(_:_:))
      public static func _isLess(lhs: Self, rhs: Self) -> Bool { lhs.timeInterval < rhs.timeInterval }

      /// Returns the sum of two strides.
      @_implements(AdditiveArithmetic,+(_:_:))
      public static func _sum(lhs: Self, rhs: Self) -> Self { Self(lhs.timeInterval + rhs.timeInterval) }

      /// Returns the difference of two strides.
      @_implements(AdditiveArithmetic,-(_:_:))
      public static func _difference(lhs: Self, rhs: Self) -> Self { Self(lhs.timeInterval - rhs.timeInterval) }

      /// Returns the product of two strides, as numbers of seconds.
      @_implements(Numeric,*(_:_:))
      public static func _product(lhs: Self, rhs: Self) -> Self { Self(lhs.timeInterval * rhs.timeInterval) }

      /// Multiplies a stride by another, as numbers of seconds.
      @_implements(Numeric,*=(_:_:))
      public static func _multiply(lhs: inout Self, rhs: Self) { lhs = lhs * rhs }
    }
  }

  extension Date {
    /// The date, with infinities replaced by the latest and the earliest one. NaN stops the program.
    fileprivate var saturated: Date {
      Date(timeIntervalSinceReferenceDate: timeIntervalSinceReferenceDate.saturated)
    }
  }

  extension TimeInterval {
    /// Throws an error if a decoded number is NaN.
    fileprivate func throwIfNaN(decodedFrom decoder: any Decoder) throws {
      if isNaN {
        throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: notANumber))
      }
    }
  }

  extension RunLoop {
    /// A point in a run loop's time, which is a date.
    public typealias SchedulerTimeType = SchedulerDate<RunLoop>

    /// The options of a run loop as a scheduler. There aren't any.
    public struct SchedulerOptions: Sendable {
      /// Creates empty options.
      public init() {}
    }
  }

  extension OperationQueue {
    /// A point in an operation queue's time, which is a date.
    public typealias SchedulerTimeType = SchedulerDate<OperationQueue>

    /// The options of an operation queue as a scheduler. There aren't any.
    public struct SchedulerOptions: Sendable {
      /// Creates empty options.
      public init() {}
    }
  }
#endif
