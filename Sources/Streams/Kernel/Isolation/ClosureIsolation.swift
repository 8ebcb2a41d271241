internal import Synchronization

/// Checks that a closure which inherited the isolation of an actor is called on that actor.
///
/// Made in debug builds only, see `checking`.
@usableFromInline
package final class ClosureCheck {
  /// Weak, because the closure of an actor's own stream must not keep the actor.
  private weak let actor: (any Actor)?
  private let function: StaticString
  private let place: SourcePlace

  /// Whether there is nothing left to say.
  private let isDone = Atomic(false)

  /// What has been reported, so that a place is named once in a process.
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
    // On a queue that somebody on the main actor waits for, only the runtime knows.
    guard !ActorHop.isCurrentToRuntime(actor) else { return }
    isDone.store(true, ordering: .relaxed)
    // What a function is called ends where its labels begin.
    let name = "\(function)".prefix { $0 != "(" }
    let isNew = Self.reported.withLock { $0.insert("\(place.filePath):\(place.line):\(place.column) \(name)").inserted }
    guard isNew else { return }
    let type = "\(type(of: actor))"
    Surroundings.report(
      """
      The closure of \(name), made at \(place.description) on \(type), was called elsewhere. Let values arrive there with \
      receive(on: \(actor is MainActor ? "MainActor.shared" : "the actor")) before it, or, if it uses nothing of the actor, \
      write \(name)(isolation: nil) { … }.
      """, at: place)
  }
}

extension (any Actor)? {
  /// What checks the calls of a closure that was made with this isolation: nil in release builds and outside actors.
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
