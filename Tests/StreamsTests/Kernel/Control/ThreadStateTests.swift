import Dispatch
import Testing

@testable import Streams

// `@testable`: the state of one thread, whose limits a stream reaches only at great depths.

struct ThreadStateTests {
  @Test func `is the same object on one thread`() {
    #expect(ThreadState.current === ThreadState.current)
  }

  @Test(.ownThread) func `is another object on another thread`() {
    let here = ObjectIdentifier(ThreadState.current)
    let group = DispatchGroup()
    nonisolated(unsafe) var isOther = false
    let thread = DispatchQueue(label: "another")
    thread.async(group: group) { isOther = ObjectIdentifier(ThreadState.current) != here }
    group.wait()

    #expect(isOther)
  }

  @Test func `defers work while other work is trampoline`() {
    let context = ThreadState()
    var log: [String] = []
    context.trampoline(.down) {
      context.trampoline(.down) { log.append("inner") }
      log.append("outer")
    }

    #expect(log == ["outer", "inner"])
  }

  @Test func `runs deferred work in order`() {
    let context = ThreadState()
    var log: [Int] = []
    context.trampoline(.down) {
      for number in 1...3 {
        context.trampoline(.down) {
          log.append(number)
          if number == 1 { context.trampoline(.down) { log.append(4) } }
        }
      }
    }

    #expect(log == [1, 2, 3, 4])
  }

  @Test func `runs work of the other direction at once`() {
    let context = ThreadState()
    var log: [String] = []
    context.trampoline(.up) {
      context.trampoline(.down) {
        context.trampoline(.down) { log.append("put off") }
        context.trampoline(.up) { log.append("at once") }
        log.append("inner")
      }
      log.append("outer")
    }

    #expect(log == ["at once", "inner", "put off", "outer"])
  }

  @Test func `defers work of the other direction when much of the stack is used`() {
    let context = ThreadState()
    var count = 0
    func descend(_ direction: ThreadState.Direction) {
      count += 1
      if count < 100_000 { context.trampoline(direction) { descend(direction == .up ? .down : .up) } }
    }
    descend(.up)

    #expect(count == 100_000)
  }

  @Test func `runs work again after earlier work has ended`() {
    let context = ThreadState()
    var count = 0
    context.trampoline(.down) { count += 1 }
    context.trampoline(.down) { count += 1 }

    #expect(count == 2)
  }

  @Test func `releases a long chain without growing the stack`() {
    var deepest = 0
    final class Link {
      var next: Link?
      let onDeinit: () -> Void

      init(_ next: Link?, _ onDeinit: @escaping () -> Void) {
        self.next = next
        self.onDeinit = onDeinit
      }

      deinit {
        onDeinit()
        ThreadState.current.release(next.take() as Any)
      }
    }
    var top = 0
    var count = 0
    func noteStack() {
      count += 1
      var marker = 0
      let address = withUnsafeMutablePointer(to: &marker) { Int(bitPattern: $0) }
      if top == 0 { top = address }
      deepest = max(deepest, abs(top - address))
    }
    var chain: Link?
    for _ in 0..<100_000 { chain = Link(chain, noteStack) }
    chain = nil

    #expect(count == 100_000)
    #expect(deepest < 200_000)
  }

  @Test func `releases all deferred objects`() {
    let context = ThreadState()
    final class Leaf {}
    weak var leaf: Leaf?
    do {
      let object = Leaf()
      leaf = object
      context.release(object)
    }

    #expect(leaf == nil)
  }

  @Test func `an erased publisher goes through a trampoline a segment of levels above the previous one`() {
    func place(_ level: Int) -> ThreadState.Ground {
      let outer = ThreadState.enter(level: level)
      defer { restoreSourceLevel(outer) }
      return ThreadState.enterErased()
    }
    let segment = ThreadState.segment
    #expect(ThreadState.enterErased() == .ground)
    #expect(place(segment - 1) == .low)
    #expect(place(segment) == .aboveEngines)
    let outer = ThreadState.enter(level: segment)
    ThreadState.trampolineAttaching {
      #expect(place(2 * segment - 1) == .low)
      #expect(place(2 * segment) == .aboveEngines)
    }
    restoreSourceLevel(outer)
    #expect(place(segment - 1) == .low)
    ThreadState.leaveGround()
  }

  /// Logs the order of signals, and requests in `receive(subscription:)`.
  private final class OrderLog: Subscriber {
    var log: [String] = []

    func receive(subscription: any Subscription) {
      subscription.request(.unlimited)
      log.append("subscription")
    }

    func receive(_ input: Int) -> Subscribers.Demand {
      log.append("\(input)")
      return .none
    }

    func receive(completion: Subscribers.Completion<Never>) { log.append("completion") }
  }

  @Test(arguments: [0, 1]) func `the subscription comes first, however deeply the source is nested`(dropped: Int) {
    // At 128 engines, the source itself is attached at the second trampoline, and the first one puts the subscription off.
    for engines in 100...140 {
      var chain = [1].publisher.eraseToAnyPublisher().dropFirst(dropped).merge(with: Empty()).eraseToAnyPublisher()
      for _ in 1..<engines { chain = chain.merge(with: Empty()).eraseToAnyPublisher() }
      let subscriber = OrderLog()
      chain.subscribe(subscriber)

      #expect(subscriber.log == ["subscription"] + (dropped == 0 ? ["1"] : []) + ["completion"], "\(engines)")
    }
  }

  @Test func `attaching a long chain of erased publishers leaves the level as it was`() {
    let level = ThreadState.level
    var chain = PassthroughSubject<Int, Never>().eraseToAnyPublisher()
    for _ in 0..<2_000 { chain = chain.append(Empty()).eraseToAnyPublisher() }
    // Without engines, so that the first trampoline is at the level of the caller.
    for _ in 0..<2_000 { chain = chain.map { $0 }.eraseToAnyPublisher() }
    chain.sink { _ in }.cancel()

    #expect(ThreadState.level == level)
  }
}
