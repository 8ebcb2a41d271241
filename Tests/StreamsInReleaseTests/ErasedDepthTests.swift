import Dispatch
import Foundation
import StreamAlgorithms
import StreamSchedulers
import Streams
import Testing

/// Long chains of erased publishers between which no engine stands, on a stack of 512 KiB: attaching, completing,
/// requesting and cancelling do not grow the stack. Values do; see rule 22 of the contract.
struct ErasedDepthTests {
  typealias Stream = AnyPublisher<Int, Never>

  enum Chain: String, CaseIterable, CustomTestStringConvertible {
    case map, filter, scan, pairwise, share, shareReplay, multicast, deferred, subscribeOn, handleEvents

    var testDescription: String { rawValue }

    func callAsFunction(_ upstream: Stream) -> Stream {
      switch self {
      case .map: upstream.map { $0 }.eraseToAnyPublisher()
      case .filter: upstream.filter { _ in true }.eraseToAnyPublisher()
      case .scan: upstream.scan(0) { $0 + $1 }.eraseToAnyPublisher()
      case .pairwise: upstream.pairwise().map { $0.1 }.eraseToAnyPublisher()
      case .share: upstream.share().eraseToAnyPublisher()
      case .shareReplay: upstream.share(replay: 1).eraseToAnyPublisher()
      case .multicast: upstream.multicast { PassthroughSubject() }.autoconnect().eraseToAnyPublisher()
      case .deferred: Deferred { upstream }.eraseToAnyPublisher()
      case .subscribeOn: upstream.subscribe(on: DispatchQueue.immediate).eraseToAnyPublisher()
      case .handleEvents: upstream.handleEvents(receiveOutput: { _ in }).eraseToAnyPublisher()
      }
    }
  }

  static let depth = 20_000

  private func chain(_ link: Chain, onto source: Stream) -> Stream {
    var publisher = source
    for _ in 0..<Self.depth { publisher = link(publisher) }
    return publisher
  }

  @Test(.ownThread, arguments: Chain.allCases)
  func `attaching and completing run without growing the stack`(link: Chain) {
    onSmallStack {
      var hasFinished = false
      let cancellable = chain(link, onto: Empty().eraseToAnyPublisher())
        .sink(receiveCompletion: { _ in hasFinished = true }, receiveValue: { _ in })
      #expect(hasFinished)
      cancellable.cancel()
    }
  }

  @Test(.ownThread, arguments: Chain.allCases)
  func `completing later runs without growing the stack`(link: Chain) {
    onSmallStack {
      let subject = PassthroughSubject<Int, Never>()
      var hasFinished = false
      let cancellable = chain(link, onto: subject.eraseToAnyPublisher())
        .sink(receiveCompletion: { _ in hasFinished = true }, receiveValue: { _ in })
      #expect(!hasFinished)
      subject.send(completion: .finished)
      #expect(hasFinished)
      cancellable.cancel()
    }
  }

  @Test(.ownThread, arguments: Chain.allCases)
  func `requests and cancellations run without growing the stack`(link: Chain) {
    onSmallStack {
      var (demand, isCancelled) = (Subscribers.Demand.none, false)
      let source = PassthroughSubject<Int, Never>()
        .handleEvents(receiveCancel: { isCancelled = true }, receiveRequest: { demand += $0 }).eraseToAnyPublisher()
      let cancellable = chain(link, onto: source).sink { _ in }
      #expect(demand == .unlimited)
      cancellable.cancel()
      #expect(isCancelled)
    }
  }

  /// Runs code on a thread with a stack of 512 KiB, and waits for it.
  private func onSmallStack(_ work: @escaping () -> Void) {
    let done = DispatchSemaphore(value: 0)
    // Unchecked: this thread waits until the other has ended the work.
    nonisolated(unsafe) let work = work
    let thread = Thread {
      work()
      done.signal()
    }
    thread.stackSize = 512 << 10
    thread.start()
    done.wait()
  }
}
