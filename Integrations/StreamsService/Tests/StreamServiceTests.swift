import Dispatch
import InMemoryLogging
import Logging
import ServiceLifecycle
import StreamAlgorithms
import StreamInspection
import StreamSchedulers
import Streams
import StreamsService
import Synchronization
import TestSupport
import Testing
import UnixSignals

@Suite(.aloneInProcess)
struct StreamServiceTests {
  struct Broken: Error, Equatable {}

  @Test func `a graceful shutdown lets every accepted value arrive`() async throws {
    let stored = Collected<Int>()
    @Sendable func store(_ order: Int) async {
      await Task.yield()
      stored.append(order)
    }

    let orders = BoundedSubject<Int, Never>(bounded: 100)
    let service = StreamService("orders") { stop in
      orders.finish(when: stop).map(maxTasks: 16) { await store($0) }
    }
    let group = ServiceGroup(services: [service], gracefulShutdownSignals: [.sigterm], logger: silent)
    // The subject keeps these for the service.
    for order in 1...50 { try await orders.send(order) }
    async let ended: Void = group.run()
    for order in 51...100 { try await orders.send(order) }
    await group.triggerGracefulShutdown()
    try await ended

    #expect(stored.values.sorted() == Array(1...100))
    await #expect(throws: CancellationError.self) { try await orders.send(101) }
  }

  @Test func `a stream that finishes by itself ends the service`() async throws {
    let received = Collected<Int>()
    let service = StreamService("numbers") { _ in
      [1, 2, 3].publisher.handleEvents(receiveOutput: received.append)
    }
    try await service.run()
    #expect(received.values == [1, 2, 3])
    // Running it again subscribes again.
    try await ServiceGroup(service).run()
    #expect(received.values == [1, 2, 3, 1, 2, 3])
  }

  @Test func `a failure of the stream is thrown`() async throws {
    let service = StreamService("broken") { _ in Fail<Int, Broken>(error: Broken()) }
    await #expect(throws: Broken()) { try await service.run() }
    await #expect(throws: Broken()) { try await ServiceGroup(service).run() }
  }

  @Test func `a failure cancels the other services of the group`() async throws {
    let cancelled = Collected<Bool>()
    let subject = PassthroughSubject<Int, Broken>()
    let other = StreamService("other") { _ in
      PassthroughSubject<Int, Never>().handleEvents(
        receiveSubscription: { _ in
          DispatchQueue.global().async { subject.send(completion: .failure(Broken())) }
        }, receiveCancel: { cancelled.append(true) })
    }
    let group = ServiceGroup(StreamService("failing") { _ in subject }, other)
    await #expect(throws: Broken()) { try await group.run() }
    #expect(cancelled.count == 1)
  }

  @Test func `a cancellation cancels the stream`() async throws {
    let events = Collected<String>()
    let service = StreamService("endless") { _ in
      PassthroughSubject<Int, Never>().handleEvents(
        receiveSubscription: { _ in events.append("subscribed") }, receiveCancel: { events.append("cancelled") })
    }
    let running = Task { try await service.run() }
    try await wait(for: "the service subscribes") { events.count == 1 }
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
    #expect(events.values == ["subscribed", "cancelled"])
  }

