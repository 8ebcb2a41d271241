import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// An actor with a sink, and the signals that it has received, in order.
private actor Owner {
  var received: [Int] = []
  var completions = 0
  private var cancellables: Set<AnyCancellable> = []
  private var waiting: (count: Int, continuation: CheckedContinuation<Void, Never>)?

  func sink(_ publisher: some Publisher<Int, Never>) {
    publisher.sink { _ in
      self.completions += 1
      self.resume()
    } receiveValue: { value in
      self.assertIsolated()
      self.received.append(value)
      self.resume()
    }
    .store(in: &cancellables)
  }

  func sinkWeakly(_ publisher: some Publisher<Int, Never>) {
    // A closure that captures the actor weakly is not isolated to it; one that receives it as an argument is.
    publisher.sink(with: self) { owner, value in owner.received.append(value) }.store(in: &cancellables)
  }

  /// Waits until the given number of values and completions have been received.
  func has(_ count: Int) async {
    if received.count + completions >= count { return }
    await withCheckedContinuation { waiting = (count, $0) }
  }

  private func resume() {
    guard let waiting, received.count + completions >= waiting.count else { return }
    self.waiting = nil
    waiting.continuation.resume()
  }

  /// Sends from this actor, and returns the received values once `send` has returned.
  func sendFromHere(_ values: [Int], to subject: PassthroughSubject<Int, Never>) -> [Int] {
    for value in values { subject.send(value) }
    return received
  }

  /// Sends from another thread and then from this actor, without suspension in between.
  func send(_ first: [Int], fromElsewhereAndThen last: [Int], to subject: PassthroughSubject<Int, Never>) -> [Int] {
    onAnotherThread { for value in first { subject.send(value) } }
    for value in last { subject.send(value) }
    return received
  }

  func cancel(afterSending values: [Int], to subject: PassthroughSubject<Int, Never>) {
    onAnotherThread { for value in values { subject.send(value) } }
    cancellables = []
  }

  func cancelAll() { cancellables = [] }
}

@Suite(.ownThread) struct IsolatedSinkTests {
  private let subject = PassthroughSubject<Int, Never>()

  @Test func `a value that arrives on the actor is delivered at once`() async {
    let owner = Owner()
    await owner.sink(subject)
    #expect(await owner.sendFromHere([1, 2, 3], to: subject) == [1, 2, 3])
  }

  @Test func `a value that arrives elsewhere is delivered on the actor, in order`() async {
    let owner = Owner()
    await owner.sink(subject)
    for number in 0..<1_000 { subject.send(number) }
    await owner.has(1_000)
    #expect(await owner.received == Array(0..<1_000))
  }

  @Test func `a later value that arrives on the actor does not overtake waiting ones`() async {
    let owner = Owner()
    await owner.sink(subject)
    let atOnce = await owner.send([1, 2], fromElsewhereAndThen: [3, 4], to: subject)
    await owner.has(4)
    #expect(atOnce == [])
    #expect(await owner.received == [1, 2, 3, 4])
  }

  @Test func `no value is delivered after a cancellation on the actor, not even a waiting one`() async {
    let owner = Owner()
    await owner.sink(subject)
    await owner.cancel(afterSending: [1, 2], to: subject)
    subject.send(3)
    let another = Owner()
    await another.sink(subject)
    subject.send(4)
    await another.has(1)
    #expect(await owner.sendFromHere([5], to: subject) == [])
  }

  @Test func `the completion comes after the values`() async {
    let owner = Owner()
    await owner.sink(subject)
    for number in 0..<10 { subject.send(number) }
    subject.send(completion: .finished)
    await owner.has(11)
    #expect(await owner.received == Array(0..<10))
    #expect(await owner.completions == 1)
  }

  @Test func `a sink does not retain the actor, and ends with it`() async {
    let isCancelled = ManualFlag()
    let publisher = subject.handleEvents(receiveCancel: { isCancelled.set() })
    weak var weakOwner: Owner?
    do {
      let owner = Owner()
      weakOwner = owner
      await owner.sinkWeakly(publisher)
      subject.send(1)
    }
    // A job that was already enqueued may have released it last.
    await isCancelled.wait()
    #expect(weakOwner == nil)
    subject.send(2)
  }

