import Dispatch
import Observation
import StreamSchedulers
import Streams
import Testing

/// The tasks of the package are named after the operator that starts them, so that a debugger tells what they are.
///
/// Serialized, because one test switches the names off.
@Suite(.serialized, .enabled(if: isTaskNameKnown)) struct TaskNameTests {
  @Test func `a future's task`() async {
    #expect(await Future<String?, Never> { currentTaskName }.value == "Future")
    let scheduler = DispatchQueue.test
    let onTimeline = Future<String?, Never>(on: scheduler) { currentTaskName }
    await scheduler.advance()
    #expect(await onTimeline.value == "Future")
  }

  @Test func `operators with a task for each value`() async {
    let one = Just(1)
    #expect(await name(one.map(maxTasks: 2) { _ in currentTaskName }) == "map(maxTasks:)")
    #expect(await name(one.flatMap(maxTasks: 2) { _ in currentTaskName }) == "flatMap(maxTasks:)")
    #expect(await name(one.flatMapLatest { _ in currentTaskName }) == "flatMapLatest")
    #expect(await name(one.map(maxTasks: 2, by: { $0 }) { _ in currentTaskName }) == "map(maxTasks:by:)")
    #expect(await name(one.flatMap(maxTasks: 2, by: { $0 }) { _ in currentTaskName }) == "flatMap(maxTasks:by:)")
  }

  @Test func `the task that iterates over a sequence`() async {
    let names = AsyncStream<String?>(unfolding: { .some(currentTaskName) })
    #expect(await name(names.publisher) == "AsyncSequence.publisher")
  }

  @Test func `the hop to an actor`() async {
    let subject = PassthroughSubject<Int, Never>()
    let (names, continuation) = AsyncStream.makeStream(of: String?.self)
    let place = Place()
    let cancellable = subject.sink(with: place) { _, _ in continuation.yield(currentTaskName) }
    subject.send(1)
    #expect(await names.first { _ in true } == "receive(on:)")
    cancellable.cancel()
    withExtendedLifetime(place) {}
  }

  @Test @MainActor func `reading models again, on an actor`() async {
    let model = Model()
    await expectNameAfterChange(of: model, Observed { model.read() })
  }

  @Test func `reading models again, where no actor is`() async {
    let model = Model()
    await expectNameAfterChange(of: model, Observed(isolation: nil) { model.read() })
  }

  @Test func `the body of an asynchronous test`() throws {
    #expect(try DispatchQueue.test.run { currentTaskName } == "TestScheduler.run")
  }

  @Test func `the task of a scheduler that waits for its clock`() async {
    let (names, continuation) = AsyncStream.makeStream(of: String?.self)
    let scheduler = ClockScheduler(AskedClock { continuation.yield(currentTaskName) })
    let date = scheduler.now.advanced(by: ClockStride(.seconds(1)))
    let timer = scheduler.scheduleOnce(after: date, tolerance: ClockStride(.zero), options: nil) {}
    #expect(await names.first { _ in true } == "ClockScheduler")
    timer.cancel()
  }

  @Test func `without names, a task has none`() async {
    NamedTask.areNamed = false
    defer { NamedTask.areNamed = true }
    #expect(await Future<String?, Never> { currentTaskName }.value == nil)
  }

  private func name<P: Publisher<String?, Never>>(_ publisher: P) async -> String? {
    for await name in publisher.first().values { return name }
    return "nothing"
  }
}

/// Checks the name of the task in which a model is read after a change.
private func expectNameAfterChange(
  of model: Model, _ observed: Observed<String?>, isolation: isolated (any Actor)? = #isolation
) async {
  let (names, continuation) = AsyncStream.makeStream(of: String?.self)
  let cancellable = observed.dropFirst().sink(isolation: nil) { continuation.yield($0) }
  model.count += 1
  var iterator = names.makeAsyncIterator()
  #expect(await iterator.next(isolation: isolation) == "Observed")
  cancellable.cancel()
}

private actor Place {}

/// Unchecked: each test changes it before the job that reads it is enqueued.
@Observable private final class Model: @unchecked Sendable {
  var count = 0

  func read() -> String? {
    _ = count
    return currentTaskName
  }
}

/// A clock that calls a closure when it is asked to wait.
private struct AskedClock: Clock {
  let whenAsked: @Sendable () -> Void

  var now: ContinuousClock.Instant { ContinuousClock.now }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    whenAsked()
    throw CancellationError()
  }
}

private let isTaskNameKnown =
  if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) { true } else { false }

private var currentTaskName: String? {
  guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return nil }
  return Task.name
}
