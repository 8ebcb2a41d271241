internal import Synchronization

/// Checks that a closure that inherited an actor's isolation is called on that actor.
///
/// Created in debug builds only; see `checking`.
@usableFromInline
package final class ClosureCheck {
  /// Weak, because a closure of the actor's own stream must not retain the actor.
  private weak let actor: (any Actor)?
  private let function: StaticString
  private let place: SourcePlace

  /// Indicates whether there is nothing left to report.
  private let isDone = Atomic(false)

  /// The reports so far, so that each place is reported once in a process.
  // Unchecked: the lock protects the set.
  private nonisolated(unsafe) static let reported = Locked<Set<String>>([])

  @usableFromInline
  init(
    _ actor: any Actor, _ fileID: StaticString, _ filePath: StaticString, _ line: UInt, _ column: UInt,
    _ function: StaticString
  ) {
    self.actor = actor
    self.function = function
    place = SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Reports the closure if the caller is not on its actor.
  @usableFromInline
  func callAsFunction() {
    guard !isDone.load(ordering: .relaxed), let actor, !ActorHop.isCurrent(actor) else { return }
    // On a queue on which code of the main actor waits synchronously, only the runtime knows.
    guard !ActorHop.isCurrentToRuntime(actor) else { return }
    isDone.store(true, ordering: .relaxed)
    // The base name of a function ends where its labels begin.
    let name = "\(function)".prefix { $0 != "(" }
    let isNew = Self.reported.withLock { $0.insert("\(place.filePath):\(place.line):\(place.column) \(name)").inserted }
    guard isNew else { return }
    let type = "\(type(of: actor))"
    Surroundings.report(
      """
      The closure of \(name), created at \(place.description) on \(type), was called outside of that actor. Deliver values \
      on the actor with receive(on: \(actor is MainActor ? "MainActor.shared" : "the actor")) before \(name), or, if the \
      closure uses nothing of the actor, write \(name)(isolation: nil) { … }.
      """, at: place)
  }
}

extension (any Actor)? {
  /// Returns a check for the calls of a closure with this isolation, or `nil` in release builds and outside actors.
  @inlinable
  func check(
    _ fileID: StaticString, _ filePath: StaticString, _ line: UInt, _ column: UInt, _ function: StaticString
  ) -> ClosureCheck? {
    var check: ClosureCheck?
    // The condition of an assertion is compiled into debug builds only.
    assert(
      {
        check = map { ClosureCheck($0, fileID, filePath, line, column, function) }
        return true
      }())
    return check
  }

  @inlinable
  func checking<R>(
    _ closure: @escaping () -> R, _ fileID: StaticString, _ filePath: StaticString, _ line: UInt, _ column: UInt,
    _ function: StaticString = #function
  ) -> () -> R {
    guard let check = check(fileID, filePath, line, column, function) else { return closure }
    return {
      check()
      return closure()
    }
  }

  @inlinable
  func checking<A, R>(
    _ closure: @escaping (A) -> R, _ fileID: StaticString, _ filePath: StaticString, _ line: UInt, _ column: UInt,
    _ function: StaticString = #function
  ) -> (A) -> R {
    guard let check = check(fileID, filePath, line, column, function) else { return closure }
    return {
      check()
      return closure($0)
    }
  }

  @inlinable
  func checking<A, R>(
    _ closure: @escaping (A) throws -> R, _ fileID: StaticString, _ filePath: StaticString, _ line: UInt,
    _ column: UInt,
    _ function: StaticString = #function
  ) -> (A) throws -> R {
    guard let check = check(fileID, filePath, line, column, function) else { return closure }
    return {
      check()
      return try closure($0)
    }
  }

  @inlinable
  func checking<A>(
    _ closure: @escaping (A) -> Bool, _ fileID: StaticString, _ filePath: StaticString, _ line: UInt, _ column: UInt,
    _ function: StaticString = #function
  ) -> (A) -> Bool {
    guard let check = check(fileID, filePath, line, column, function) else { return closure }
    return {
      check()
      return closure($0)
    }
  }

  @inlinable
  func checking<A>(
    _ closure: @escaping (A) throws -> Bool, _ fileID: StaticString, _ filePath: StaticString, _ line: UInt,
    _ column: UInt,
    _ function: StaticString = #function
  ) -> (A) throws -> Bool {
    guard let check = check(fileID, filePath, line, column, function) else { return closure }
    return {
      check()
      return try closure($0)
    }
  }

  @inlinable
  func checking<A, B, R>(
    _ closure: @escaping (A, B) -> R, _ fileID: StaticString, _ filePath: StaticString, _ line: UInt, _ column: UInt,
    _ function: StaticString = #function
  ) -> (A, B) -> R {
    guard let check = check(fileID, filePath, line, column, function) else { return closure }
    return {
      check()
      return closure($0, $1)
    }
  }

  @inlinable
  func checking<A, B, R>(
    _ closure: @escaping (A, B) throws -> R, _ fileID: StaticString, _ filePath: StaticString, _ line: UInt,
    _ column: UInt,
    _ function: StaticString = #function
  ) -> (A, B) throws -> R {
    guard let check = check(fileID, filePath, line, column, function) else { return closure }
    return {
      check()
      return try closure($0, $1)
    }
  }

  @inlinable
  func checking<A>(
    _ closure: @escaping (A, A) -> Bool, _ fileID: StaticString, _ filePath: StaticString, _ line: UInt, _ column: UInt,
    _ function: StaticString = #function
  ) -> (A, A) -> Bool {
    guard let check = check(fileID, filePath, line, column, function) else { return closure }
    return {
      check()
      return closure($0, $1)
    }
  }

  @inlinable
  func checking<A>(
    _ closure: @escaping (A, A) throws -> Bool, _ fileID: StaticString, _ filePath: StaticString, _ line: UInt,
    _ column: UInt,
    _ function: StaticString = #function
  ) -> (A, A) throws -> Bool {
    guard let check = check(fileID, filePath, line, column, function) else { return closure }
    return {
      check()
      return try closure($0, $1)
    }
  }

  @inlinable
  func checking<A, B, C, R>(
    _ closure: @escaping (A, B, C) -> R, _ fileID: StaticString, _ filePath: StaticString, _ line: UInt, _ column: UInt,
    _ function: StaticString = #function
  ) -> (A, B, C) -> R {
    guard let check = check(fileID, filePath, line, column, function) else { return closure }
    return {
      check()
      return closure($0, $1, $2)
    }
  }

  @inlinable
  func checking<A, B, C, D, R>(
    _ closure: @escaping (A, B, C, D) -> R, _ fileID: StaticString, _ filePath: StaticString, _ line: UInt,
    _ column: UInt,
    _ function: StaticString = #function
  ) -> (A, B, C, D) -> R {
    guard let check = check(fileID, filePath, line, column, function) else { return closure }
    return {
      check()
      return closure($0, $1, $2, $3)
    }
  }

  @inlinable
  func checking<R>(
    _ closure: (() -> R)?, _ fileID: StaticString, _ filePath: StaticString, _ line: UInt, _ column: UInt,
    _ function: StaticString = #function
  ) -> (() -> R)? {
    guard let closure, let check = check(fileID, filePath, line, column, function) else { return closure }
    return {
      check()
      return closure()
    }
  }

  @inlinable
  func checking<A, R>(
    _ closure: ((A) -> R)?, _ fileID: StaticString, _ filePath: StaticString, _ line: UInt, _ column: UInt,
    _ function: StaticString = #function
  ) -> ((A) -> R)? {
    guard let closure, let check = check(fileID, filePath, line, column, function) else { return closure }
    return {
      check()
      return closure($0)
    }
  }
}