  @Test func `a sink created outside the actor is called where the publisher sends`() {
    var received: [Int] = []
    let cancellable = subject.sink { received.append($0) }
    subject.send(1)
    #expect(received == [1])
    cancellable.cancel()
  }

  @Test func `a sink created on an actor without isolation is called where the publisher sends`() async {
    final class Box: @unchecked Sendable { var received: [Int] = [] }  // Used on one thread at a time.
    actor Other {
      var cancellable: AnyCancellable?
      func sink(_ subject: PassthroughSubject<Int, Never>, _ box: Box) {
        cancellable = subject.sink(isolation: nil) { @Sendable in box.received.append($0) }
      }
      func cancel() { cancellable = nil }
    }
    let (other, box) = (Other(), Box())
    await other.sink(subject, box)
    subject.send(1)
    #expect(box.received == [1])
    await other.cancel()
  }

  @Test func `two threads that send at the same time lose no value`() async {
    actor Counter {
      var count = 0
      var cancellables: Set<AnyCancellable> = []
      private var continuation: CheckedContinuation<Void, Never>?
      func count(_ subjects: [PassthroughSubject<Int, Never>], until total: Int) {
        for subject in subjects {
          subject.sink {
            self.count += $0
            if self.count == total { self.continuation.take()?.resume() }
          }
          .store(in: &cancellables)
        }
      }
      func has(_ total: Int) async {
        if count < total { await withCheckedContinuation { continuation = $0 } }
      }
    }
    let subjects = [PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>()]
    let counter = Counter()
    await counter.count(subjects, until: 100_000)
    onThreads(2) { thread in
      for _ in 0..<50_000 { subjects[thread].send(1) }
    }
    await counter.has(100_000)
    #expect(await counter.count == 100_000)
  }
}

/// A sink and an assignment on the main actor.
@MainActor @Suite struct MainActorSinkTests {
  private final class Model: ObservableObject {
    @Published var text = ""
    var log: [String] = [] { didSet { MainActor.assertIsolated() } }
    var cancellables: Set<AnyCancellable> = []
    var onLog: ((Int) -> Void)?
  }

  private let model = Model()
  private let subject = PassthroughSubject<String, Never>()

  /// Sends from a thread of Dispatch, and waits until it has sent.
  private nonisolated func sendElsewhere(_ values: [String], to subject: PassthroughSubject<String, Never>) async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        for value in values { subject.send(value) }
        continuation.resume()
      }
    }
  }

  @Test func `signals that arrive on the main actor are delivered at once`() {
    subject.sink { self.model.log.append($0) }.store(in: &model.cancellables)
    subject.send("a")
    #expect(model.log == ["a"])
  }

  @Test func `signals that arrive elsewhere are delivered on the main actor`() async {
    subject.sink { self.model.log.append($0) }.store(in: &model.cancellables)
    await sendElsewhere(["a", "b", "c"], to: subject)
    await passOverMainActor()
    #expect(model.log == ["a", "b", "c"])
  }

  @Test func `a published property is assigned on the main actor`() async {
    var texts: [String] = []
    model.$text.sink { texts.append($0) }.store(in: &model.cancellables)
    subject.assign(to: &model.$text)
    subject.send("here")
    #expect(model.text == "here")
    await sendElsewhere(["a", "b"], to: subject)
    await passOverMainActor()
    #expect(texts == ["", "here", "a", "b"])
  }

  @Test func `a property of an object is assigned on the main actor`() async {
    final class Label {
      var text = "" { didSet { MainActor.assertIsolated() } }
    }
    let label = Label()
    let cancellable = subject.assign(to: \.text, on: label)
    await sendElsewhere(["a", "b"], to: subject)
    await passOverMainActor()
    #expect(label.text == "b")
    cancellable.cancel()
  }

  @Test func `receive(on:) with the main queue adds no second hop`() async {
    subject.receive(on: DispatchQueue.main).sink { self.model.log.append($0) }.store(in: &model.cancellables)
    await withCheckedContinuation { continuation in
      subject.send("a")
      DispatchQueue.main.async {
        MainActor.assumeIsolated { self.model.log.append("behind") }
        continuation.resume()
      }
    }
    #expect(model.log == ["a", "behind"])
  }

  @Test func `no value is delivered after cancel(), not even a waiting one`() async {
    let cancellable = subject.sink { self.model.log.append($0) }
    let other = subject.sink { self.model.log.append("other " + $0) }
    onAnotherThread { [subject] in subject.send("a") }
    cancellable.cancel()
    await passOverMainActor()
    #expect(model.log == ["other a"])
    other.cancel()
  }

  @Test func `releasing the model of a sink cancels its stream`() async {
    let isCancelled = ManualFlag()
    weak var weakModel: Model?
    do {
      let model = Model()
      weakModel = model
      subject.handleEvents(receiveCancel: { isCancelled.set() })
        .sink { [weak model] in model?.log.append($0) }.store(in: &model.cancellables)
    }
    #expect(weakModel == nil)
    await isCancelled.wait()
  }
}

