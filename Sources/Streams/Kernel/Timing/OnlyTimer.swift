package struct OnlyTimer {
  package var isArmed = false
  /// The number of the timer armed last. A timer that fires with another number is out of date.
  package var number = 0
  /// The object that disarms the timer, once it's known.
  package var object: TimerObject?
  /// The identity of the thread that is asking the scheduler for the timer, or 0, which no thread has.
  package var armingThread: UInt = 0

  package init() {}

  /// Indicates whether the timer fires within the call that asks for it, because the scheduler doesn't wait. In that case, the
  /// timer's date hasn't been reached.
  package var isBeingArmed: Bool { armingThread == ThreadState.identity }

  package mutating func arm(_ reaction: inout Reaction) {
    isArmed = true
    number &+= 1
    reaction.arm(number)
  }

  package mutating func disarm(_ reaction: inout Reaction) {
    isArmed = false
    reaction.disarm(object.take())
  }

  /// Stores the object that disarms the timer, or returns it if the timer has already fired or been disarmed.
  package mutating func armed(_ number: Int, _ object: TimerObject) -> TimerObject? {
    armingThread = 0
    guard isArmed, number == self.number else { return object }
    self.object = object
    return nil
  }

  /// Returns whether a timer that fires is this one, which is then no longer armed.
  package mutating func fires(_ number: Int) -> Bool {
    guard isArmed, number == self.number else { return false }
    isArmed = false
    return true
  }
}

@usableFromInline
package typealias TimerObject = any Cancellable & AnyObject
