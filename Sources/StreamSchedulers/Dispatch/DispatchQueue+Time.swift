#if !canImport(Darwin)
  public import Dispatch
  public import Streams

  extension DispatchQueue {
    /// A point in a dispatch queue's time.
    ///
    /// It's a `DispatchTime` with arithmetic in whole nanoseconds that saturates instead of overflowing. It's encoded like
    /// Combine's type, as a single number of nanoseconds since the machine started.
    @frozen
    public struct SchedulerTimeType: Strideable, Hashable, Codable, Sendable {
      /// The point in time as a `DispatchTime`.
      public var dispatchTime: DispatchTime

      /// Creates a point in time from a `DispatchTime`.
      ///
      /// - Parameter time: The dispatch time.
      @inlinable
      public init(_ time: DispatchTime) { dispatchTime = time }

      /// Decodes a point in time from a number of nanoseconds since the machine started.
      ///
      /// - Throws: Any error that the decoder throws.
      public init(from decoder: any Decoder) throws {
        let nanoseconds = try decoder.singleValueContainer().decode(UInt64.self)
        dispatchTime = DispatchTime(clampedNanoseconds: nanoseconds)
      }

      /// Encodes the number of nanoseconds since the machine started.
      public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(dispatchTime.uptimeNanoseconds)
      }

      /// Returns the stride from this point in time to another.
      ///
      /// - Returns: The stride. It's negative if the other point is earlier, and the longest stride if only the other point is
      ///   `distantFuture`.
      @inlinable
      public func distance(to other: Self) -> Stride {
        let (here, there) = (dispatchTime.uptimeNanoseconds, other.dispatchTime.uptimeNanoseconds)
        // Both are in Dispatch's range, so their difference fits.
        if here | there < 1 << 62 { return Stride(nanoseconds: Int(there) &- Int(here)) }
        let magnitude = Int(clamping: here < there ? there - here : here - there)
        return Stride(nanoseconds: here < there ? magnitude : -magnitude)
      }

      /// Returns the point in time that's a stride away from this one.
      ///
      /// Dispatch's range ends 146 years after the machine started. Later points become `distantFuture`, which doesn't change
      /// when you add a stride. Points before the machine started become 1 ns after its start.
      @inlinable
      public func advanced(by stride: Stride) -> Self {
        let here = dispatchTime.uptimeNanoseconds
        let sum = here &+ UInt64(truncatingIfNeeded: stride.magnitude)
        // Both are in Dispatch's range, which excludes `distantFuture`.
        if stride.magnitude >= 0, here > 0, here < 1 << 62, sum < 1 << 62 - 1 {
          return Self(DispatchTime(uptimeNanoseconds: sum))
        }
        return advancedToLimits(by: stride)
      }

      @usableFromInline
      func advancedToLimits(by stride: Stride) -> Self {
        guard dispatchTime != .distantFuture else { return self }
        let here = dispatchTime.uptimeNanoseconds
        let distance = UInt64(stride.magnitude.magnitude)
        guard stride.magnitude < 0 else {
          let (sum, overflow) = here.addingReportingOverflow(distance)
          return Self(overflow ? .distantFuture : DispatchTime(clampedNanoseconds: sum))
        }
        return Self(DispatchTime(clampedNanoseconds: here < distance ? 0 : here - distance))
      }

      // Not declared as an operator, for the reason that `ClockStride` gives.

      /// Returns whether the first point in time is before the second.
      @inlinable
      @_implements(Comparable,<(_:_:))
      public static func _isBefore(lhs: Self, rhs: Self) -> Bool { lhs.dispatchTime < rhs.dispatchTime }

      /// Returns whether both are the same point in time.
      @inlinable
      @_implements(Equatable,==(_:_:))
      public static func _isEqual(lhs: Self, rhs: Self) -> Bool {
        lhs.dispatchTime.uptimeNanoseconds == rhs.dispatchTime.uptimeNanoseconds
      }

      public func hash(into hasher: inout Hasher) { hasher.combine(dispatchTime.uptimeNanoseconds) }
    }

    /// Options for running an action on a dispatch queue.
    public struct SchedulerOptions: @unchecked Sendable {
      // `Sendable` is unchecked because Dispatch doesn't declare it for its flags, which are a plain number.

      /// The action's quality of service. If it's `unspecified`, the queue's applies.
      public var qos: DispatchQoS

      /// Flags for running the action, such as `barrier`.
      public var flags: DispatchWorkItemFlags

      /// The group that the action belongs to until it has run or has been cancelled.
      public var group: DispatchGroup?

      /// Creates options for an action. The default values have no effect.
      ///
      /// - Parameters:
      ///   - qos: The action's quality of service.
      ///   - flags: Flags for running the action.
      ///   - group: The group that the action belongs to.
      public init(qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], group: DispatchGroup? = nil) {
        self.qos = qos
        self.flags = flags
        self.group = group
      }
    }
  }

  extension DispatchQueue.SchedulerTimeType {
    /// The distance between two points in a dispatch queue's time, in whole nanoseconds.
    ///
    /// Arithmetic saturates at about 292 years in either direction instead of overflowing. A literal is a number of seconds.
    /// Multiplication interprets both factors as numbers of seconds, so `stride * 2` is twice the stride. A stride is encoded
    /// like Combine's type: `{"_nanoseconds": …}`.
    @frozen
    public struct Stride: SchedulerTimeIntervalConvertible, SignedNumeric, Comparable, Hashable, Codable, Sendable,
      ExpressibleByFloatLiteral
    {
      /// The number of nanoseconds, negative for a stride back in time.
      public var magnitude: Int

      /// The number of nanoseconds.
      @inlinable
      public var _nanoseconds: Int? { magnitude }

      /// The stride as a `DispatchTimeInterval`.
      public var timeInterval: DispatchTimeInterval { .nanoseconds(magnitude) }

      private enum CodingKeys: String, CodingKey {
        case magnitude = "_nanoseconds"
      }

      @inlinable
      init(nanoseconds: Int) { magnitude = nanoseconds }

      /// Creates a stride from a `DispatchTimeInterval`.
      ///
      /// - Parameter timeInterval: The interval. `never` becomes the longest stride.
      public init(_ timeInterval: DispatchTimeInterval) {
        switch timeInterval {
        case .seconds(let count): self = .seconds(count)
        case .milliseconds(let count): self = .milliseconds(count)
        case .microseconds(let count): self = .microseconds(count)
        case .nanoseconds(let count): self = .nanoseconds(count)
        case .never: self = .nanoseconds(.max)
        @unknown default: self = .nanoseconds(.max)
        }
      }

      /// Creates a stride from a floating-point literal.
      ///
      /// - Parameter value: The number of seconds. NaN stops the program.
      public init(floatLiteral value: Double) { self = .seconds(value) }

      /// Creates a stride from an integer literal.
      ///
      /// - Parameter value: The number of seconds.
      public init(integerLiteral value: Int) { self = .seconds(value) }

      /// Creates a stride from a number of seconds, or returns `nil` if the number doesn't fit in `Int`.
      ///
      /// - Parameter source: The number of seconds.
      public init?<T: BinaryInteger>(exactly source: T) {
        guard let seconds = Int(exactly: source) else { return nil }
        self = .seconds(seconds)
      }

      /// Converts a whole number of seconds to a stride.
      public static func seconds(_ s: Int) -> Self { Self(nanoseconds: s.multipliedSaturating(by: 1_000_000_000)) }

      /// Converts a number of seconds to a stride, rounded to the nearest nanosecond. NaN stops the program.
      public static func seconds(_ s: Double) -> Self { Self(nanoseconds: Int(saturating: s * 1_000_000_000)) }

      /// Converts a number of milliseconds to a stride.
      public static func milliseconds(_ ms: Int) -> Self { Self(nanoseconds: ms.multipliedSaturating(by: 1_000_000)) }

      /// Converts a number of microseconds to a stride.
      public static func microseconds(_ us: Int) -> Self { Self(nanoseconds: us.multipliedSaturating(by: 1_000)) }

      /// Converts a number of nanoseconds to a stride.
      @inlinable
      public static func nanoseconds(_ ns: Int) -> Self { Self(nanoseconds: ns) }

      /// Returns whether the first stride is less than the second.
      @inlinable
      @_implements(Comparable,<(_:_:))
      public static func _isLess(lhs: Self, rhs: Self) -> Bool { lhs.magnitude < rhs.magnitude }

      /// Returns the sum of two strides.
      @_implements(AdditiveArithmetic,+(_:_:))
      public static func _sum(lhs: Self, rhs: Self) -> Self {
        Self(nanoseconds: lhs.magnitude.addingSaturating(rhs.magnitude))
      }

      /// Returns the difference of two strides.
      @_implements(AdditiveArithmetic,-(_:_:))
      public static func _difference(lhs: Self, rhs: Self) -> Self {
        Self(nanoseconds: lhs.magnitude.subtractingSaturating(rhs.magnitude))
      }

      /// Returns the product of two strides, both interpreted as numbers of seconds.
      @_implements(Numeric,*(_:_:))
      public static func _product(lhs: Self, rhs: Self) -> Self {
        Self(nanoseconds: lhs.magnitude.multiplied(by: rhs.magnitude, dividedBy: 1_000_000_000))
      }

      /// Multiplies a stride by another, interpreting both as numbers of seconds.
      @_implements(Numeric,*=(_:_:))
      public static func _multiply(lhs: inout Self, rhs: Self) { lhs = lhs * rhs }
    }
  }

  extension DispatchQueue.SchedulerTimeType.Stride: CustomStringConvertible {
    /// The stride as text, in a unit that keeps the text short: `20 ms`, `1.5 s`.
    public var description: String { DurationText.described(magnitude) }
  }

  extension DispatchTime {
    /// Creates a time from nanoseconds since the machine started, clamped to Dispatch's range.
    ///
    /// Dispatch interprets zero as "now" and uses the two highest bits to identify the clock.
    fileprivate init(clampedNanoseconds nanoseconds: UInt64) {
      self = nanoseconds < 1 << 62 - 1 ? DispatchTime(uptimeNanoseconds: max(1, nanoseconds)) : .distantFuture
    }
  }
#endif
