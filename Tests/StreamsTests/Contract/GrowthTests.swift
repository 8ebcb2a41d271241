#if canImport(Glibc)
  import Foundation
  import Glibc
  import StreamSchedulers
  import Streams
  import SuiteSupport
  import Testing

  /// A publisher that lives long keeps nothing of the subscriptions that have ended. In a process of its own, because the
  /// memory in use is counted for the whole process. `STREAMS_CYCLES` is the number of cycles of each operator.
  @Suite(.exits) struct GrowthTests {
    private static var cycles: Int {
      ProcessInfo.processInfo.environment["STREAMS_CYCLES"].flatMap(Int.init) ?? 300
    }

    @Test func `cycles of subscribing, sending and cancelling keep nothing`() async {
      await #expect(processExitsWith: .success) {
        for entry in OperatorCatalog.all {
          let bench = Bench()
          let publisher = entry.build(bench)
          expectNoGrowth(entry.name, cycles: Self.cycles) {
            let sink = Subscribers.Sink<String, ContractError>(receiveCompletion: { _ in }, receiveValue: { _ in })
            publisher.subscribe(sink)
            bench.scheduler.advance()
            bench.put(1)
            sink.cancel()
            bench.scheduler.advance()
            bench.forget()
          }
        }
      }
    }

    @Test func `ten thousand cycles of attaching a subject or a property keep nothing`() async {
      await #expect(processExitsWith: .success) {
        final class Model { @Published var value = 0 }
        let (source, subject) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
        let current = CurrentValueSubject<Int, Never>(0)
        let model = Model()
        let shared = source.share()
        let connected = source.multicast(subject: PassthroughSubject()).autoconnect()
        let multicast = source.multicast { PassthroughSubject() }
        expectNoGrowth("subscribe(subject)") { source.subscribe(subject).cancel() }
        expectNoGrowth("subscribe(current)") { source.subscribe(current).cancel() }
        expectNoGrowth("assign(to:)") { Just(1).assign(to: &model.$value) }
        expectNoGrowth("share") { shared.sink { _ in }.cancel() }
        expectNoGrowth("multicast.autoconnect") { connected.sink { _ in }.cancel() }
        expectNoGrowth("multicast.connect") { multicast.connect().cancel() }
      }
    }
  }

  /// Expects that calls of a closure keep less than eight bytes each: no allocation is smaller, and buffers that have
  /// grown once are left out.
  private func expectNoGrowth(_ name: String, cycles: Int = 10_000, _ cycle: () -> Void) {
    // Whatever is set up once, and the memory that allocations keep for reuse.
    for _ in 0..<100 { cycle() }
    _ = bytesInUse()
    let before = bytesInUse()
    for _ in 0..<cycles { cycle() }
    let kept = bytesInUse() - before
    guard kept >= 8 * cycles else { return }
    Issue.record("\(name) keeps \(Double(kept) / Double(cycles)) bytes for each cycle")
    exit(EXIT_FAILURE)
  }
#endif
