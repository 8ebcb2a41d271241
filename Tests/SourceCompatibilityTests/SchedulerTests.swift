import Combine
import Dispatch
import Foundation
import StreamAlgorithms
import Testing

struct SchedulerTests {
  @Test func `DispatchQueue has Combine's scheduler members`() async throws {
    let queue = DispatchQueue(label: "scheduler")
    let now: DispatchQueue.SchedulerTimeType = queue.now
    let stride: DispatchQueue.SchedulerTimeType.Stride = .milliseconds(1)
    var time = DispatchQueue.SchedulerTimeType(DispatchTime(uptimeNanoseconds: 1_000))
    time = time.advanced(by: 1)
    #expect(time.dispatchTime.uptimeNanoseconds == 1_000_001_000)
    #expect(time.distance(to: time) == 0)
    #expect(now < now.advanced(by: .seconds(0.5)))
    #expect(Set([time, time]).count == 1)
    #expect(
      try JSONDecoder().decode([DispatchQueue.SchedulerTimeType].self, from: JSONEncoder().encode([time])) == [time])
    var strides: [DispatchQueue.SchedulerTimeType.Stride] = [
      1, 0.5, .seconds(1), .seconds(0.5), .milliseconds(1), .microseconds(1), .nanoseconds(1), .init(.seconds(1)),
    ]
    strides.append(strides[0] + strides[1] - strides[2] * strides[3])
    #expect(strides[0].magnitude == 1_000_000_000)
    #expect(strides[0].timeInterval == .nanoseconds(1_000_000_000))
    #expect(
      try JSONDecoder().decode([DispatchQueue.SchedulerTimeType.Stride].self, from: JSONEncoder().encode(strides))
        == strides)
    var options = DispatchQueue.SchedulerOptions(qos: .utility, flags: [.barrier], group: DispatchGroup())
    options.qos = .default
    options.flags = []
    options.group = nil
    _ = DispatchQueue.SchedulerOptions()
    #expect(queue.minimumTolerance <= stride)
    let done = DispatchGroup()
    for _ in 0..<5 { done.enter() }
    queue.schedule { done.leave() }
    queue.schedule(options: options) { done.leave() }
    queue.schedule(after: now) { done.leave() }
    queue.schedule(after: now, tolerance: stride, options: options) { done.leave() }
    let repetition = OneTime { done.leave() }
    let cancellable = queue.schedule(after: now, interval: stride) { repetition.run() }
    await all(of: done)
    cancellable.cancel()
  }

  @Test func `RunLoop has Combine's scheduler members`() throws {
    let now: RunLoop.SchedulerTimeType = RunLoop.main.now
    let stride: RunLoop.SchedulerTimeType.Stride = 0.5
    let time = RunLoop.SchedulerTimeType(Date(timeIntervalSinceReferenceDate: 1))
    #expect(time.date == Date(timeIntervalSinceReferenceDate: 1))
    #expect(time.distance(to: time.advanced(by: stride)) == 0.5)
    #expect(stride.timeInterval == 0.5)
    #expect(stride.magnitude == 0.5)
    #expect(RunLoop.SchedulerTimeType.Stride(0.5) == .milliseconds(500))
    #expect(now < now.advanced(by: .seconds(1)))
    #expect(RunLoop.main.minimumTolerance == 0)
    _ = RunLoop.SchedulerOptions()
    expectType(
      numbers(1).receive(on: RunLoop.main).self,
      is: Publishers.ReceiveOn<
        Deferred<Publishers.Sequence<[Int], Never>>, RunLoop
      >.self)
    expectType(
      numbers(1).delay(for: .seconds(1), scheduler: RunLoop.main, options: nil),
      is: Publishers.Delay<Deferred<Publishers.Sequence<[Int], Never>>, RunLoop>.self)
  }

  @Test func `OperationQueue has Combine's scheduler members`() async {
    let queue = OperationQueue()
    let stride: OperationQueue.SchedulerTimeType.Stride = .seconds(1)
    let time = OperationQueue.SchedulerTimeType(Date(timeIntervalSinceReferenceDate: 1))
    #expect(time.date == Date(timeIntervalSinceReferenceDate: 1))
    #expect(time.distance(to: time.advanced(by: stride)).timeInterval == 1)
    #expect(queue.now < queue.now.advanced(by: stride))
    _ = OperationQueue.SchedulerOptions()
    let done = DispatchGroup()
    done.enter()
    let cancellable = numbers(1).receive(on: queue).sink { _ in done.leave() }
    await all(of: done)
    cancellable.cancel()
  }

  @Test func `coders of Foundation`() throws {
    func check<Coder: TopLevelEncoder, Reader: TopLevelDecoder>(_ encoder: Coder, _ decoder: Reader) throws
    where Coder.Output == Data, Reader.Input == Data {
      #expect(try decoder.decode(Point.self, from: encoder.encode(Point())) == Point())
    }
    try check(JSONEncoder(), JSONDecoder())
    try check(PropertyListEncoder(), PropertyListDecoder())
  }
}

/// Waits for a dispatch group without blocking a thread.
private func all(of group: DispatchGroup) async {
  await withCheckedContinuation { continuation in group.notify(queue: .global()) { continuation.resume() } }
}

/// Runs an action only once on a queue that repeats it.
private final class OneTime {
  private var action: (() -> Void)?

  init(_ action: @escaping () -> Void) { self.action = action }

  func run() {
    action?()
    action = nil
  }
}
