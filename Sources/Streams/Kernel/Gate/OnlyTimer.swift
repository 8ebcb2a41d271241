/// The only timer of a machine.
@usableFromInline @frozen
package struct OnlyTimer {
  /// Indicates whether it is armed.
  @usableFromInline package var isArmed = false
  /// The number of the last arming. A timer that fires with another number is out of date.
  @usableFromInline package var number = 0
  /// What disarms it, once that is known.
  @usableFromInline package var object: TimerObject?
  /// The identity of the thread that is asking the scheduler for the timer, or 0, which no thread has.
  @usableFromInline package var armingThread: UInt = 0

  @inlinable package init() {}

  /// Indicates whether the timer fires within the call that asks for it, because the scheduler doesn't wait. It then reaches
  /// no date.
  @usableFromInline
  package var isBeingArmed: Bool { armingThread == ThreadState.identity }

  /// Has the machine arm the timer.
  @inlinable
  package mutating func arm<Output, Failure>(_ reaction: inout Reaction<Output, Failure>) {
    isArmed = true
    number &+= 1
    reaction.arm(number)
  }

  /// Has the engine arm the timer.
  package mutating func arm(_ reaction: inout ByteReaction) {
    isArmed = true
    number &+= 1
    reaction.arm(number)
  }

  package mutating func disarm(_ reaction: inout ByteReaction) {
    isArmed = false
    reaction.disarm(object.take())
  }

  /// Stores the object that disarms the timer, or returns it if the timer has fired or been disarmed meanwhile.
  @inlinable
  package mutating func armed(_ number: Int, _ object: TimerObject) -> TimerObject? {
    armingThread = 0
    guard isArmed, number == self.number else { return object }
    self.object = object
    return nil
  }

  /// Returns whether a timer that fires is this one, which is then no longer armed.
  @inlinable
  package mutating func fires(_ number: Int) -> Bool {
    guard isArmed, number == self.number else { return false }
    isArmed = false
    return true
  }

  @inlinable
  package mutating func disarm<Output, Failure>(_ reaction: inout Reaction<Output, Failure>) {
    isArmed = false
    reaction.disarm(object.take())
  }
}

/// An object that disarms a timer.
@usableFromInline
package typealias TimerObject = any Cancellable & AnyObject
