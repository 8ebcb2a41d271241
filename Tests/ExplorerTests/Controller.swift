import Dispatch
import Foundation
import Synchronization

@testable import Streams

// `@testable`: the controller stands in place of locks and atomics, whose steps nothing public shows.

/// What a controlled thread tells the controller before it goes on.
enum Message: Hashable {
  case started
  case finished
  case load(UInt, isAcquiring: Bool)
  case store(UInt, UInt64, isReleasing: Bool)
  case exchange(UInt, UInt64, isAcquiring: Bool, isReleasing: Bool)
  case compareExchange(UInt, expected: UInt64, desired: UInt64, isAcquiring: Bool, isReleasing: Bool)
  case acquire(UInt)
  case sleep(UInt)
  // Not steps: the thread goes on at once.
  case release(UInt)
  case wakeAll(UInt)

  var isStep: Bool {
    switch self {
    case .started, .finished, .release, .wakeAll: false
    default: true
    }
  }

  /// The object that the step concerns, and whether the step may change it.
  var object: (address: UInt, isWrite: Bool)? {
    switch self {
    case .load(let address, _): (address, false)
    case .store(let address, _, _), .exchange(let address, _, _, _), .compareExchange(let address, _, _, _, _),
      .acquire(let address), .sleep(let address), .release(let address), .wakeAll(let address):
      (address, true)
    case .started, .finished: nil
    }
  }

  /// A description that does not depend on addresses, to compare repetitions of an order.
  var kind: String {
    switch self {
    case .started: "started"
    case .finished: "finished"
    case .load(_, let isAcquiring): "load\(isAcquiring ? " acquiring" : "")"
    case .store(_, _, let isReleasing): "store\(isReleasing ? " releasing" : "")"
    case .exchange: "exchange"
    case .compareExchange: "compare-exchange"
    case .acquire: "lock"
    case .sleep: "sleep"
    case .release: "unlock"
    case .wakeAll: "wake"
    }
  }

  func isIndependent(of other: Message) -> Bool {
    guard let mine = object, let others = other.object else { return true }
    return mine.address != others.address || !mine.isWrite && !others.isWrite
  }
}

/// A thread that runs one closure in each run, and waits for its turn before each step.
///
/// The two sides exchange messages through relaxed atomics only, whose order the processor keeps (x86) or the spinning
/// delays (ARM): ThreadSanitizer sees no synchronization in a hand-over, so it reports every access of the kernel that the
/// kernel itself does not order. Only the beginning and the end of a run are synchronized.
final class ControlledThread: @unchecked Sendable {
  // Unchecked: `body` is written before a run begins and read after that, ordered by `run`.
  private var body: () -> Void = {}
  private let run = Synchronization.Atomic(0)
  private let isAsleep = Synchronization.Atomic(false)
  private let timerID = DispatchSemaphore(value: 0)
  private let ended = Synchronization.Atomic(0)
  private let isMyTurn = Synchronization.Atomic(false)
  private let kind = Synchronization.Atomic(0)
  private let address = Synchronization.Atomic<UInt>(0)
  private let first = Synchronization.Atomic<UInt64>(0)
  private let second = Synchronization.Atomic<UInt64>(0)
  private let reply = Synchronization.Atomic<UInt64>(0)
  /// The bits of the atomic value before the access that the thread announces.
  let bitsBefore = Synchronization.Atomic<UInt64>(0)
  private var runs = 0

  init(_ index: Int) {
    let thread = Thread { [self] in
      pthread_setspecific(Controller.key, Unmanaged.passUnretained(self).toOpaque())
      var last = 0
      while true {
        last = awaitRun(after: last)
        _ = tell(.started)
        body()
        body = {}
        ended.store(last, ordering: .releasing)
        post(.finished)
      }
    }
    thread.name = "explored \(index)"
    thread.stackSize = 1 << 20
    thread.start()
  }

  /// Waits for the next run. A thread that takes part in no run of a scenario sleeps, so that it takes no time from the others.
  private func awaitRun(after last: Int) -> Int {
    for _ in 0..<10_000 {
      let next = run.load(ordering: .acquiring)
      if next != last { return next }
      sched_yield()
    }
    isAsleep.store(true, ordering: .sequentiallyConsistent)
    while run.load(ordering: .sequentiallyConsistent) == last { timerID.wait() }
    isAsleep.store(false, ordering: .sequentiallyConsistent)
    return run.load(ordering: .acquiring)
  }

  /// The controlled thread that calls, if one does.
  static var current: ControlledThread? {
    pthread_getspecific(Controller.key).map { Unmanaged<ControlledThread>.fromOpaque($0).takeUnretainedValue() }
  }

  // MARK: Called by the thread

  /// Sends a message and waits for the turn. Returns the answer.
  func tell(_ message: Message) -> UInt64 {
    post(message)
    while !isMyTurn.load(ordering: .relaxed) { sched_yield() }
    return reply.load(ordering: .relaxed)
  }

