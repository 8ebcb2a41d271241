import StreamAlgorithms
import Streams
import Testing

/// A subscription retains its subject until it ends, as a callback that captures the subject weakly expects. Relays are
/// not retained.
@Suite struct SubjectLifetimeTests {
  /// A model whose callback forwards to a subject that only subscriptions retain.
  private final class Model {
    var onUpdate: (Int) -> Void = { _ in }

    func updates<S: Subject>(_ subject: S) -> AnyPublisher<Int, Never> where S.Output == Int, S.Failure == Never {
      onUpdate = { [weak subject] in subject?.send($0) }
      return subject.eraseToAnyPublisher()
    }
  }

  private func deliversWeakly(_ makeUpdates: (Model) -> AnyPublisher<Int, Never>) -> [Int] {
    let model = Model()
    var received: [Int] = []
    var cancellable: AnyCancellable? = makeUpdates(model).sink { received.append($0) }
    model.onUpdate(1)
    model.onUpdate(2)
    cancellable = nil
    model.onUpdate(3)
    _ = cancellable
    return received
  }

  @Test func `a callback that captures its subject weakly delivers while there is a subscription`() {
    #expect(deliversWeakly { $0.updates(PassthroughSubject<Int, Never>()) } == [1, 2])
    #expect(deliversWeakly { $0.updates(CurrentValueSubject<Int, Never>(0)) } == [0, 1, 2])
    #expect(deliversWeakly { $0.updates(ReplaySubject<Int, Never>(bufferSize: 1)) } == [1, 2])
  }

  @Test func `a subscription through operators retains the subject`() {
    func updates(_ model: Model) -> AnyPublisher<Int, Never> { model.updates(PassthroughSubject<Int, Never>()) }
    #expect(deliversWeakly { updates($0).map { $0 }.share().eraseToAnyPublisher() } == [1, 2])
    #expect(deliversWeakly { updates($0).merge(with: Empty()).eraseToAnyPublisher() } == [1, 2])
  }

  @Test func `a subscription retains the subject of a multicast`() {
    weak var subject: PassthroughSubject<Int, Never>?
    var multicast: Publishers.Multicast? = Empty<Int, Never>(completeImmediately: false).multicast {
      let new = PassthroughSubject<Int, Never>()
      subject = new
      return new
    }
    var received: [Int] = []
    var cancellable = multicast?.sink { received.append($0) }
    multicast = nil
    subject?.send(1)
    #expect(received == [1])
    cancellable = nil
    #expect(subject == nil)
    _ = (multicast, cancellable)
  }

  @Test func `a subject is released with its last cancellable`() {
    weak var subject: PassthroughSubject<Int, Never>?
    var cancellables: [AnyCancellable] = []
    do {
      let new = PassthroughSubject<Int, Never>()
      subject = new
      cancellables = [new.sink { _ in }, new.map { $0 }.sink { _ in }]
    }
    cancellables.removeLast()
    #expect(subject != nil)
    cancellables.removeLast()
    #expect(subject == nil)
  }

  @Test func `a subject is released when its last cancellable is cancelled inside a send`() {
    weak var subject: CurrentValueSubject<Int, Never>?
    var received: [Int] = []
    var cancellable: AnyCancellable?
    do {
      let new = CurrentValueSubject<Int, Never>(0)
      subject = new
      cancellable = new.sink {
        received.append($0)
        if $0 == 1 { cancellable = nil }
      }
    }
    subject?.send(1)
    #expect(received == [0, 1])
    #expect(subject == nil)
    _ = cancellable
  }

  @Test func `a subject is released when it ends`() {
    weak var subject: PassthroughSubject<Int, Never>?
    var cancellable: AnyCancellable?
    var count = 0
    do {
      let new = PassthroughSubject<Int, Never>()
      subject = new
      cancellable = new.sink { _ in count += 1 }
      new.send(1)
    }
    subject?.send(completion: .finished)
    #expect(count == 1)
    #expect(subject == nil)
    cancellable?.cancel()
  }

  @Test func `a relay is not retained, and its release finishes its subscribers`() {
    func ends<R: Relay<Int>>(_ makeRelay: () -> R) -> [String] {
      var events: [String] = []
      var relay: R? = makeRelay()
      let cancellable = relay?.sink { _ in
        events.append("finished")
      } receiveValue: {
        events.append("\($0)")
      }
      relay?.accept(1)
      relay = nil
      cancellable?.cancel()
      return events
    }
    #expect(ends { PassthroughRelay<Int>() } == ["1", "finished"])
    #expect(ends { CurrentValueRelay(0) } == ["0", "1", "finished"])
    #expect(ends { ReplayRelay<Int>(bufferSize: 2) } == ["1", "finished"])
  }
}
