import Dispatch
import StreamAlgorithms
import StreamSchedulers
import Streams
import Testing

/// A publisher that sends values and a completion, but no subscription. That violates the contract; like Combine,
/// operators and subscribers forward what they receive nevertheless.
private struct Unsubscribed: Publisher {
  typealias Output = Int
  typealias Failure = Never
  var completes = true

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
    for value in [1, 2] { _ = subscriber.receive(value) }
    if completes { subscriber.receive(completion: .finished) }
  }
}

struct MissingSubscriptionTests {
  private let source = Unsubscribed()

  private func sunk<P: Publisher>(_ publisher: P) -> [String] where P.Output == Int {
    var log: [String] = []
    let cancellable = publisher.sink(isolation: nil) {
      log.append($0.isFinished ? "finished" : "failed")
    } receiveValue: {
      log.append("\($0)")
    }
    cancellable.cancel()
    return log
  }

  @Test func `sinks and assignments receive the values`() {
    #expect(sunk(source) == ["1", "2", "finished"])

    var values: [Int] = []
    let sink = source.sink(isolation: nil) { values.append($0) }
    #expect(values == [1, 2])
    sink.cancel()

    final class Model {
      var value = 0
      @Published var published = 0
    }
    let model = Model()
    let assignment = source.assign(to: \.value, on: model, isolation: nil)
    #expect(model.value == 2)
    assignment.cancel()
    source.assign(to: &model.$published)
    #expect(model.published == 2)
  }

  @Test func `operators forward the values`() {
    let immediate = DispatchQueue.immediate
    let forwarded: [(String, [String])] = [
      ("map", sunk(source.map { $0 })), ("tryMap", sunk(source.tryMap { $0 })),
      ("filter", sunk(source.filter { _ in true })), ("compactMap", sunk(source.compactMap { $0 })),
      ("scan", sunk(source.scan(0) { $1 })), ("removeDuplicates", sunk(source.removeDuplicates())),
      ("prefix", sunk(source.prefix(9))), ("dropFirst", sunk(source.dropFirst(0))),
      ("replaceEmpty", sunk(source.replaceEmpty(with: 3))), ("print", sunk(source.print(to: Silence()))),
      ("handleEvents", sunk(source.handleEvents(receiveOutput: { _ in }))),
      ("checkpoint", sunk(source.checkpoint("here"))),
      ("setFailureType", sunk(source.setFailureType(to: TestError.self))),
      ("eraseToAnyPublisher", sunk(source.eraseToAnyPublisher())), ("merge", sunk(source.merge(with: Empty()))),
      ("flatMap", sunk(source.flatMap { Just($0) })), ("append", sunk(source.append(Empty()))),
      ("catch", sunk(source.setFailureType(to: TestError.self).catch { _ in Empty<Int, Never>() })),
      ("receive(on:)", sunk(source.receive(on: immediate))),
      ("delay", sunk(source.delay(for: 0, scheduler: immediate))),
      ("subscribe(on:)", sunk(source.subscribe(on: immediate))),
      ("buffer", sunk(source.buffer(size: 1, prefetch: .byRequest, whenFull: .dropNewest))),
      ("autoconnect", sunk(source.makeConnectable().autoconnect())), ("share", sunk(source.share())),
    ]
    for (name, log) in forwarded {
      #expect(log == (name == "buffer" ? ["1", "finished"] : ["1", "2", "finished"]), "\(name)")
    }
  }

  @Test func `a subscription that arrives after the values is accepted`() {
    let sink = Subscribers.Sink<Int, Never>(receiveCompletion: { _ in }, receiveValue: { _ in })
    Unsubscribed(completes: false).subscribe(sink)
    let late = ManualSource<Int, Never>()
    late.subscribe(sink)
    #expect(late.requests == [.unlimited])
    #expect(late.cancelCount == 0)
  }

  @Test func `nothing is forwarded after a cancellation or a completion`() {
    var values: [Int] = []
    let cancelled = Subscribers.Sink<Int, Never>(receiveCompletion: { _ in }, receiveValue: { values.append($0) })
    cancelled.cancel()
    source.subscribe(cancelled)
    #expect(values == [])

    let ended = Subscribers.Sink<Int, Never>(receiveCompletion: { _ in }, receiveValue: { values.append($0) })
    source.subscribe(ended)
    source.subscribe(ended)
    #expect(values == [1, 2])
  }

  private struct Silence: TextOutputStream {
    mutating func write(_ string: String) {}
  }
}

extension Subscribers.Completion {
  fileprivate var isFinished: Bool {
    if case .finished = self { true } else { false }
  }
}
