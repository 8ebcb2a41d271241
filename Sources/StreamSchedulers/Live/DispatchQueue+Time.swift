#if !canImport(Combine)
  public import Dispatch
  public import Streams

  extension DispatchQueue {
    /// A point in the time that dispatch queues go by.
    ///
    /// It is a `DispatchTime` with arithmetic in whole nanoseconds that stops at the ends instead of overflowing. It is coded
    /// as Combine's is: as the number of nanoseconds since the machine started, by itself.
    @frozen
    public struct SchedulerTimeType: Strideable, Hashable, Codable, Sendable {
      /// The point in time as Dispatch has it.
      public var dispatchTime: DispatchTime

      /// Makes one from Dispatch's own.
      @inlinable
      public init(_ time: DispatchTime) { dispatchTime = time }

      /// Reads the number of nanoseconds since the machine started.
      public init(from decoder: any Decoder) throws {
        let nanoseconds = try decoder.singleValueContainer().decode(UInt64.self)
        dispatchTime = DispatchTime(clampedNanoseconds: nanoseconds)
      }

      /// Writes the number of nanoseconds since the machine started.
      public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(dispatchTime.uptimeNanoseconds)
      }

      /// Returns how far it is to another point in time; to one that never comes, the longest stride there is.
      @inlinable
      public func distance(to other: Self) -> Stride {
        let (here, there) = (dispatchTime.uptimeNanoseconds, other.dispatchTime.uptimeNanoseconds)
        // Both are in the range that Dispatch can tell, so that their difference fits.
        if here | there < 1 << 62 { return Stride(nanoseconds: Int(there) &- Int(here)) }
        let magnitude = Int(clamping: here < there ? there - here : here - there)
        return Stride(nanoseconds: here < there ? magnitude : -magnitude)
      }

      /// Returns the point in time that is a stride away.
      ///
      /// What is too late for Dispatch to tell, 146 years after the start of the machine, is `distantFuture`, from where
      /// there is no way back; what is before the start of the machine is its first nanosecond.
      @inlinable
      public func advanced(by stride: Stride) -> Self {
        let here = dispatchTime.uptimeNanoseconds
        let sum = here &+ UInt64(truncatingIfNeeded: stride.magnitude)
        // Neither is out of the range that Dispatch can tell, which leaves out `distantFuture`.
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

      /// Whether one point in time is before another.
      @inlinable
      public static func < (lhs: Self, rhs: Self) -> Bool { lhs.dispatchTime < rhs.dispatchTime }

      /// Whether both are the same point in time.
      public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.dispatchTime.uptimeNanoseconds == rhs.dispatchTime.uptimeNanoseconds
      }

      /// Feeds the number of nanoseconds into a hasher.
      public func hash(into hasher: inout Hasher) { hasher.combine(dispatchTime.uptimeNanoseconds) }
    }

    /// How work is to run on a dispatch queue.
    public struct SchedulerOptions: @unchecked Sendable {
      // `Sendable` is unchecked because Dispatch does not declare it for its flags, which are a plain number.

      /// The quality of service to run with; unspecified for the queue's own.
      public var qos: DispatchQoS

      /// How the work relates to other work of the queue, as a barrier for example.
      public var flags: DispatchWorkItemFlags

      /// The group that the work belongs to until it has run or has been cancelled.
      public var group: DispatchGroup?

      /// Makes options; those that are left out change nothing.
      public init(qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], group: DispatchGroup? = nil) {
        self.qos = qos
        self.flags = flags
        self.group = group
      }
    }
  }

  extension DispatchQueue.SchedulerTimeType {
    /// A distance between two points in the time of dispatch queues, in whole nanoseconds.
    ///
    /// Arithmetic stops at the largest and the smallest distance, 292 years, instead of overflowing. A literal is a
    /// number of seconds, and multiplication is that of numbers of seconds, so `stride * 2` is twice the stride. It is coded
    /// as Combine's is: `{"magnitude": …}`, in nanoseconds.
    @frozen
    public struct Stride: SchedulerTimeIntervalConvertible, SignedNumeric, Comparable, Hashable, Codable, Sendable,
      ExpressibleByFloatLiteral
    {
      /// The number of nanoseconds, negative for a distance back.
      public var magnitude: Int

      /// The number of nanoseconds.
      @inlinable
      public var _nanoseconds: Int? { magnitude }

      /// The distance as Dispatch has it.
      public var timeInterval: DispatchTimeInterval { .nanoseconds(magnitude) }

      @inlinable
      init(nanoseconds: Int) { magnitude = nanoseconds }

      /// Makes one from Dispatch's own; `never` becomes the largest distance.
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

      /// Makes a number of seconds.
      public init(floatLiteral value: Double) { self = .seconds(value) }

      /// Makes a number of seconds.
      public init(integerLiteral value: Int) { self = .seconds(value) }

      /// Makes a number of seconds, unless it is too large for an integer.
      public init?<T: BinaryInteger>(exactly source: T) {
        guard let seconds = Int(exactly: source) else { return nil }
        self = .seconds(seconds)
      }

      /// A whole number of seconds.
      public static func seconds(_ s: Int) -> Self { Self(nanoseconds: s.multipliedSaturating(by: 1_000_000_000)) }

      /// A number of seconds, rounded to whole nanoseconds; what is not a number stops the program.
      public static func seconds(_ s: Double) -> Self { Self(nanoseconds: Int(saturating: s * 1_000_000_000)) }

      /// A whole number of thousandths of a second.
      public static func milliseconds(_ ms: Int) -> Self { Self(nanoseconds: ms.multipliedSaturating(by: 1_000_000)) }

      /// A whole number of millionths of a second.
      public static func microseconds(_ us: Int) -> Self { Self(nanoseconds: us.multipliedSaturating(by: 1_000)) }

      /// A whole number of billionths of a second.
      @inlinable
      public static func nanoseconds(_ ns: Int) -> Self { Self(nanoseconds: ns) }

      /// Whether one distance is less than another.
      @inlinable
      public static func < (lhs: Self, rhs: Self) -> Bool { lhs.magnitude < rhs.magnitude }

      /// The sum of two distances.
      public static func + (lhs: Self, rhs: Self) -> Self {
        Self(nanoseconds: lhs.magnitude.addingSaturating(rhs.magnitude))
      }

      /// The difference of two distances.
      public static func - (lhs: Self, rhs: Self) -> Self {
        Self(nanoseconds: lhs.magnitude.subtractingSaturating(rhs.magnitude))
      }

      /// The product of two distances as numbers of seconds.
      public static func * (lhs: Self, rhs: Self) -> Self {
        Self(nanoseconds: lhs.magnitude.multiplied(by: rhs.magnitude, dividedBy: 1_000_000_000))
      }

      /// The same distance in the other direction.
      public static prefix func - (operand: Self) -> Self { .zero - operand }

      /// Turns the distance round.
      public mutating func negate() { self = -self }

      /// Adds a distance.
      public static func += (lhs: inout Self, rhs: Self) { lhs = lhs + rhs }

      /// Takes a distance away.
      public static func -= (lhs: inout Self, rhs: Self) { lhs = lhs - rhs }

      /// Multiplies with a distance, both as numbers of seconds.
      public static func *= (lhs: inout Self, rhs: Self) { lhs = lhs * rhs }
    }
  }

  extension DispatchTime {
    /// Makes a time from nanoseconds since the machine started, or the nearest one that Dispatch can tell.
    ///
    /// Zero means "now" to Dispatch, and the two highest bits say which clock is meant.
    fileprivate init(clampedNanoseconds nanoseconds: UInt64) {
      self = nanoseconds < 1 << 62 - 1 ? DispatchTime(uptimeNanoseconds: max(1, nanoseconds)) : .distantFuture
    }
  }
#endif
