import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import SuiteSupport
import Testing

/// `map(maxTasks:by:)` and `flatMap(maxTasks:by:)`, in virtual time.
struct TasksByKeyTests {
  /// A piece of work: how long it takes, for whom.
  private struct Job: Sendable {
    let key: String
    let seconds: Int
    init(_ key: String, _ seconds: Int) { (self.key, self.seconds) = (key, seconds) }
  }

  private let scheduler = DispatchQueue.test
  private let journal = Journal()
  private let source = ManualSource<Job, TestError>()

  /// Sleeps for the given number of seconds, and records its beginning, end and cancellation.
  private var work: @Sendable (Job) async throws(TestError) -> String {
    { [scheduler, journal] job async throws(TestError) in
      let name = "\(job.key)\(job.seconds)"
      journal.note("\(name) begins")
      do { try await scheduler.sleep(for: .seconds(job.seconds)) } catch {
        journal.note("\(name) cancelled")
        return name
      }
      if job.seconds == 9 { throw .second }
      journal.note("\(name) ends")
      return name
    }
  }

  private func unordered(_ maxTasks: Int = .max) -> some Publisher<String, TestError> {
    source.flatMap(maxTasks: maxTasks, by: \.key, on: scheduler) { [work] job async throws(TestError) in
      try await work(job)
    }
  }

  private func ordered(_ maxTasks: Int = .max) -> some Publisher<String, TestError> {
    source.map(maxTasks: maxTasks, by: \.key, on: scheduler) { [work] job async throws(TestError) in
      try await work(job)
    }
  }

  private func send(_ jobs: Job...) {
    for job in jobs { source.send(job) }
    scheduler.advance()
  }

  @Test func `tasks of one key run one after the other, those of different keys side by side`() {
    let recorder = record(unordered(), on: scheduler)
    send(Job("a", 3), Job("a", 1), Job("b", 2), Job("b", 2))
    source.finish()
    scheduler.run()
    #expect(recorder.log == ["b2@2", "a3@3", "b2@4", "a1@4", "finished@4"])
    #expect(
      journal.all.filter { $0.hasPrefix("a") } == ["a3 begins", "a3 ends", "a1 begins", "a1 ends"])
  }

  @Test func `map publishes results in the order of the values, of all keys`() {
    let recorder = record(ordered(), on: scheduler)
    send(Job("a", 3), Job("b", 1), Job("a", 1), Job("b", 1))
    source.finish()
    scheduler.run()
    #expect(recorder.log == ["a3@3", "b1@3", "a1@4", "b1@4", "finished@4"])
    #expect(journal.all.firstIndex(of: "b1 ends")! < journal.all.firstIndex(of: "a3 ends")!)
  }

  @Test func `values that wait for their turn count as tasks`() {
    _ = record(unordered(2), on: scheduler)
    #expect(source.demand == 2)
    let recorder = record(
      (1...4).publisher.map { Job("a", $0) }.flatMap(maxTasks: 2, by: \.key, on: scheduler) { [work] in
        (try? await work($0)) ?? ""
      }, on: scheduler)
    scheduler.run()
    #expect(recorder.log == ["a1@1", "a2@3", "a3@6", "a4@10", "finished@10"])
  }

  @Test(arguments: [true, false])
  func `a cancelled stream cancels the task that runs, and never starts those that wait`(_ isOrdered: Bool) {
    let recorder = SignalRecorder<String, TestError>()
    if isOrdered { ordered().subscribe(recorder) } else { unordered().subscribe(recorder) }
    send(Job("a", 3), Job("a", 2), Job("a", 1), Job("b", 4))
    recorder.cancel()
    scheduler.run()
    #expect(journal.all.sorted() == ["a3 begins", "a3 cancelled", "b4 begins", "b4 cancelled"])
    #expect(recorder.log == [])
  }

  @Test(arguments: [true, false])
  func `after an error no later task of the key starts`(_ isOrdered: Bool) {
    let recorder = SignalRecorder<String, TestError>()
    if isOrdered { ordered().subscribe(recorder) } else { unordered().subscribe(recorder) }
    send(Job("b", 1), Job("a", 9), Job("a", 2), Job("a", 1))
    scheduler.run()
    #expect(journal.all == ["b1 begins", "a9 begins", "b1 ends"])
    #expect(recorder.log == ["b1", "second"])
    #expect(source.cancelCount == 1)
  }

  @Test func `the turn of a task that ignores its cancellation lasts until it ends`() {
    // A switch cancels the stream of the first value while its task goes on.
    let outer = PassthroughSubject<Int, Never>()
    let cancellable = outer.map { [scheduler, journal] number in
      [number, number + 1].publisher.map(maxTasks: 2, by: { _ in 0 }, on: scheduler) { number in
        journal.note("\(number) begins")
        await withCheckedContinuation { continuation in
          scheduler.schedule(after: scheduler.now.advanced(by: .seconds(5))) { continuation.resume() }
        }
        journal.note("\(number) ends")
        return number
      }
    }.switchToLatest().sink { _ in }
    outer.send(1)
    scheduler.advance(by: .seconds(1))
    outer.send(completion: .finished)
    cancellable.cancel()
    scheduler.run()
    #expect(journal.all == ["1 begins", "1 ends"])
  }

  @Test func `subscribers have turns of their own`() {
    let publisher = [Job("a", 1)].publisher.map(maxTasks: 2, by: \.key, on: scheduler) { [work] in
      (try? await work($0)) ?? ""
    }
    let (first, second) = (record(publisher, on: scheduler), record(publisher, on: scheduler))
    scheduler.run()
    #expect(first.log == ["a1@1", "finished@1"] && second.log == first.log)
  }

  /// A key that counts those that exist, and that hashes and compares under no lock of the stream.
  private final class Name: Hashable {
    static let all = Locker<Set<Int>>([])
    let number: Int
    init(_ number: Int) {
      self.number = number
      Self.all.change { $0.insert(number) }
    }
    deinit { Self.all.change { [number] in $0.remove(number) } }
    static func == (a: Name, b: Name) -> Bool { a.number == b.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
  }

  @Test func `few keys are kept that no value has any more`() {
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject.map(maxTasks: 4, by: { Name($0) }, on: scheduler) { $0 }.sink { _ in }
    for number in 0..<1_000 {
      subject.send(number)
      scheduler.advance()
      #expect(Name.all.value.count <= 17)
    }
    cancellable.cancel()
    #expect(Name.all.value.isEmpty)
  }

  @Test func `a hundred thousand values that wait are dropped without growing the stack`() {
    let recorder = SignalRecorder<String, TestError>()
    unordered().subscribe(recorder)
    for _ in 0..<100_000 { source.send(Job("a", 1)) }
    scheduler.advance()
    recorder.cancel()
    scheduler.run()
    #expect(journal.all == ["a1 begins", "a1 cancelled"])
  }

  @Test(.exits) func `a maximum below one stops the program`() async {
    await #expect(processExitsWith: .failure) {
      _ = Just(1).map(maxTasks: 0, by: { $0 }) { $0 }
    }
  }
}
