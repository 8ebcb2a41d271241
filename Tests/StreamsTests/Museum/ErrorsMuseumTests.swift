import Dispatch
import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// Bugs of other reactive libraries: errors.
struct ErrorsMuseumTests {
  private let scheduler = DispatchQueue.test
  private let source = ManualSource<Int, TestError>()

  /// apple/swift-async-algorithms#450
  @Test @MainActor func `debounce lost a failure that came while nobody waited for a value`() {
    for policy in ValuesPolicy.all {
      let (scheduler, source, lines) = (DispatchQueue.test, ManualSource<Int, TestError>(), Journal())
      scheduler.at(0.5) { source.send(1) }
      scheduler.at(2) { source.fail(.first) }
      scheduler.withVirtualWorld {
        Task {
          var iterator = source.debounce(for: 1, scheduler: scheduler).values(policy).makeAsyncIterator()
          for _ in 0..<4 {
            do {
              lines.note("\(try await iterator.next().map(String.init) ?? "nil")@\(scheduler.seconds)")
            } catch {
              lines.note("\(error)@\(scheduler.seconds)")
            }
            if scheduler.seconds == "1.5" { try? await scheduler.sleep(for: 4) }
          }
        }
        scheduler.run()
      }
      #expect(lines.all == ["1@1.5", "first@5.5", "nil@5.5", "nil@5.5"])
    }
  }

  /// apple/swift-async-algorithms#450
  @Test func `operators that keep values lost a failure for which there was no demand`() {
    typealias Strings = AnyPublisher<String, TestError>
    let operators: [(ManualSource<Int, TestError>, TestSchedulerOf<DispatchQueue>) -> Strings] = [
      { $0.debounce(for: 1, scheduler: $1).map { "\($0)" }.eraseToAnyPublisher() },
      { $0.throttle(for: 1, scheduler: $1, latest: true).map { "\($0)" }.eraseToAnyPublisher() },
      { source, _ in
        source.buffer(size: 1, prefetch: .byRequest, whenFull: .dropOldest).map { "\($0)" }.eraseToAnyPublisher()
      },
      { source, _ in source.collect(2).map { "\($0)" }.eraseToAnyPublisher() },
      { source, _ in source.zip(Empty(completeImmediately: false)) { "\($0) \($1 as Int)" }.eraseToAnyPublisher() },
    ]
    for build in operators {
      let (scheduler, early) = (DispatchQueue.test, ManualSource<Int, TestError>())
      scheduler.at(0) {}
      let withoutValue = record(build(early, scheduler), .none)
      early.fail(.first)
      scheduler.run()
      #expect(withoutValue.log == ["first"])

      let late = ManualSource<Int, TestError>()
      let withValue = record(build(late, scheduler), .none)
      late.send(1)
      scheduler.run()
      late.fail(.first)
      scheduler.run()
      withValue.request(.max(1))
      scheduler.run()
      #expect(withValue.failures == [.first])
      #expect(withValue.log.last == "first")
    }
    // At the instant at which the value is due, before it and after it.
    for isBefore in [true, false] {
      let (scheduler, source) = (DispatchQueue.test, ManualSource<Int, TestError>())
      let recorder = record(source.debounce(for: 1, scheduler: scheduler), on: scheduler)
      if isBefore { scheduler.at(1) { source.fail(.first) } }
      source.send(1)
      if !isBefore { scheduler.at(1) { source.fail(.first) } }
      scheduler.run()
      #expect(recorder.log == (isBefore ? ["first@1"] : ["1@1", "first@1"]))
    }
  }

  /// ReactiveCocoa/ReactiveSwift#771, #772, #829
  @Test func `subscribers of one publisher shared the state of its operators`() {
    let scheduler = scheduler
    // 1, 1, 2, 3 and 9, one each second, for each subscriber.
    let cold = [1, 1, 2, 3, 9].publisher.flatMap(maxPublishers: .max(1)) {
      Just($0).delay(for: 1, scheduler: scheduler)
    }
    let failing = cold.tryMap { value in
      if value == 9 { throw TestError.first }
      return value
    }
    let streams: [(name: String, AnyPublisher<String, any Error>)] = [
      ("retry", failing.retry(1).map { "\($0)" }.eraseToAnyPublisher()),
      ("scan", text(cold.scan(0, +))),
      ("prefix", text(cold.prefix(3))),
      ("dropFirst", text(cold.dropFirst(2))),
      ("removeDuplicates", text(cold.removeDuplicates())),
      ("debounce", text(cold.debounce(for: 0.5, scheduler: scheduler))),
      ("throttle", text(cold.throttle(for: 1.5, scheduler: scheduler, latest: true))),
      ("timeout", text(cold.timeout(1.5, scheduler: scheduler))),
      ("timeout that elapses", text(cold.timeout(0.5, scheduler: scheduler))),
      ("measureInterval", text(cold.measureInterval(using: scheduler).map(\.magnitude))),
      ("output", text(cold.output(in: 1...2))),
      ("collect", text(cold.collect(2))),
      ("collect by time", text(cold.collect(.byTimeOrCount(scheduler, 1.5, 2)))),
      ("drop", text(cold.drop { $0 < 2 })),
      ("last", text(cold.last())),
      ("count", text(cold.count())),
      ("flatMap", text(cold.flatMap(maxPublishers: .max(1)) { Just($0).delay(for: 1, scheduler: scheduler) })),
      ("zip", text(cold.zip(cold.dropFirst()) { $0 + $1 })),
      ("buffer", text(cold.buffer(size: 1, prefetch: .keepFull, whenFull: .dropOldest))),
    ]
    for (name, stream) in streams {
      let alone = signals(stream)
      scheduler.run()
      #expect(!alone.value.isEmpty, "\(name)")
      let second = signals(stream)
      scheduler.advance(by: 2)
      let third = signals(stream)
      scheduler.run()
      #expect(second.value == alone.value, "\(name)")
      #expect(third.value == alone.value, "\(name)")
    }
  }

  /// cx-org/CombineX#66, commit 19e0e56
  @Test func `timed groups and the completion came on different threads, in another order`() {
    func received(_ end: @escaping (ManualSource<Int, TestError>) -> Void) -> [String] {
      let (scheduler, source) = (DispatchQueue.test, ManualSource<Int, TestError>())
      let recorder = record(source.collect(.byTimeOrCount(scheduler, 10, 5)), on: scheduler)
      source.send(1)
      scheduler.advance(by: 1)
      end(source)
      // Nothing comes on the thread of the source.
      #expect(recorder.log == [])
      scheduler.run()
      return recorder.log
    }
    #expect(received { $0.fail(.first) } == ["first@1"])
    #expect(received { $0.finish() } == ["[1]@1", "finished@1"])
  }

  private func text(_ publisher: some Publisher<some Any, Never>) -> AnyPublisher<String, any Error> {
    publisher.map { "\($0)" }.setFailureType(to: (any Error).self).eraseToAnyPublisher()
  }

  /// Subscribes, and returns what is received, with the times since then.
  private func signals(_ publisher: AnyPublisher<String, any Error>) -> Box<[String]> {
    let (signals, start, scheduler) = (Box<[String]>([]), scheduler.now, scheduler)
    let cancellable = Box<AnyCancellable?>(nil)
    func note(_ text: String) {
      signals.value.append("\(text)@\(start.distance(to: scheduler.now).magnitude)")
    }
    cancellable.value = publisher.sink(isolation: nil) { completion in
      if case .failure(let error) = completion { note("\(error)") } else { note("finished") }
      cancellable.value = nil
    } receiveValue: { value in
      note(value)
    }
    return signals
  }
}
