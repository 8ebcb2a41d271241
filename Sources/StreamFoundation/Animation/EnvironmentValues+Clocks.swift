#if canImport(SwiftUI)
  public import SwiftUI

  private enum ContinuousClockKey: EnvironmentKey {
    static var defaultValue: any Clock<Duration> { ContinuousClock() }
  }

  private enum SuspendingClockKey: EnvironmentKey {
    static var defaultValue: any Clock<Duration> { SuspendingClock() }
  }

  extension EnvironmentValues {
    /// A clock on which views can sleep, and which keeps running while the machine is asleep. Previews and tests can
    /// replace it.
    public var continuousClock: any Clock<Duration> {
      get { self[ContinuousClockKey.self] }
      set { self[ContinuousClockKey.self] = newValue }
    }

    /// A clock on which views can sleep, and which stops while the machine is asleep. Previews and tests can replace
    /// it.
    public var suspendingClock: any Clock<Duration> {
      get { self[SuspendingClockKey.self] }
      set { self[SuspendingClockKey.self] = newValue }
    }
  }
#endif