  private func post(_ message: Message) {
    let (number, place, one, two): (Int, UInt, UInt64, UInt64) =
      switch message {
      case .started: (0, 0, 0, 0)
      case .finished: (1, 0, 0, 0)
      case .load(let place, let acquires): (2 | flags(acquires, false), place, 0, 0)
      case .store(let place, let bits, let releases): (3 | flags(false, releases), place, bits, 0)
      case .exchange(let place, let bits, let acquires, let releases): (4 | flags(acquires, releases), place, bits, 0)
      case .compareExchange(let place, let expected, let desired, let acquires, let releases):
        (5 | flags(acquires, releases), place, expected, desired)
      case .acquire(let place): (6, place, 0, 0)
      case .sleep(let place): (7, place, 0, 0)
      case .release(let place): (8, place, 0, 0)
      case .wakeAll(let place): (9, place, 0, 0)
      }
    kind.store(number, ordering: .relaxed)
    address.store(place, ordering: .relaxed)
    first.store(one, ordering: .relaxed)
    second.store(two, ordering: .relaxed)
    isMyTurn.store(false, ordering: .relaxed)
  }

  private func flags(_ acquires: Bool, _ releases: Bool) -> Int { (acquires ? 16 : 0) | (releases ? 32 : 0) }

  // MARK: Called by the controller

  /// Begins a run, and returns at the thread's first message.
  func begin(_ body: @escaping () -> Void) {
    self.body = body
    runs += 1
    isMyTurn.store(true, ordering: .relaxed)
    run.store(runs, ordering: .sequentiallyConsistent)
    if isAsleep.load(ordering: .sequentiallyConsistent) { timerID.signal() }
    awaitMessage()
  }

  /// Lets the thread go on, and returns its next message.
  func goOn(_ answer: UInt64 = 0) -> Message {
    reply.store(answer, ordering: .relaxed)
    isMyTurn.store(true, ordering: .relaxed)
    awaitMessage()
    return message
  }

  func awaitEnd() {
    while ended.load(ordering: .acquiring) != runs { sched_yield() }
  }

  private func awaitMessage() {
    while isMyTurn.load(ordering: .relaxed) { sched_yield() }
  }

  private var message: Message {
    let number = kind.load(ordering: .relaxed)
    let (place, one, two) = (
      address.load(ordering: .relaxed), first.load(ordering: .relaxed), second.load(ordering: .relaxed)
    )
    let (acquires, releases) = (number & 16 != 0, number & 32 != 0)
    return switch number & 15 {
    case 0: .started
    case 1: .finished
    case 2: .load(place, isAcquiring: acquires)
    case 3: .store(place, one, isReleasing: releases)
    case 4: .exchange(place, one, isAcquiring: acquires, isReleasing: releases)
    case 5: .compareExchange(place, expected: one, desired: two, isAcquiring: acquires, isReleasing: releases)
    case 6: .acquire(place)
    case 7: .sleep(place)
    case 8: .release(place)
    default: .wakeAll(place)
    }
  }
}

/// Passes the steps of the kernel to the controlled thread that takes them.
final class Controller: InterleavingController {
  static let key = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  static let shared = {
    let controller = Controller()
    Interleaving.installed = controller
    return controller
  }()

  /// Indicates whether a lock is one step. Changed only between runs.
  private let locksAreSteps = Synchronization.Atomic(true)

  var isControllingThread: Bool { ControlledThread.current != nil }

  var treatsLocksAsSteps: Bool {
    get { locksAreSteps.load(ordering: .relaxed) }
    set { locksAreSteps.store(newValue, ordering: .relaxed) }
  }

  func access(_ access: AtomicAccess, at address: UInt, current: UInt64) -> UInt64 {
    guard let thread = ControlledThread.current else { return current }
    let message: Message =
      switch access {
      case .load(let acquires): .load(address, isAcquiring: acquires)
      case .store(let bits, let releases): .store(address, bits, isReleasing: releases)
      case .exchange(let bits, let acquires, let releases):
        .exchange(address, bits, isAcquiring: acquires, isReleasing: releases)
      case .compareExchange(let expected, let desired, let acquires, let releases):
        .compareExchange(address, expected: expected, desired: desired, isAcquiring: acquires, isReleasing: releases)
      }
    thread.bitsBefore.store(current, ordering: .relaxed)
    return thread.tell(message)
  }

  func acquire(_ address: UInt) { _ = ControlledThread.current?.tell(.acquire(address)) }
  func release(_ address: UInt) { _ = ControlledThread.current?.tell(.release(address)) }
  func sleep(_ address: UInt) { _ = ControlledThread.current?.tell(.sleep(address)) }
  func wakeAll(_ address: UInt) { _ = ControlledThread.current?.tell(.wakeAll(address)) }
}