  @Test func `a task that was cancelled before doesn't subscribe`() async throws {
    let subscriptions = Collected<Bool>()
    let service = StreamService("endless") { _ in
      PassthroughSubject<Int, Never>().handleEvents(receiveSubscription: { _ in subscriptions.append(true) })
    }
    let running = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await service.run()
    }
    await #expect(throws: CancellationError.self) { try await running.value }
    #expect(subscriptions.count == 0)
  }

  @Test func `a cancellation ends a stream that sends while it's subscribed`() async throws {
    let count = Atomic(0)
    let service = StreamService("endless") { _ in
      (0...).publisher.handleEvents(receiveOutput: { _ in count.wrappingAdd(1, ordering: .relaxed) })
    }
    let running = Task(executorPreference: ThreadExecutor()) { try await service.run() }
    try await wait(for: "values are sent") { count.load(ordering: .relaxed) > 100 }
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
  }

  @Test func `a graceful shutdown ends a stream that sends while it's subscribed`() async throws {
    let count = Atomic(0)
    let group = ServiceGroup(
      StreamService("endless") { stop in
        (0...).publisher.handleEvents(receiveOutput: { _ in count.wrappingAdd(1, ordering: .relaxed) })
          .finish(when: stop)
      })
    let ended = Task(executorPreference: ThreadExecutor()) { try await group.run() }
    try await wait(for: "values are sent") { count.load(ordering: .relaxed) > 100 }
    await group.triggerGracefulShutdown()
    try await ended.value
  }

  @Test func `a shutdown that was triggered before the service runs stops it`() async throws {
    let group = ServiceGroup(StreamService("endless") { PassthroughSubject<Int, Never>().finish(when: $0) })
    await group.triggerGracefulShutdown()
    try await group.run()
  }

  @Test func `a publisher that subscribes to stop after the shutdown receives it`() async throws {
    let received = Collected<Int>()
    let group = ServiceGroup(
      StreamService("late") { stop in
        stop.receive(on: DispatchQueue.global()).flatMap { _ in stop.map { _ in 1 }.merge(with: stop.map { _ in 2 }) }
          .handleEvents(receiveOutput: received.append)
      })
    await group.triggerGracefulShutdown()
    try await group.run()
    #expect(received.values == [1, 2])
  }

  @Test func `stop isn't delivered inside the locks of the group`() async throws {
    let isShuttingDown = Collected<Bool>()
    let group = ServiceGroup(
      StreamService("curious") { stop in
        // It would wait for the lock that is held while handlers are called.
        stop.handleEvents(receiveOutput: { isShuttingDown.append(Task.isShuttingDownGracefully) })
      })
    await group.triggerGracefulShutdown()
    try await group.run()
    #expect(isShuttingDown.values == [true])
  }

  @Test func `a shutdown that takes too long cancels the stream`() async throws {
    let events = Collected<String>()
    let orders = PassthroughSubject<Int, Never>()
    let group = ServiceGroup(
      StreamService("slow") { stop in
        orders.finish(when: stop.handleEvents(receiveOutput: { events.append("stopped") })).map(maxTasks: 1) { _ in
          events.append("started")
          // Ends only if it's cancelled.
          try? await Task.sleep(for: .seconds(3_600))
          events.append(Task.isCancelled ? "cancelled" : "ended")
        }
      }, maximumDuration: .milliseconds(50))
    async let ended: Void = group.run()
    try await wait(for: "a task starts") {
      orders.send(1)
      return events.count == 1
    }
    await group.triggerGracefulShutdown()
    _ = try? await ended
    try await wait(for: "the task is cancelled") { events.count == 3 }
    #expect(events.values == ["started", "stopped", "cancelled"])
  }

  @Test func `values that don't arrive in time are counted and logged`() async throws {
    let log = InMemoryLogHandler()
    let orders = PassthroughSubject<Int, Never>()
    let (started, ended) = (Collected<Int>(), Collected<Int>())
    let isReady = Collected<Bool>()
    let service = StreamService(
      "orders", stoppingWithin: .milliseconds(50), logger: Logger(label: "test") { _ in log }
    ) {
      orders
    } through: { orders in
      orders.buffer(bounded: 100, whenFull: .wait).map(maxTasks: 4) { order in
        started.append(order)
        // Ends only if it's cancelled.
        if order > 10 { try? await Task.sleep(for: .seconds(3_600)) }
        ended.append(order)
      }.handleEvents(receiveSubscription: { _ in isReady.append(true) })
    }
    #expect("\(service)" == "orders")
    let group = ServiceGroup(service)
    async let finished: Void = group.run()
    try await wait(for: "the service subscribes") { isReady.count == 1 }
    for order in 1...17 { orders.send(order) }
    try await wait(for: "ten orders are stored") { ended.count == 10 && started.count == 14 }
    await group.triggerGracefulShutdown()
    try await finished

    let entry = try #require(log.entries.first)
    #expect(log.entries.count == 1)
    #expect(entry.level == .warning)
    #expect(entry.message == "7 values of the stream orders didn't arrive before it stopped.")
    #expect(entry.metadata == ["stream": "orders", "lost": "7"])
  }

  @Test func `accepted values of a bounded subject that don't arrive in time are counted and logged`() async throws {
    let log = InMemoryLogHandler()
    let orders = BoundedSubject<Int, Never>(bounded: 8)
    let ended = Collected<Int>()
    let service = StreamService(
      "orders", stoppingWithin: .milliseconds(50), logger: Logger(label: "test") { _ in log }
    ) {
      orders
    } through: { orders in
      orders.map(maxTasks: 4) { order in
        // Ends only if it's cancelled.
        if order > 10 { try? await Task.sleep(for: .seconds(3_600)) }
        ended.append(order)
      }
    }
    let group = ServiceGroup(service)
    async let finished: Void = group.run()
    // The first ones may be kept for the service, and the last ones wait in the subject.
    for order in 1...20 { try await orders.send(order) }
    try await wait(for: "ten orders are stored") { ended.count == 10 }
    await group.triggerGracefulShutdown()
    try await finished

    await #expect(throws: CancellationError.self) { try await orders.send(21) }
    let entry = try #require(log.entries.first)
    #expect(log.entries.count == 1)
    #expect(entry.metadata == ["stream": "orders", "lost": "10"])
  }

  @Test func `a bounded subject delivers what it has accepted within the time`() async throws {
    let log = InMemoryLogHandler()
    let orders = BoundedSubject<Int, Never>(bounded: 8)
    let stored = Collected<Int>()
    let open = AsyncStream.makeStream(of: Never.self)
    let service = StreamService("orders", stoppingWithin: .seconds(3_600), logger: Logger(label: "test") { _ in log }) {
      orders
    } through: { orders in
      orders.map(maxTasks: 4) { order in
        for await _ in open.stream {}
        stored.append(order)
      }
    }
    let group = ServiceGroup(service)
    async let finished: Void = group.run()
    for order in 1...12 { try await orders.send(order) }
    await group.triggerGracefulShutdown()
    // The subject is full, so this waits until it has been completed.
    await #expect(throws: CancellationError.self) { try await orders.send(13) }
    open.continuation.finish()
    try await finished
    #expect(stored.values.sorted() == Array(1...12))
    #expect(log.entries == [])
  }

  @Test func `nothing is logged if every value arrives in time`() async throws {
    let log = InMemoryLogHandler()
    let orders = PassthroughSubject<Int, Never>()
    let (started, ended) = (Collected<Int>(), Collected<Int>())
    let isReady = Collected<Bool>()
    let open = AsyncStream.makeStream(of: Never.self)
    let service = StreamService("orders", stoppingWithin: .seconds(3_600), logger: Logger(label: "test") { _ in log }) {
      orders
    } through: { orders in
      orders.buffer(bounded: 100, whenFull: .wait).map(maxTasks: 4) { order in
        started.append(order)
        for await _ in open.stream {}
        ended.append(order)
      }.handleEvents(
        receiveSubscription: { _ in isReady.append(true) }, receiveCompletion: { _ in isReady.append(true) })
    }
    let group = ServiceGroup(service)
    async let finished: Void = group.run()
    try await wait(for: "the service subscribes") { isReady.count == 1 }
    for order in 1...4 { orders.send(order) }
    try await wait(for: "four orders are being stored") { started.count == 4 }
    await group.triggerGracefulShutdown()
    open.continuation.finish()
    try await finished
    #expect(ended.values.sorted() == [1, 2, 3, 4])
    #expect(log.entries == [])
  }

  @Test func `the inspector lists the stream under the name of the service`() async throws {
    // It stays on, because other tests may need it.
    StreamInspector.start()
    let group = ServiceGroup(
      StreamService("inspected orders") {
        PassthroughSubject<Int, Never>().receive(on: DispatchQueue.global()).finish(when: $0)
      })
    async let ended: Void = group.run()
    try await wait(for: "the stream is listed") {
      StreamInspector.inspections.contains { inspection in
        inspection.parts.first?.kind == .sink && inspection.parts.contains { $0.checkpoint == "inspected orders" }
      }
    }
    // Not a line of the library.
    #expect(StreamInspector.streams.streams.contains { $0.place == "checkpoint inspected orders" })
    #expect(StreamInspector.inspections.contains { $0.parts.first?.place == "checkpoint inspected orders" })
    await group.triggerGracefulShutdown()
    try await ended
    #expect(
      !StreamInspector.inspections.contains { $0.parts.contains { $0.checkpoint == "inspected orders" } })
  }
}
