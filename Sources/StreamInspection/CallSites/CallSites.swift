internal import Streams

/// The number that ``CallSites`` has assigned to a place in a program.
package struct CallSiteID: Hashable, Sendable {
  package let rawValue: UInt32

  /// The number of a place that couldn't be noted.
  package static let unknown = CallSiteID(rawValue: 0)
}

/// The places in a program that subscribe, create subjects, and so on, stored as the return addresses of calls.
///
/// Noting a place takes about a thousand instructions, or a tenth of a microsecond, and needs memory only the first
/// time. Files and lines are looked up only when they're read, which takes milliseconds. Where the stack can't be
/// walked, every place is unknown.
///
/// The table keeps at most 16,384 stacks, which need 20 MB if each has the maximum depth.
package final class CallSites: @unchecked Sendable {
  // Unchecked because the table's lock protects the table and the places of its stacks. The rest of a stack is constant
  // once it's in the table.
  private let table: Locked<Table>

  /// The maximum number of calls in a stack. In an unoptimized build, subscribing to an operator takes four calls.
  private static let maxAddresses = 128

  /// The table of the process.
  package static let shared = CallSites()

  /// Creates a table.
  ///
  /// - Parameter capacity: The maximum number of different stacks. The places of further stacks are unknown.
  package init(capacity: Int = 1 << 14) { table = Locked(Table(capacity: capacity)) }

  /// Notes the current thread's call stack.
  ///
  /// The function that calls this one isn't left out, because it may be inlined in code outside the package.
  ///
  /// - Returns: The number of the stack. Equal stacks have the same number.
  @inline(never)
  package func note() -> CallSiteID {
    withUnsafeTemporaryAllocation(of: UInt.self, capacity: Self.maxAddresses) { room in
      let addresses = UnsafeBufferPointer(start: room.baseAddress, count: returnAddresses(into: room))
      guard !addresses.isEmpty else { return .unknown }
      let hash = Self.hash(addresses)
      let known = table.withLock { $0.find(addresses, hash) }
      guard known == .unknown else { return known }
      return add(NotedStack(addresses: Array(addresses), hash: hash))
    }
  }

  /// Returns the first place outside the package in a stack, or `nil` if it isn't known.
  ///
  /// The first call for a stack takes milliseconds, and the first call on each thread takes 60 to 100 ms, because it
  /// reads the program's debugging information.
  ///
  /// - Parameter id: A number that this table has returned.
  package func place(of id: CallSiteID) -> CodeLine? {
    let (stack, known) = table.withLock { table in
      let stack = table.stack(id)
      return (stack, stack?.place)
    }
    guard let stack else { return nil }
    if let known { return known }
    let place = CodeLine(firstIn: CallFrame.frames(of: stack.addresses))
    table.withLock { _ in stack.place = .some(place) }
    return place
  }

  /// Returns the functions of a stack, innermost first, including the package's own. Each is looked up when it's read.
  ///
  /// - Parameter id: A number that this table has returned.
  package func frames(of id: CallSiteID) -> some Sequence<CallFrame> {
    CallFrame.frames(of: table.withLock { $0.stack(id) }?.addresses ?? [])
  }

  /// The number of different stacks that have been noted.
  package var count: Int { table.withLock { $0.count } }

  @inline(never)
  private func add(_ stack: NotedStack) -> CallSiteID {
    table.withLock { $0.add(stack) }
  }

  private static func hash(_ addresses: UnsafeBufferPointer<UInt>) -> UInt {
    var hash: UInt = 0
    for address in addresses {
      // Neighboring calls differ in the low bits. The multiplication moves the difference up, and the shift moves it back down.
      hash = (hash ^ address) &* 0x9e37_79b9_7f4a_7c15
      hash ^= hash >> 29
    }
    return hash
  }
}

private final class NotedStack {
  let addresses: [UInt]
  let hash: UInt
  /// The number of stacks in the same bucket when this one was added, including itself.
  var ordinal: UInt32 = 0
  /// The stack that was added to the same bucket before this one.
  var next: NotedStack?
  /// The result of looking up the place, or `nil` if it hasn't been looked up.
  var place: CodeLine??

  init(addresses: [UInt], hash: UInt) {
    self.addresses = addresses
    self.hash = hash
  }
}

/// A hash table of stacks with a fixed number of buckets: the work under the lock is bounded and doesn't allocate.
private struct Table {
  private static let bucketBits = 12

  private let capacity: Int
  private var buckets = [NotedStack?](repeating: nil, count: 1 << bucketBits)
  private(set) var count = 0

  init(capacity: Int) { self.capacity = capacity }

  private static func bucket(_ hash: UInt) -> Int { Int(truncatingIfNeeded: hash) & (1 << bucketBits - 1) }

  func find(_ addresses: UnsafeBufferPointer<UInt>, _ hash: UInt) -> CallSiteID {
    let bucket = Self.bucket(hash)
    var next = buckets[bucket]
    while let stack = next {
      if stack.hash == hash, stack.addresses.elementsEqual(addresses) { return Self.id(stack, bucket) }
      next = stack.next
    }
    return .unknown
  }

  /// Adds a stack unless another thread has just added it.
  mutating func add(_ stack: NotedStack) -> CallSiteID {
    let known = stack.addresses.withUnsafeBufferPointer { find($0, stack.hash) }
    guard known == .unknown, count < capacity else { return known }
    let bucket = Self.bucket(stack.hash)
    stack.next = buckets[bucket]
    stack.ordinal = (stack.next?.ordinal ?? 0) + 1
    buckets[bucket] = stack
    count += 1
    return Self.id(stack, bucket)
  }

  func stack(_ id: CallSiteID) -> NotedStack? {
    var next = buckets[Self.bucket(UInt(id.rawValue))]
    while let stack = next, stack.ordinal != id.rawValue >> Self.bucketBits { next = stack.next }
    return next
  }

  /// Returns an ID with the bucket's number in the low bits, and the position in the bucket, counted from 1, in the others.
  private static func id(_ stack: NotedStack, _ bucket: Int) -> CallSiteID {
    CallSiteID(rawValue: stack.ordinal << UInt32(bucketBits) | UInt32(truncatingIfNeeded: bucket))
  }
}
