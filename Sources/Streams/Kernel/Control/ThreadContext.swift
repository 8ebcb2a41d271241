/// What the kernel knows of the current thread: how deep engines are nested, and what they have put off.
///
/// Engines can be nested without bound at run time (a `catch` whose handler returns a publisher that ends in a
/// `catch`, a recursive `flatMap`, a thousand `append`s in a loop). Each knows its level: one more than that of the
/// engine that attached it. Every 64th level is a *landing*: what passes through a landing while another landing is at
/// work on the same thread is put off until that one is done, so the stack holds two flights of levels at most.
@usableFromInline
final class ThreadContext {
  @exclusivity(unchecked) var level = 0
  @exclusivity(unchecked) private var isLanding = false
  @exclusivity(unchecked) private var deferred = Ring<() -> Void>()

  @exclusivity(unchecked) private var releaseDepth = 0
  @exclusivity(unchecked) private var doomed: [Any] = []

  /// How many levels there are between two landings.
  static let flight = 64

  private static let key: UInt = {
    var key: UInt = 0
    let result = POSIX.createKey(&key) { Unmanaged<ThreadContext>.fromOpaque($0!).release() }
    precondition(result == 0, "Streams could not create a thread-local key: the process has too many of them.")
    return key
  }()

  /// The context of the calling thread.
  @usableFromInline
  static var current: ThreadContext { unmanaged.takeUnretainedValue() }

  /// The context of the calling thread, which keeps it.
  private static var unmanaged: Unmanaged<ThreadContext> {
    if let existing = POSIX.threadValue(key) { return .fromOpaque(existing) }
    let context = Unmanaged.passRetained(ThreadContext())
    _ = POSIX.setThreadValue(key, context.toOpaque())
    return context
  }

  /// The level at which engines are made.
  static var level: Int { unmanaged._withUnsafeGuaranteedRef { $0.level } }

  /// Runs something that makes engines of that level.
  static func run(atLevel level: Int, _ work: () -> Void) {
    unmanaged._withUnsafeGuaranteedRef { context in
      let outer = context.level
      context.level = level
      work()
      context.level = outer
    }
  }

  /// Runs work at a landing: at once, and then whatever is put off meanwhile; or later, when a landing is at work.
  func land(_ work: @escaping () -> Void) {
    guard !isLanding else { return deferred.append(work) }
    isLanding = true
    work()
    while let next = deferred.popFirst() { next() }
    isLanding = false
  }

  /// Lets go of something that may hold more of its kind: nested at most one flight deep, the rest in a loop.
  func release<Value>(_ value: consuming Value) {
    guard releaseDepth < Self.flight else { return doomed.append(value) }
    releaseDepth += 1
    drop(value)
    if releaseDepth == 1 {
      while let next = doomed.popLast() { drop(next) }
    }
    releaseDepth -= 1
  }

  @inline(never)
  private func drop<Value>(_ value: consuming Value) {}
}

/// A constant that may hold more of its kind, and so on, without bound: it is released in a loop.
///
/// Streams may be nested a hundred thousand deep at run time, through erased subscribers.
@usableFromInline @frozen
struct Landed<Value>: ~Copyable {
  /// Not copyable, so that it can be moved out of what holds it.
  @usableFromInline @frozen
  struct Content: ~Copyable {
    @usableFromInline let value: Value

    @inlinable
    init(_ value: Value) { self.value = value }

    consuming func take() -> Value { value }
  }

  @usableFromInline let content: Content

  @inlinable
  init(_ value: Value) { content = Content(value) }

  @usableFromInline
  deinit { ThreadContext.current.release(content.take()) }
}
