internal import Synchronization

/// A registered kind of context, such as a task-local value. It captures the value, and binds it around a delivery.
///
/// The closures capture nothing of the kernel, and receive its objects as arguments. They're created where the carrier is
/// registered and the value's type is known. So they call specialized code, unlike methods of a generic class.
///
/// The process's carriers form a list that only grows.
@usableFromInline @_fixed_layout
package final class ContextCarrier: @unchecked Sendable {
  // Unchecked: constant once it has been registered, apart from what `Sendable` closures capture.
  @usableFromInline package typealias Capture = (ContextCarrier, _ previous: ContextSnapshot?) -> ContextSnapshot
  @usableFromInline package typealias Bind = (ContextSnapshot, _ body: () -> Void) -> Void

  /// The carrier that was registered before this one.
  // Exclusive: written only before the carrier is published.
  @usableFromInline @exclusivity(unchecked) package private(set) var next: ContextCarrier?

  /// The identity of the context, if it has one, which keeps it from being registered twice.
  private let identity: ObjectIdentifier?

  /// A closure that captures the values of this carrier and the ones before it. Returns `previous` if the values are the same.
  @usableFromInline package let capture: Capture

  /// A closure that calls another one under a snapshot's context.
  fileprivate let bind: Bind

  @usableFromInline
  package init(_ identity: ObjectIdentifier?, capture: @escaping Capture, bind: @escaping Bind) {
    self.identity = identity
    self.capture = capture
    self.bind = bind
  }

  // The objects of the list are never released.
  private static let newest = Atomic<Unmanaged<ContextCarrier>?>(nil)

  /// The carrier that was registered last, if there's one.
  @inline(__always)
  static var current: Unmanaged<ContextCarrier>? { newest.load(ordering: .acquiring) }

  package static var isAny: Bool { RuntimeFeatures.includes(.contexts) }

  /// Registers a kind of context, unless one with the same identity has been registered.
  @inlinable
  package static func register<Value: Sendable>(
    _ identity: ObjectIdentifier?, get: @escaping @Sendable () -> Value,
    bind: @escaping @Sendable (Value, () -> Void) -> Void
  ) {
    let carrier = ContextCarrier(identity) { carrier, previous in
      let value = get()
      // Another kind of context may have been registered since.
      let previous = previous.flatMap { $0.carrier === carrier ? $0 : nil }
      let next = carrier.next.map { $0.capture($0, previous?.next) }
      if let previous, next === previous.next, unsafeDowncast(previous, to: TypedSnapshot<Value>.self).holds(value) {
        return previous
      }
      return TypedSnapshot(value, of: carrier, next)
    } bind: { snapshot, body in
      let next = snapshot.next
      var isCalled = false
      bind(unsafeDowncast(snapshot, to: TypedSnapshot<Value>.self).value) {
        if isCalled { stopAtSecondCall() }
        isCalled = true
        if let next { next.run(body) } else { body() }
      }
      if !isCalled { stopAtMissingCall() }
    }
    carrier.publish()
  }

  @usableFromInline
  package func publish() {
    let new = Unmanaged.passRetained(self)
    while true {
      let last = Self.newest.load(ordering: .acquiring)
      var known = last?.takeUnretainedValue()
      while let other = known {
        if identity != nil, other.identity == identity { return new.release() }
        known = other.next
      }
      next = last?.takeUnretainedValue()
      let (isNewest, _) = Self.newest.compareExchange(expected: last, desired: new, ordering: .acquiringAndReleasing)
      if isNewest { return RuntimeFeatures.set(.contexts, true) }
    }
  }
}

/// The context of a value that waits for its delivery: what each carrier captured when the value was enqueued.
@usableFromInline @_fixed_layout
package class ContextSnapshot: @unchecked Sendable {
  // Unchecked: constant.
  @usableFromInline package final unowned(unsafe) let carrier: ContextCarrier
  @usableFromInline package final let next: ContextSnapshot?

  @inlinable
  package init(of carrier: ContextCarrier, _ next: ContextSnapshot?) {
    self.carrier = carrier
    self.next = next
  }

  /// Captures the caller's context, if any context is carried. Returns `previous` if the context is the same, so consecutive
  /// values with the same context share one snapshot. Never called under a lock, because it may run user code.
  @usableFromInline @inline(never)
  package static func captured(like previous: ContextSnapshot? = nil) -> ContextSnapshot? {
    guard let carrier = ContextCarrier.current else { return nil }
    return carrier._withUnsafeGuaranteedRef { $0.capture($0, previous) }
  }

  /// Calls a closure under this context.
  @usableFromInline
  package final func run(_ body: () -> Void) { carrier.bind(self, body) }

  /// Calls a closure under a context or, if it's `nil`, under the caller's.
  @usableFromInline
  package static func run(_ context: ContextSnapshot?, _ body: () -> Void) {
    if let context { context.run(body) } else { body() }
  }

  /// Returns a closure that calls another one under the caller's current context, if any context is carried.
  @usableFromInline @inline(never)
  package static func following(_ work: @escaping () -> Void) -> () -> Void {
    guard let context = captured() else { return work }
    return { context.run(work) }
  }
}

@usableFromInline @_fixed_layout
package final class TypedSnapshot<Value: Sendable>: ContextSnapshot, @unchecked Sendable {
  // Unchecked: constant.
  @usableFromInline package let value: Value

  @inlinable
  package init(_ value: Value, of carrier: ContextCarrier, _ next: ContextSnapshot?) {
    self.value = value
    super.init(of: carrier, next)
  }

  /// Indicates whether a value certainly equals this snapshot's, because it has the same bytes. The snapshot keeps alive
  /// everything that its value refers to.
  @inlinable @inline(__always)
  package func holds(_ other: Value) -> Bool {
    withUnsafeBytes(of: value) { own in
      withUnsafeBytes(of: other) { other in
        var offset = 0
        while offset &+ 8 <= own.count {
          guard
            own.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
              == other.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
          else { return false }
          offset &+= 8
        }
        while offset < own.count {
          if own[offset] != other[offset] { return false }
          offset &+= 1
        }
        return true
      }
    }
  }
}

/// Stops the program because values would otherwise overlap.
@usableFromInline @inline(never)
package func stopAtSecondCall() -> Never {
  stopProgram(
    "The `restore` closure that was passed to StreamContext.carry(capture:restore:) must call its second parameter only once."
  )
}

/// Stops the program because a value would otherwise be lost, along with the values behind it.
@usableFromInline @inline(never)
package func stopAtMissingCall() -> Never {
  stopProgram(
    "The `restore` closure that was passed to StreamContext.carry(capture:restore:) must call its second parameter before "
      + "it returns.")
}