/// Isolated sinks in virtual time.
@MainActor @Suite struct IsolatedSinkInVirtualTimeTests {
  private let scheduler = DispatchQueue.test

  private actor Log {
    var entries: [Int] = []
    var cancellables: Set<AnyCancellable> = []
    func sink(_ publisher: some Publisher<Int, Never>) {
      publisher.sink { self.entries.append($0) }.store(in: &cancellables)
    }
  }

  @Test func `in a virtual world the hop runs on virtual time`() {
    let subject = PassthroughSubject<Int, Never>()
    scheduler.withVirtualWorld {
      let log = Log()
      var entries: [Int]?
      Task { await log.sink(subject.delay(for: 1, scheduler: scheduler)) }
      scheduler.advance()
      subject.send(1)
      subject.send(2)
      scheduler.advance(by: 1)
      Task { entries = await log.entries }
      scheduler.advance()
      #expect(entries == [1, 2])
      scheduler.assertIdle()
    }
  }

  @Test func `in a virtual world a sink on the main actor receives other threads' values in the same advance`() {
    let subject = PassthroughSubject<Int, Never>()
    scheduler.withVirtualWorld {
      var entries: [Int] = []
      let cancellable = subject.sink {
        MainActor.assertIsolated()
        entries.append($0)
      }
      subject.send(1)
      #expect(entries == [1])
      Task.detached { subject.send(2) }
      #expect(entries == [1])
      scheduler.advance()
      #expect(entries == [1, 2])
      cancellable.cancel()
      scheduler.assertIdle()
    }
  }

  @Test func `without a virtual world a hop to another actor runs on virtual time`() async {
    let subject = PassthroughSubject<Int, Never>()
    let log = Log()
    await log.sink(subject.delay(for: 1, scheduler: scheduler))
    subject.send(1)
    subject.send(2)
    moveOn()
    #expect(await log.entries == [1, 2])
  }

  /// Not asynchronous, so that it advances time without suspension.
  private func moveOn() { scheduler.advance(by: 1) }
}

/// Waits until the main actor has run the jobs that were enqueued before.
nonisolated func passOverMainActor() async { await Task { @MainActor in }.value }

/// An event that happens once and can be awaited.
final class ManualFlag: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` does not conform: the lock protects the state.
  private let state = Locked<(isSet: Bool, continuation: CheckedContinuation<Void, Never>?)>((false, nil))

  func set() {
    let continuation = state.withLock { state in
      state.isSet = true
      return state.continuation.take()
    }
    continuation?.resume()
  }

  func wait() async {
    await withCheckedContinuation { continuation in
      let isSet = state.withLock { state in
        if !state.isSet { state.continuation = continuation }
        return state.isSet
      }
      if isSet { continuation.resume() }
    }
  }
}
