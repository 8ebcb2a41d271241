import Combine
import Dispatch
import Testing

/// A queue in a test. Its time moves when the test moves it.
final class TestScheduler: Scheduler {
  typealias SchedulerTimeType = DispatchQueue.SchedulerTimeType
  typealias SchedulerOptions = DispatchQueue.SchedulerOptions

  private struct Job {
    let id: Int
    var date: SchedulerTimeType
    let interval: SchedulerTimeType.Stride?
    let action: () -> Void
  }

  private var jobs: [Job] = []
  private var nextID = 0
  private(set) var now = SchedulerTimeType(.init(uptimeNanoseconds: 1))
  let minimumTolerance: SchedulerTimeType.Stride = 0

  func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    add(now, nil, action)
  }

  func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    add(date, nil, action)
  }

  func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    let id = add(date, interval, action)
    return AnyCancellable { [weak self] in self?.jobs.removeAll { $0.id == id } }
  }

  func advance(by interval: SchedulerTimeType.Stride) {
    let end = now.advanced(by: interval)
    while let job = jobs.filter({ $0.date <= end }).min(by: { ($0.date, $0.id) < ($1.date, $1.id) }) {
      now = max(now, job.date)
      let index = jobs.firstIndex { $0.id == job.id }!
      if let interval = job.interval {
        jobs[index].date = job.date.advanced(by: interval)
      } else {
        jobs.remove(at: index)
      }
      job.action()
    }
    now = end
  }

  @discardableResult
  private func add(
    _ date: SchedulerTimeType, _ interval: SchedulerTimeType.Stride?, _ action: @escaping () -> Void
  ) -> Int {
    nextID += 1
    jobs.append(Job(id: nextID, date: date, interval: interval, action: action))
    return nextID
  }
}

extension Publisher {
  /// Lets the first of a burst through, then the last.
  func calm<S: Scheduler>(
    _ interval: S.SchedulerTimeType.Stride, on scheduler: S
  ) -> Publishers.RemoveDuplicates<Publishers.Throttle<Self, S>> where Output: Equatable {
    throttle(for: interval, scheduler: scheduler, latest: true).removeDuplicates()
  }
}

struct TestSchedulerTests {
  let scheduler = TestScheduler()
  let subject = PassthroughSubject<Int, Never>()

  @Test func `a burst becomes its first and its last value`() {
    var values: [Int] = []
    let cancellable = subject.calm(.seconds(1), on: scheduler).sink { values.append($0) }
    subject.send(1)
    scheduler.advance(by: .zero)
    (2...4).forEach(subject.send)
    scheduler.advance(by: .seconds(1))
    #expect(values == [1, 4])
    subject.send(4)
    scheduler.advance(by: .seconds(1))
    #expect(values == [1, 4])
    cancellable.cancel()
  }

  @Test func `a delay moves values and completion`() {
    var log: [String] = []
    let cancellable = subject.delay(for: 1, scheduler: scheduler)
      .sink {
        log.append("\($0)")
      } receiveValue: {
        log.append("\($0)")
      }
    subject.send(7)
    subject.send(completion: .finished)
    scheduler.advance(by: .milliseconds(999))
    #expect(log.isEmpty)
    scheduler.advance(by: .milliseconds(1))
    #expect(log == ["7", "finished"])
    withExtendedLifetime(cancellable) {}
  }

  @Test func `a group closes with its time or its size`() {
    let strategy: Publishers.TimeGroupingStrategy<TestScheduler> = .byTimeOrCount(scheduler, .seconds(10), 3)
    var groups: [[Int]] = []
    let cancellable = subject.collect(strategy).sink { groups.append($0) }
    (1...4).forEach(subject.send)
    scheduler.advance(by: .zero)
    #expect(groups == [[1, 2, 3]])
    scheduler.advance(by: .seconds(10))
    #expect(groups == [[1, 2, 3], [4]])
    cancellable.cancel()
  }
}
