import Dispatch
import StreamSchedulers
import Streams
import SuiteSupport
import Synchronization
import Testing

private enum Request {
  @TaskLocal static var id = 0
  @TaskLocal static var user: String?
}

/// A context that is not a task-local.
private let ambient = Atomic(0)

/// A context whose size is not a multiple of that of a word.
private struct Origin: Equatable {
  var number: UInt64 = 0
  var isTrusted = false
}

private let origin = Mutex(Origin())
private let restoreCount = Atomic(0)

/// Each test runs in a process of its own, because what is registered is carried for the rest of the process.
@Suite(.exits) struct StreamContextTests {
  @Test func `several contexts are carried together`() async {
    await #expect(processExitsWith: .success) {
      StreamContext.carry(Request.$id)
      StreamContext.carry(Request.$user)
      StreamContext.carry {
        ambient.load(ordering: .relaxed)
      } restore: { value, deliver in
        let outer = ambient.exchange(value, ordering: .relaxed)
        deliver()
        ambient.store(outer, ordering: .relaxed)
      }
      let scheduler = DispatchQueue.test
      let subject = PassthroughSubject<Int, Never>()
      var lines: [String] = []
      let cancellable = subject.receive(on: scheduler).sink {
        lines.append("\($0): \(Request.id) \(Request.user ?? "nobody") \(ambient.load(ordering: .relaxed))")
      }
      Request.$id.withValue(1) { Request.$user.withValue("Ada") { subject.send(1) } }
      ambient.store(7, ordering: .relaxed)
      Request.$id.withValue(2) { subject.send(2) }
      subject.send(3)
      ambient.store(9, ordering: .relaxed)
      Request.$id.withValue(4) { scheduler.advance() }
      #expect(lines == ["1: 1 Ada 0", "2: 2 nobody 7", "3: 0 nobody 7"])
      #expect(ambient.load(ordering: .relaxed) == 9)
      cancellable.cancel()
    }
  }

  @Test func `values that are kept are received under the context in which they were sent`() async {
    await #expect(processExitsWith: .success) {
      StreamContext.carry(Request.$id)
      let (current, replay) = (CurrentValueSubject<Int, Never>(-1), ReplaySubject<Int, Never>(bufferSize: 3))
      var promise: Future<Int, Never>.Promise?
      let future = Future { promise = $0 }
      for id in 1...4 {
        Request.$id.withValue(id) {
          current.send(id)
          replay.send(id)
        }
      }
      Request.$id.withValue(5) { promise?(.success(5)) }

      var received: [[Int]] = []
      Request.$id.withValue(6) {
        let cancellables = [
          current.sink { received.append([$0, Request.id]) }, replay.sink { received.append([$0, Request.id]) },
          future.sink { received.append([$0, Request.id]) },
          CurrentValueSubject<Int, Never>(-1).sink { received.append([$0, Request.id]) },
        ]
        for cancellable in cancellables { cancellable.cancel() }
      }
      #expect(received == [[4, 4], [2, 2], [3, 3], [4, 4], [5, 5], [-1, 6]])
    }
  }

  @Test func `a completion is received under the context in which it was sent`() async {
    await #expect(processExitsWith: .success) {
      StreamContext.carry(Request.$id)
      let scheduler = DispatchQueue.test
      let subject = PassthroughSubject<Int, Never>()
      var ids: [Int] = []
      let receive = { (_: Subscribers.Completion<Never>) in ids.append(Request.id) }
      let cancellables = [
        subject.delay(for: .seconds(1), scheduler: scheduler).sink(receiveCompletion: receive) { _ in },
        Request.$id.withValue(7) {
          subject.timeout(.seconds(1), scheduler: scheduler).delay(for: .seconds(1), scheduler: scheduler)
            .sink(receiveCompletion: receive) { _ in }
        },
      ]
      Request.$id.withValue(8) { subject.send(completion: .finished) }
      Request.$id.withValue(9) { scheduler.run() }
      #expect(ids == [8, 8])

      ids = []
      let silent = PassthroughSubject<Int, Never>()
      let timeout = Request.$id.withValue(7) {
        silent.timeout(.seconds(1), scheduler: scheduler).sink(receiveCompletion: receive) { _ in }
      }
      Request.$id.withValue(9) { scheduler.run() }
      #expect(ids == [7], "a completion that a timer makes has the context of the subscription")
      for cancellable in cancellables + [timeout] { cancellable.cancel() }
    }
  }

  @Test func `a completion that follows from a value is received under the context of that value`() async {
    await #expect(processExitsWith: .success) {
      StreamContext.carry(Request.$id)
      let (values, stop) = (PassthroughSubject<Int, any Error>(), PassthroughSubject<Int, any Error>())
      let streams: [(name: String, stream: AnyPublisher<Int, any Error>)] = [
        ("prefix", values.prefix(1).eraseToAnyPublisher()),
        ("first", values.first().eraseToAnyPublisher()),
        ("contains", values.contains(1).map { _ in 0 }.eraseToAnyPublisher()),
        ("allSatisfy", values.allSatisfy { $0 > 1 }.map { _ in 0 }.eraseToAnyPublisher()),
        ("tryMap", values.tryMap { _ in throw CancellationError() }.eraseToAnyPublisher()),
        ("tryReduce", values.tryReduce(0) { _, _ in throw CancellationError() }.eraseToAnyPublisher()),
        ("output", values.output(at: 0).eraseToAnyPublisher()),
        ("prefix(while:)", values.prefix { $0 > 1 }.eraseToAnyPublisher()),
        ("prefix(untilOutputFrom:)", values.prefix(untilOutputFrom: stop).eraseToAnyPublisher()),
        (
          "first, later",
          values.prefix(1).buffer(size: 1, prefetch: .keepFull, whenFull: .dropOldest).eraseToAnyPublisher()
        ),
      ]
      for (name, stream) in streams {
        var ids: [Int] = []
        let cancellable = Request.$id.withValue(1) {
          stream.sink { _ in
            ids.append(Request.id)
          } receiveValue: { _ in
          }
        }
        let subject = name == "prefix(untilOutputFrom:)" ? stop : values
        Request.$id.withValue(2) { subject.send(1) }
        #expect(ids == [2], "\(name)")
        cancellable.cancel()
      }
    }
  }

  @Test func `a value that an operator keeps is received under the context in which it was sent`() async {
    await #expect(processExitsWith: .success) {
      StreamContext.carry(Request.$id)
      let (values, ticks) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Void, Never>())
      let early = BoundedSubject<Int, Never>(bounded: 2)
      var received: [String] = []
      let cancellables = [
        values.sample(by: ticks).sink { received.append("sample \($0): \(Request.id)") },
        values.buffer(by: ticks, maxCount: 5).sink { received.append("buffer \($0): \(Request.id)") },
        values.last().sink { received.append("last \($0): \(Request.id)") },
        values.last { $0 == 1 }.sink { received.append("last(where:) \($0): \(Request.id)") },
      ]
      for id in 1...2 { Request.$id.withValue(id) { values.send(id) } }
      Request.$id.withValue(3) { ticks.send() }
      #expect(received == ["sample 2: 2", "buffer [1, 2]: 2"])
      received = []
      Request.$id.withValue(4) { values.send(4) }
      Request.$id.withValue(5) { values.send(completion: .finished) }
      #expect(received.sorted() == ["buffer [4]: 4", "last 4: 4", "last(where:) 1: 1"])

      received = []
      for id in 1...2 { Request.$id.withValue(id) { _ = early.offer(id) } }
      Request.$id.withValue(3) {
        early.sink { received.append("bounded \($0): \(Request.id)") }.cancel()
      }
      #expect(received == ["bounded 1: 1", "bounded 2: 2"])
      for cancellable in cancellables { cancellable.cancel() }
    }
  }

  @Test func `a completion that waits for a scheduler is received under the context in which the source ended`() async {
    await #expect(processExitsWith: .success) {
      StreamContext.carry(Request.$id)
      let scheduler = DispatchQueue.test
      let subject = PassthroughSubject<Int, Never>()
      var ids: [Int] = []
      let cancellable = Request.$id.withValue(1) {
        subject.receive(on: scheduler).sink { _ in
          ids.append(Request.id)
        } receiveValue: { _ in
          ids.append(Request.id)
        }
      }
      Request.$id.withValue(2) { subject.send(0) }
      Request.$id.withValue(3) { subject.send(completion: .finished) }
      scheduler.advance()
      #expect(ids == [2, 3])
      cancellable.cancel()
    }
  }

  @Test func `a timer, a retry and the loop of a task have the context of the subscription`() async {
    await #expect(processExitsWith: .success) {
      StreamContext.carry(Request.$id)
      let scheduler = DispatchQueue.test
      var ids: [Int] = []
      var attempts: [Int] = []
      let request = Deferred {
        attempts.append(Request.id)
        return Fail<Int, CancellationError>(error: CancellationError())
      }
      let cancellables = Request.$id.withValue(1) {
        [
          scheduler.timerPublisher(every: .seconds(1)).autoconnect().prefix(2).sink { _ in ids.append(Request.id) },
          request.retry(.delay(.seconds(1), maxRetries: 2), scheduler: scheduler).sink { _ in
          } receiveValue: { _ in
          },
        ]
      }
      Request.$id.withValue(2) { scheduler.run() }
      #expect(ids == [1, 1])
      #expect(attempts == [1, 1, 1])
      for cancellable in cancellables { cancellable.cancel() }

      // The pair of a value and its context passes through a loop.
      let replay = ReplaySubject<Int, Never>(bufferSize: 1)
      Request.$id.withValue(3) { replay.send(3) }
      for await (value, context) in replay.map({ ($0, StreamContext.current) }).first().values {
        #expect(Request.id == 0)
        #expect(context.run { Request.id } == value)
        #expect(throws: CancellationError.self) { try context.run { throw CancellationError() } }
      }
    }
  }

  @Test func `registering does not affect values that wait already, and takes effect for new streams`() async {
    await #expect(processExitsWith: .success) {
      let scheduler = DispatchQueue.test
      let subject = PassthroughSubject<Int, Never>()
      var ids: [Int] = []
      let early = subject.receive(on: scheduler).sink { _ in ids.append(Request.id) }
      Request.$id.withValue(1) { subject.send(1) }
      StreamContext.carry(Request.$id)
      Request.$id.withValue(2) { scheduler.advance() }
      #expect(ids == [2])
      early.cancel()

      ids = []
      let late = subject.receive(on: scheduler).sink { _ in ids.append(Request.id) }
      Request.$id.withValue(3) { subject.send(3) }
      Request.$id.withValue(4) { scheduler.advance() }
      #expect(ids == [3])
      late.cancel()
    }
  }

  @Test func `contexts are released when their values have been delivered or dropped`() async {
    await #expect(processExitsWith: .success) {
      final class Owner: Sendable {}
      enum Local { @TaskLocal static var owner: Owner? }
      StreamContext.carry(Local.$owner)
      let scheduler = DispatchQueue.test
      let subject = PassthroughSubject<Int, Never>()
      weak var delivered: Owner?
      weak var dropped: Owner?
      weak var cancelled: Owner?
      let delayed = subject.delay(for: .seconds(1), scheduler: scheduler).sink { _ in }
      let debounced = subject.debounce(for: .seconds(9), scheduler: scheduler).sink { _ in }
      func send(_ see: (Owner) -> Void) {
        let owner = Owner()
        see(owner)
        Local.$owner.withValue(owner) { subject.send(1) }
      }
      send { delivered = $0 }
      send { dropped = $0 }
      #expect(delivered != nil && dropped != nil)
      scheduler.advance(by: .seconds(1))
      Local.$owner.withValue(nil) { subject.send(2) }
      scheduler.advance(by: .seconds(1))
      #expect(delivered == nil)
      #expect(dropped == nil)
      send { cancelled = $0 }
      delayed.cancel()
      debounced.cancel()
      #expect(cancelled == nil)
    }
  }

  @Test func `a value that combines others has the context of the one that completes it`() async {
    await #expect(processExitsWith: .success) {
      StreamContext.carry(Request.$id)
      let scheduler = DispatchQueue.test
      let (one, other) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
      var ids: [String] = []
      let cancellables = Request.$id.withValue(1) {
        [
          one.zip(other).receive(on: scheduler).sink { _ in ids.append("zip \(Request.id)") },
          one.combineLatest(other).receive(on: scheduler).sink { _ in ids.append("latest \(Request.id)") },
          one.collect(.byTime(scheduler, .seconds(1))).sink { ids.append("array \($0) \(Request.id)") },
          one.collect(.byTimeOrCount(scheduler, .seconds(9), 2)).sink { ids.append("full \($0) \(Request.id)") },
        ]
      }
      Request.$id.withValue(2) { one.send(2) }
      Request.$id.withValue(3) { one.send(3) }
      Request.$id.withValue(4) { other.send(4) }
      Request.$id.withValue(5) { scheduler.advance(by: .seconds(1)) }
      #expect(ids.sorted() == ["array [2, 3] 3", "full [2, 3] 3", "latest 4", "zip 4"])
      for cancellable in cancellables { cancellable.cancel() }
    }
  }

  @Test func `values that are due when their source has ended keep their contexts while more are requested`() async {
    await #expect(processExitsWith: .success) {
      StreamContext.carry(Request.$id)
      let scheduler = DispatchQueue.test
      let subject = PassthroughSubject<Int, Never>()
      let recorder = SignalRecorder<Int, Never>(.max(2))
      var ids: [Int] = []
      recorder.onValue = { _ in
        ids.append(Request.id)
        return .max(1)
      }
      subject.receive(on: scheduler).subscribe(recorder)
      for id in 1...2 { Request.$id.withValue(id) { subject.send(10 * id) } }
      subject.send(completion: .finished)
      Request.$id.withValue(3) { scheduler.run() }
      #expect(recorder.log == ["10", "20", "finished"])
      #expect(ids == [1, 2])
    }
  }

  @Test func `a kind that is registered while values wait does not disturb them`() async {
    await #expect(processExitsWith: .success) {
      StreamContext.carry(Request.$id)
      let scheduler = DispatchQueue.test
      let subject = PassthroughSubject<Int, Never>()
      var lines: [String] = []
      let cancellable = subject.receive(on: scheduler).sink {
        lines.append("\($0): \(Request.id) \(Request.user ?? "nobody")")
      }
      Request.$id.withValue(1) { subject.send(1) }
      StreamContext.carry(Request.$user)
      Request.$user.withValue("Ada") {
        Request.$id.withValue(1) { subject.send(2) }
        Request.$id.withValue(2) {
          subject.send(3)
          subject.send(4)
        }
      }
      scheduler.advance()
      #expect(lines == ["1: 1 nobody", "2: 1 Ada", "3: 2 Ada", "4: 2 Ada"])
      cancellable.cancel()
    }
  }

  @Test func `a subject that has displaced a value has released its context`() async {
    await #expect(processExitsWith: .success) {
      final class Owner: Sendable {}
      enum Local { @TaskLocal static var owner: Owner? }
      StreamContext.carry(Local.$owner)
      let (current, replay) = (CurrentValueSubject<Int, Never>(0), ReplaySubject<Int, Never>(bufferSize: 2))
      weak var displaced: Owner?
      func send(_ value: Int, _ see: (Owner) -> Void) {
        let owner = Owner()
        see(owner)
        Local.$owner.withValue(owner) {
          current.send(value)
          replay.send(value)
        }
      }
      send(1) { displaced = $0 }
      send(2) { _ in }
      #expect(displaced != nil, "the second value of two is kept")
      send(3) { _ in }
      #expect(displaced == nil)
    }
  }

  @Test func `a context that a subject displaces can use that subject from its deinit`() async {
    await #expect(processExitsWith: .success) {
      final class Owner: Sendable {
        let onDeinit: @Sendable () -> Void
        init(_ onDeinit: @escaping @Sendable () -> Void) { self.onDeinit = onDeinit }
        deinit { onDeinit() }
      }
      enum Local { @TaskLocal static var owner: Owner? }
      StreamContext.carry(Local.$owner)
      let replay = ReplaySubject<Int, Never>(bufferSize: 1)
      let seen = Atomic(0)
      let cancellable = replay.sink { _ in }
      Local.$owner.withValue(Owner { replay.sink { seen.store($0, ordering: .relaxed) }.cancel() }) { replay.send(1) }
      replay.send(2)
      #expect(seen.load(ordering: .relaxed) == 2)
      cancellable.cancel()
    }
  }

  @Test func `a value that is sent during a delivery is received under its own context`() async {
    await #expect(processExitsWith: .success) {
      let early = PassthroughSubject<Int, Never>()
      StreamContext.carry(Request.$id)
      for subject in [early, PassthroughSubject<Int, Never>()] {
        var lines: [String] = []
        let cancellable = subject.sink {
          lines.append("\($0): \(Request.id)")
        } receiveValue: { value in
          lines.append("\(value): \(Request.id)")
          guard value == 1 else { return }
          Request.$id.withValue(2) { for value in 2...3 { subject.send(value) } }
          Request.$id.withValue(4) {
            subject.send(4)
            subject.send(completion: .finished)
          }
        }
        Request.$id.withValue(1) { subject.send(1) }
        #expect(lines == ["1: 1", "2: 2", "3: 2", "4: 4", "finished: 4"])
        cancellable.cancel()
      }
    }
  }

  @Test func `a value that is sent while a subscriber catches up is received under its own context`() async {
    await #expect(processExitsWith: .success) {
      StreamContext.carry(Request.$id)
      let subject = CurrentValueSubject<Int, Never>(1)
      var lines: [String] = []
      let cancellable = Request.$id.withValue(1) {
        subject.sink { value in
          lines.append("\(value): \(Request.id)")
          if value < 3 { Request.$id.withValue(value + 1) { subject.send(value + 1) } }
        }
      }
      Request.$id.withValue(4) { subject.send(4) }
      #expect(lines == ["1: 1", "2: 2", "3: 3", "4: 4"])
      cancellable.cancel()
    }
  }

  @Test func `a subject that is older than the first registration keeps contexts once it has a subscriber`() async {
    await #expect(processExitsWith: .success) {
      let replay = ReplaySubject<Int, Never>(bufferSize: 3)
      replay.send(1)
      StreamContext.carry(Request.$id)
      let first = replay.sink { _ in }
      for id in 2...3 { Request.$id.withValue(id) { replay.send(id) } }
      var received: [[Int]] = []
      let second = Request.$id.withValue(4) { replay.sink { received.append([$0, Request.id]) } }
      #expect(received == [[1, 4], [2, 2], [3, 3]])
      first.cancel()
      second.cancel()
    }
  }

  @Test func `values that wait in a row under the same context are delivered together`() async {
    await #expect(processExitsWith: .success) {
      StreamContext.carry {
        origin.withLock { $0 }
      } restore: { value, deliver in
        restoreCount.add(1, ordering: .relaxed)
        let outer = origin.withLock { origin in
          defer { origin = value }
          return origin
        }
        deliver()
        origin.withLock { $0 = outer }
      }
      let scheduler = DispatchQueue.test
      let subject = PassthroughSubject<Int, Never>()
      var received: [Origin] = []
      let cancellable = subject.receive(on: scheduler).sink { _ in received.append(origin.withLock { $0 }) }
      let origins = [
        Origin(number: 1), Origin(number: 1), Origin(number: 1),
        // Only the last byte is another.
        Origin(number: 1, isTrusted: true), Origin(number: 1, isTrusted: true),
        Origin(number: 2, isTrusted: true),
      ]
      for (value, new) in origins.enumerated() {
        origin.withLock { $0 = new }
        subject.send(value)
      }
      scheduler.advance()
      #expect(received == origins)
      #expect(restoreCount.load(ordering: .relaxed) == 3)
      cancellable.cancel()
    }
  }

  @Test func `values that other threads leave are received under their contexts, however many there are`() async {
    await #expect(processExitsWith: .success) {
      StreamContext.carry(Request.$id)
      let (one, other) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
      var received: [[Int]] = []
      let cancellable = one.merge(with: other).sink { value in
        received.append([value, Request.id])
        guard value < 300 else { return }
        onAnotherThread { Request.$id.withValue(value + 1) { other.send(value + 1) } }
      }
      Request.$id.withValue(1) { one.send(1) }
      #expect(received == (1...300).map { [$0, $0] })
      cancellable.cancel()
    }
  }

  @Test func `a scheduler passes demand on, and no value after the end, when contexts are carried`() async {
    await #expect(processExitsWith: .success) {
      StreamContext.carry(Request.$id)
      let scheduler = DispatchQueue.test
      let source = ManualSource<Int, Never>()
      source.ignoresCancellation = true
      let recorder = SignalRecorder<Int, Never>(.max(2))
      recorder.onValue = { _ in .max(1) }
      source.receive(on: scheduler).subscribe(recorder)
      for value in 1...2 { source.send(value) }
      scheduler.advance()
      #expect(source.demand == .max(4))
      source.send(3)
      source.finish()
      source.send(4)
      scheduler.advance()
      #expect(recorder.log == ["1", "2", "3", "finished"])
    }
  }

  @Test func `a value that waits behind one whose context is being restored has its own context`() async {
    await #expect(processExitsWith: .success) {
      let subject = ReplaySubject<Int, Never>(bufferSize: 4)
      StreamContext.carry(Request.$id)
      let isArmed = Atomic(false)
      StreamContext.carry {
        0
      } restore: { _, deliver in
        // Another thread sends when the context of the first value is taken, and the value is not yet.
        if isArmed.exchange(false, ordering: .relaxed) {
          onAnotherThread { for id in 3...4 { Request.$id.withValue(id) { subject.send(id) } } }
        }
        deliver()
      }
      subject.sink { _ in }.cancel()
      for id in 1...2 { Request.$id.withValue(id) { subject.send(id) } }
      isArmed.store(true, ordering: .relaxed)
      var received: [[Int]] = []
      let cancellable = Request.$id.withValue(9) { subject.sink { received.append([$0, Request.id]) } }
      #expect(received == [[1, 1], [2, 2], [3, 3], [4, 4]], "\(received)")
      cancellable.cancel()
    }
  }

  @Test func `a source that follows another one is attached under the context of the subscription`() async {
    await #expect(processExitsWith: .success) {
      struct Wrong: Error {}
      StreamContext.carry(Request.$id)
      let attempts = [PassthroughSubject<Int, Wrong>(), PassthroughSubject<Int, Wrong>()]
      var ids: [Int] = []
      let source = Deferred {
        ids.append(Request.id)
        return attempts[ids.count - 1]
      }
      let cancellable = Request.$id.withValue(1) {
        source.retry(1).sink(receiveCompletion: { _ in }, receiveValue: { _ in })
      }
      Request.$id.withValue(2) { attempts[0].send(completion: .failure(Wrong())) }
      #expect(ids == [1, 1])
      cancellable.cancel()
    }
  }

  @Test func `a context that is not restored stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      StreamContext.carry {
        1
      } restore: { _, _ in
      }
      StreamContext.current.run {}
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("must call its second parameter before it returns"))
  }

  @Test func `a context that is restored twice stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      StreamContext.carry {
        1
      } restore: { _, deliver in
        deliver()
        deliver()
      }
      StreamContext.current.run {}
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("must call its second parameter only once"))
  }

  @Test func `a context may be captured with the help of the publisher that is being subscribed to`() async {
    await #expect(processExitsWith: .success) {
      let subject = PassthroughSubject<Int, Never>()
      let shared = subject.share()
      let isCapturing = Mutex(false)
      StreamContext.carry {
        let isFirst = isCapturing.withLock { isCapturing in
          defer { isCapturing = true }
          return !isCapturing
        }
        // `share` must hold no lock here.
        if isFirst { shared.sink { _ in }.cancel() }
        return 1
      } restore: { _, deliver in
        deliver()
      }
      var received: [Int] = []
      let cancellable = shared.sink { received.append($0) }
      subject.send(1)
      #expect(received == [1])
      cancellable.cancel()
    }
  }
}
