import Dispatch
import StreamSchedulers
import Testing

@testable import Streams

struct OldEngineTests {
  /// An error whose deinit runs a closure.
  private final class FragileError: Error, @unchecked Sendable {
    let onDeinit: () -> Void

    init(_ onDeinit: @escaping () -> Void) { self.onDeinit = onDeinit }

    deinit { onDeinit() }
  }

  @Test func `a replaced error may send a request from its deinit`() {
    var subscription: (any Subscription)?
    var count = 0
    let failing = Deferred {
      Fail<Int, any Error>(
        error: FragileError {
          count += 1
          subscription?.request(.max(1))
        })
    }
    failing.retry(3).subscribe(AnySubscriber(receiveSubscription: { subscription = $0 }))

    #expect(count >= 3)
  }

  @Test func `subscribes to a source that ends at once and its successors without growing the stack`() {
    var count = 0
    let engine = OldEngine(SuccessionMachine(followsFailure: false, successors: 100_000))
    func attach(_ slot: OldMachine.Slot) {
      count += 1
      engine.sourceEnded(slot, failed: false, attach: attach)
    }
    engine.attachSources(attach)

    #expect(count == 100_001)
  }

  @Test func `delivers an element directly when no other delivery is under way`() {
    let engine = OldEngine(FlatMapMachine(maxPublishers: .unlimited))
    engine.request(.unlimited)

    let isFirst = engine.deliverDirect(from: 0) { _ in
      let isNested = engine.deliverDirect(from: 1) { _ in }
      #expect(!isNested)
    }
    let isSecond = engine.deliverDirect(from: 1) { _ in }

    #expect(isFirst)
    #expect(isSecond)
  }

  @Test func `delivers no element directly while demand is limited`() {
    let engine = OldEngine(FlatMapMachine(maxPublishers: .unlimited))
    engine.request(.max(100))

    #expect(!engine.deliverDirect(from: 0) { _ in })
  }

  @Test func `delivers no element directly after the end`() {
    let engine = OldEngine(FlatMapMachine(maxPublishers: .unlimited))
    engine.request(.unlimited)
    engine.cancel()

    #expect(!engine.deliverDirect(from: 0) { _ in })
    #expect(engine.isOver)
  }

  @Test func `releases its outlet on cancellation`() {
    final class Leaf {}
    weak var leaf: Leaf?
    let engine = OldEngine(FlatMapMachine(maxPublishers: .unlimited))
    do {
      let object = Leaf()
      leaf = object
      engine.install(
        AnyOutlet(
          act: { _, _, _, _ in
            _ = object
            return Subscribers.Demand.none
          }))
    }
    #expect(leaf != nil)
    engine.cancel()

    #expect(leaf == nil)
  }

  @Test func `the last engine of each segment is a trampoline`() {
    let levels = (0..<3 * ThreadContext.segment).filter { level in
      let outer = ThreadContext.enter(level: level)
      defer { leaveSources(outer) }
      return OldEngine(FlatMapMachine(maxPublishers: .unlimited)).isTrampoline
    }

    #expect(levels == [63, 127, 191])
  }

  @Test func `cancels sources in their order, however they are nested`() {
    var log: [String] = []
    func source(_ name: String) -> AnyPublisher<Int, Never> {
      PassthroughSubject<Int, Never>().handleEvents(receiveCancel: { log.append(name) }).eraseToAnyPublisher()
    }
    let inner = source("a").merge(with: source("b")).eraseToAnyPublisher()
    let middle = inner.merge(with: source("c")).eraseToAnyPublisher()
    middle.merge(with: source("d")).sink { _ in }.cancel()

    #expect(log == ["a", "b", "c", "d"])
  }

  @Test func `a completion that waits is not replaced by a further one`() {
    let scheduler = DispatchQueue.test
    let source = ManualSource<Int, TestError>()
    source.ignoresCancellation = true
    let recorder = record(source.receive(on: scheduler))
    source.send(1)
    source.finish()
    source.fail(.first)
    scheduler.run()

    #expect(recorder.log == ["1", "finished"])
  }
}
