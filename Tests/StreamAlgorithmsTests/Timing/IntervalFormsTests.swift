import Dispatch
import Foundation
import StreamFoundation
import StreamSchedulers
import Streams
import Testing

@testable import StreamAlgorithms

// `@testable`: the intervals that publishers have, in their schedulers' strides.

// Every public parameter that is an interval takes each of these forms, on every scheduler. All that is tested is that it compiles.

private let values = PassthroughSubject<Int, Never>()
private let (whole, fraction, duration) = (2, 1.5, Duration.milliseconds(7))

private func compile<S: Scheduler>(on scheduler: S) where S.SchedulerTimeType: Sendable {
  _ = values.debounce(for: .seconds(1), scheduler: scheduler)
  _ = values.debounce(for: .seconds(0.5), scheduler: scheduler)
  _ = values.debounce(for: .milliseconds(5), scheduler: scheduler)
  _ = values.debounce(for: .seconds(whole), scheduler: scheduler)
  _ = values.debounce(for: .seconds(fraction), scheduler: scheduler)
  _ = values.debounce(for: 1, scheduler: scheduler)
  _ = values.debounce(for: duration, scheduler: scheduler)
  _ = values.throttle(for: .seconds(1), scheduler: scheduler, latest: true)
  _ = values.throttle(for: .seconds(0.5), scheduler: scheduler, latest: true)
  _ = values.throttle(for: .milliseconds(5), scheduler: scheduler, latest: true)
  _ = values.throttle(for: .seconds(whole), scheduler: scheduler, latest: true)
  _ = values.throttle(for: .seconds(fraction), scheduler: scheduler, latest: true)
  _ = values.throttle(for: 1, scheduler: scheduler, latest: true)
  _ = values.throttle(for: duration, scheduler: scheduler, latest: true)
  _ = values.delay(for: .seconds(1), scheduler: scheduler)
  _ = values.delay(for: .seconds(0.5), scheduler: scheduler)
  _ = values.delay(for: .milliseconds(5), scheduler: scheduler)
  _ = values.delay(for: .seconds(whole), scheduler: scheduler)
  _ = values.delay(for: .seconds(fraction), scheduler: scheduler)
  _ = values.delay(for: 1, scheduler: scheduler)
  _ = values.delay(for: duration, scheduler: scheduler)
  _ = values.timeout(.seconds(1), scheduler: scheduler)
  _ = values.timeout(.seconds(0.5), scheduler: scheduler)
  _ = values.timeout(.milliseconds(5), scheduler: scheduler)
  _ = values.timeout(.seconds(whole), scheduler: scheduler)
  _ = values.timeout(.seconds(fraction), scheduler: scheduler)
  _ = values.timeout(1, scheduler: scheduler)
  _ = values.timeout(duration, scheduler: scheduler)
  _ = values.rateLimit(1, per: .seconds(1), scheduler: scheduler, queueSize: 1, whenFull: .dropNewest)
  _ = values.rateLimit(1, per: .seconds(0.5), scheduler: scheduler, queueSize: 1, whenFull: .dropNewest)
  _ = values.rateLimit(1, per: .milliseconds(5), scheduler: scheduler, queueSize: 1, whenFull: .dropNewest)
  _ = values.rateLimit(1, per: .seconds(whole), scheduler: scheduler, queueSize: 1, whenFull: .dropNewest)
  _ = values.rateLimit(1, per: .seconds(fraction), scheduler: scheduler, queueSize: 1, whenFull: .dropNewest)
  _ = values.rateLimit(1, per: 1, scheduler: scheduler, queueSize: 1, whenFull: .dropNewest)
  _ = values.rateLimit(1, per: duration, scheduler: scheduler, queueSize: 1, whenFull: .dropNewest)
  _ = values.delay(subscription: .seconds(1), scheduler: scheduler)
  _ = values.delay(subscription: .seconds(0.5), scheduler: scheduler)
  _ = values.delay(subscription: .milliseconds(5), scheduler: scheduler)
  _ = values.delay(subscription: .seconds(whole), scheduler: scheduler)
  _ = values.delay(subscription: .seconds(fraction), scheduler: scheduler)
  _ = values.delay(subscription: 1, scheduler: scheduler)
  _ = values.delay(subscription: duration, scheduler: scheduler)
  _ = values.prefix(duration: .seconds(1), scheduler: scheduler)
  _ = values.prefix(duration: .seconds(0.5), scheduler: scheduler)
  _ = values.prefix(duration: .milliseconds(5), scheduler: scheduler)
  _ = values.prefix(duration: .seconds(whole), scheduler: scheduler)
  _ = values.prefix(duration: .seconds(fraction), scheduler: scheduler)
  _ = values.prefix(duration: 1, scheduler: scheduler)
  _ = values.prefix(duration: duration, scheduler: scheduler)
  _ = values.poll(every: .seconds(1), scheduler: scheduler)
  _ = values.poll(every: .seconds(0.5), scheduler: scheduler)
  _ = values.poll(every: .milliseconds(5), scheduler: scheduler)
  _ = values.poll(every: .seconds(whole), scheduler: scheduler)
  _ = values.poll(every: .seconds(fraction), scheduler: scheduler)
  _ = values.poll(every: 1, scheduler: scheduler)
  _ = values.poll(every: duration, scheduler: scheduler)
  _ = values.drain(when: values, within: .seconds(1), scheduler: scheduler) {
    $0
  } lost: { _ in
  }
  _ = values.drain(when: values, within: .seconds(0.5), scheduler: scheduler) {
    $0
  } lost: { _ in
  }
  _ = values.drain(when: values, within: .milliseconds(5), scheduler: scheduler) {
    $0
  } lost: { _ in
  }
  _ = values.drain(when: values, within: .seconds(whole), scheduler: scheduler) {
    $0
  } lost: { _ in
  }
  _ = values.drain(when: values, within: .seconds(fraction), scheduler: scheduler) {
    $0
  } lost: { _ in
  }
  _ = values.drain(when: values, within: 1, scheduler: scheduler) {
    $0
  } lost: { _ in
  }
  _ = values.drain(when: values, within: duration, scheduler: scheduler) {
    $0
  } lost: { _ in
  }
  _ = scheduler.timerPublisher(every: .seconds(1))
  _ = scheduler.timerPublisher(every: .seconds(0.5))
  _ = scheduler.timerPublisher(every: .milliseconds(5))
  _ = scheduler.timerPublisher(every: .seconds(whole))
  _ = scheduler.timerPublisher(every: .seconds(fraction))
  _ = scheduler.timerPublisher(every: 1)
  _ = scheduler.timerPublisher(every: duration)
  _ = Publishers.Timer(every: .seconds(1), scheduler: scheduler)
  _ = Publishers.Timer(every: .seconds(0.5), scheduler: scheduler)
  _ = Publishers.Timer(every: .milliseconds(5), scheduler: scheduler)
  _ = Publishers.Timer(every: .seconds(whole), scheduler: scheduler)
  _ = Publishers.Timer(every: .seconds(fraction), scheduler: scheduler)
  _ = Publishers.Timer(every: 1, scheduler: scheduler)
  _ = Publishers.Timer(every: .duration(duration), scheduler: scheduler)
  _ = values.collect(.byTime(scheduler, .seconds(1)))
  _ = values.collect(.byTime(scheduler, .seconds(0.5)))
  _ = values.collect(.byTime(scheduler, .milliseconds(5)))
  _ = values.collect(.byTime(scheduler, .seconds(whole)))
  _ = values.collect(.byTime(scheduler, .seconds(fraction)))
  _ = values.collect(.byTime(scheduler, 1))
  _ = values.collect(.byTime(scheduler, .duration(duration)))
  _ = values.collect(.byTimeOrCount(scheduler, .seconds(1), 2))
  _ = values.collect(.byTimeOrCount(scheduler, .seconds(0.5), 2))
  _ = values.collect(.byTimeOrCount(scheduler, .milliseconds(5), 2))
  _ = values.collect(.byTimeOrCount(scheduler, .seconds(whole), 2))
  _ = values.collect(.byTimeOrCount(scheduler, .seconds(fraction), 2))
  _ = values.collect(.byTimeOrCount(scheduler, 1, 2))
  _ = values.collect(.byTimeOrCount(scheduler, .duration(duration), 2))
  _ = scheduler.timer(interval: .seconds(1))
  _ = scheduler.timer(interval: .seconds(0.5))
  _ = scheduler.timer(interval: .milliseconds(5))
  _ = scheduler.timer(interval: .seconds(whole))
  _ = scheduler.timer(interval: .seconds(fraction))
  _ = scheduler.timer(interval: 1)
  _ = scheduler.timer(interval: .duration(duration))
}

// A literal has other candidates where the type of the interval is known.

private func compileOnQueues(_ scheduler: DispatchQueue) {
  _ = values.debounce(for: .seconds(0.5), scheduler: scheduler)
  _ = values.debounce(for: 1, scheduler: scheduler)
  _ = values.debounce(for: duration, scheduler: scheduler)
  _ = values.throttle(for: .seconds(0.5), scheduler: scheduler, latest: true)
  _ = values.throttle(for: 1, scheduler: scheduler, latest: true)
  _ = values.throttle(for: duration, scheduler: scheduler, latest: true)
  _ = values.delay(for: .seconds(0.5), scheduler: scheduler)
  _ = values.delay(for: 1, scheduler: scheduler)
  _ = values.delay(for: duration, scheduler: scheduler)
  _ = values.timeout(.seconds(0.5), scheduler: scheduler)
  _ = values.timeout(1, scheduler: scheduler)
  _ = values.timeout(duration, scheduler: scheduler)
  _ = values.rateLimit(1, per: .seconds(0.5), scheduler: scheduler, queueSize: 1, whenFull: .dropNewest)
  _ = values.rateLimit(1, per: 1, scheduler: scheduler, queueSize: 1, whenFull: .dropNewest)
  _ = values.rateLimit(1, per: duration, scheduler: scheduler, queueSize: 1, whenFull: .dropNewest)
  _ = values.delay(subscription: .seconds(0.5), scheduler: scheduler)
  _ = values.delay(subscription: 1, scheduler: scheduler)
  _ = values.delay(subscription: duration, scheduler: scheduler)
  _ = values.prefix(duration: .seconds(0.5), scheduler: scheduler)
  _ = values.prefix(duration: 1, scheduler: scheduler)
  _ = values.prefix(duration: duration, scheduler: scheduler)
  _ = values.poll(every: .seconds(0.5), scheduler: scheduler)
  _ = values.poll(every: 1, scheduler: scheduler)
  _ = values.poll(every: duration, scheduler: scheduler)
  _ = values.drain(when: values, within: .seconds(0.5), scheduler: scheduler) {
    $0
  } lost: { _ in
  }
  _ = values.drain(when: values, within: 1, scheduler: scheduler) {
    $0
  } lost: { _ in
  }
  _ = values.drain(when: values, within: duration, scheduler: scheduler) {
    $0
  } lost: { _ in
  }
  _ = scheduler.timerPublisher(every: .seconds(0.5))
  _ = scheduler.timerPublisher(every: 1)
  _ = scheduler.timerPublisher(every: duration)
  _ = Publishers.Timer(every: .seconds(0.5), scheduler: scheduler)
  _ = Publishers.Timer(every: 1, scheduler: scheduler)
  _ = Publishers.Timer(every: .duration(duration), scheduler: scheduler)
  _ = values.collect(.byTime(scheduler, .seconds(0.5)))
  _ = values.collect(.byTime(scheduler, 1))
  _ = values.collect(.byTime(scheduler, .duration(duration)))
  _ = values.collect(.byTimeOrCount(scheduler, .seconds(0.5), 2))
  _ = values.collect(.byTimeOrCount(scheduler, 1, 2))
  _ = values.collect(.byTimeOrCount(scheduler, .duration(duration), 2))
}

private func compileOnRunLoops(_ scheduler: RunLoop) {
  _ = values.debounce(for: .seconds(0.5), scheduler: scheduler)
  _ = values.debounce(for: 1, scheduler: scheduler)
  _ = values.debounce(for: duration, scheduler: scheduler)
  _ = values.throttle(for: .seconds(0.5), scheduler: scheduler, latest: true)
  _ = values.throttle(for: 1, scheduler: scheduler, latest: true)
  _ = values.throttle(for: duration, scheduler: scheduler, latest: true)
  _ = values.delay(for: .seconds(0.5), scheduler: scheduler)
  _ = values.delay(for: 1, scheduler: scheduler)
  _ = values.delay(for: duration, scheduler: scheduler)
  _ = values.timeout(.seconds(0.5), scheduler: scheduler)
  _ = values.timeout(1, scheduler: scheduler)
  _ = values.timeout(duration, scheduler: scheduler)
  _ = values.rateLimit(1, per: .seconds(0.5), scheduler: scheduler, queueSize: 1, whenFull: .dropNewest)
  _ = values.rateLimit(1, per: 1, scheduler: scheduler, queueSize: 1, whenFull: .dropNewest)
  _ = values.rateLimit(1, per: duration, scheduler: scheduler, queueSize: 1, whenFull: .dropNewest)
  _ = values.delay(subscription: .seconds(0.5), scheduler: scheduler)
  _ = values.delay(subscription: 1, scheduler: scheduler)
  _ = values.delay(subscription: duration, scheduler: scheduler)
  _ = values.prefix(duration: .seconds(0.5), scheduler: scheduler)
  _ = values.prefix(duration: 1, scheduler: scheduler)
  _ = values.prefix(duration: duration, scheduler: scheduler)
  _ = values.poll(every: .seconds(0.5), scheduler: scheduler)
  _ = values.poll(every: 1, scheduler: scheduler)
  _ = values.poll(every: duration, scheduler: scheduler)
  _ = values.drain(when: values, within: .seconds(0.5), scheduler: scheduler) {
    $0
  } lost: { _ in
  }
  _ = values.drain(when: values, within: 1, scheduler: scheduler) {
    $0
  } lost: { _ in
  }
  _ = values.drain(when: values, within: duration, scheduler: scheduler) {
    $0
  } lost: { _ in
  }
  _ = scheduler.timerPublisher(every: .seconds(0.5))
  _ = scheduler.timerPublisher(every: 1)
  _ = scheduler.timerPublisher(every: duration)
  _ = Publishers.Timer(every: .seconds(0.5), scheduler: scheduler)
  _ = Publishers.Timer(every: 1, scheduler: scheduler)
  _ = Publishers.Timer(every: .duration(duration), scheduler: scheduler)
  _ = values.collect(.byTime(scheduler, .seconds(0.5)))
  _ = values.collect(.byTime(scheduler, 1))
  _ = values.collect(.byTime(scheduler, .duration(duration)))
  _ = values.collect(.byTimeOrCount(scheduler, .seconds(0.5), 2))
  _ = values.collect(.byTimeOrCount(scheduler, 1, 2))
  _ = values.collect(.byTimeOrCount(scheduler, .duration(duration), 2))
}

private func compileOnOperationQueues(_ scheduler: OperationQueue) {
  _ = values.debounce(for: .seconds(0.5), scheduler: scheduler)
  _ = values.debounce(for: 1, scheduler: scheduler)
  _ = values.debounce(for: duration, scheduler: scheduler)
  _ = values.throttle(for: .seconds(0.5), scheduler: scheduler, latest: true)
  _ = values.throttle(for: 1, scheduler: scheduler, latest: true)
  _ = values.throttle(for: duration, scheduler: scheduler, latest: true)
  _ = values.delay(for: .seconds(0.5), scheduler: scheduler)
  _ = values.delay(for: 1, scheduler: scheduler)
  _ = values.delay(for: duration, scheduler: scheduler)
  _ = values.timeout(.seconds(0.5), scheduler: scheduler)
  _ = values.timeout(1, scheduler: scheduler)
  _ = values.timeout(duration, scheduler: scheduler)
  _ = values.rateLimit(1, per: .seconds(0.5), scheduler: scheduler, queueSize: 1, whenFull: .dropNewest)
  _ = values.rateLimit(1, per: 1, scheduler: scheduler, queueSize: 1, whenFull: .dropNewest)
  _ = values.rateLimit(1, per: duration, scheduler: scheduler, queueSize: 1, whenFull: .dropNewest)
  _ = values.delay(subscription: .seconds(0.5), scheduler: scheduler)
  _ = values.delay(subscription: 1, scheduler: scheduler)
  _ = values.delay(subscription: duration, scheduler: scheduler)
  _ = values.prefix(duration: .seconds(0.5), scheduler: scheduler)
  _ = values.prefix(duration: 1, scheduler: scheduler)
  _ = values.prefix(duration: duration, scheduler: scheduler)
  _ = values.poll(every: .seconds(0.5), scheduler: scheduler)
  _ = values.poll(every: 1, scheduler: scheduler)
  _ = values.poll(every: duration, scheduler: scheduler)
  _ = values.drain(when: values, within: .seconds(0.5), scheduler: scheduler) {
    $0
  } lost: { _ in
  }
  _ = values.drain(when: values, within: 1, scheduler: scheduler) {
    $0
  } lost: { _ in
  }
  _ = values.drain(when: values, within: duration, scheduler: scheduler) {
    $0
  } lost: { _ in
  }
  _ = scheduler.timerPublisher(every: .seconds(0.5))
  _ = scheduler.timerPublisher(every: 1)
  _ = scheduler.timerPublisher(every: duration)
  _ = Publishers.Timer(every: .seconds(0.5), scheduler: scheduler)
  _ = Publishers.Timer(every: 1, scheduler: scheduler)
  _ = Publishers.Timer(every: .duration(duration), scheduler: scheduler)
  _ = values.collect(.byTime(scheduler, .seconds(0.5)))
  _ = values.collect(.byTime(scheduler, 1))
  _ = values.collect(.byTime(scheduler, .duration(duration)))
  _ = values.collect(.byTimeOrCount(scheduler, .seconds(0.5), 2))
  _ = values.collect(.byTimeOrCount(scheduler, 1, 2))
  _ = values.collect(.byTimeOrCount(scheduler, .duration(duration), 2))
}

private func compileOnTestSchedulers(_ scheduler: TestSchedulerOf<DispatchQueue>) {
  _ = values.debounce(for: .seconds(0.5), scheduler: scheduler)
  _ = values.debounce(for: 1, scheduler: scheduler)
  _ = values.debounce(for: duration, scheduler: scheduler)
  _ = values.throttle(for: .seconds(0.5), scheduler: scheduler, latest: true)
  _ = values.throttle(for: 1, scheduler: scheduler, latest: true)
  _ = values.throttle(for: duration, scheduler: scheduler, latest: true)
  _ = values.delay(for: .seconds(0.5), scheduler: scheduler)
  _ = values.delay(for: 1, scheduler: scheduler)
  _ = values.delay(for: duration, scheduler: scheduler)
  _ = values.timeout(.seconds(0.5), scheduler: scheduler)
  _ = values.timeout(1, scheduler: scheduler)
  _ = values.timeout(duration, scheduler: scheduler)
  _ = values.rateLimit(1, per: .seconds(0.5), scheduler: scheduler, queueSize: 1, whenFull: .dropNewest)
  _ = values.rateLimit(1, per: 1, scheduler: scheduler, queueSize: 1, whenFull: .dropNewest)
  _ = values.rateLimit(1, per: duration, scheduler: scheduler, queueSize: 1, whenFull: .dropNewest)
  _ = values.delay(subscription: .seconds(0.5), scheduler: scheduler)
  _ = values.delay(subscription: 1, scheduler: scheduler)
  _ = values.delay(subscription: duration, scheduler: scheduler)
  _ = values.prefix(duration: .seconds(0.5), scheduler: scheduler)
  _ = values.prefix(duration: 1, scheduler: scheduler)
  _ = values.prefix(duration: duration, scheduler: scheduler)
  _ = values.poll(every: .seconds(0.5), scheduler: scheduler)
  _ = values.poll(every: 1, scheduler: scheduler)
  _ = values.poll(every: duration, scheduler: scheduler)
  _ = values.drain(when: values, within: .seconds(0.5), scheduler: scheduler) {
    $0
  } lost: { _ in
  }
  _ = values.drain(when: values, within: 1, scheduler: scheduler) {
    $0
  } lost: { _ in
  }
  _ = values.drain(when: values, within: duration, scheduler: scheduler) {
    $0
  } lost: { _ in
  }
  _ = scheduler.timerPublisher(every: .seconds(0.5))
  _ = scheduler.timerPublisher(every: 1)
  _ = scheduler.timerPublisher(every: duration)
  _ = Publishers.Timer(every: .seconds(0.5), scheduler: scheduler)
  _ = Publishers.Timer(every: 1, scheduler: scheduler)
  _ = Publishers.Timer(every: .duration(duration), scheduler: scheduler)
  _ = values.collect(.byTime(scheduler, .seconds(0.5)))
  _ = values.collect(.byTime(scheduler, 1))
  _ = values.collect(.byTime(scheduler, .duration(duration)))
  _ = values.collect(.byTimeOrCount(scheduler, .seconds(0.5), 2))
  _ = values.collect(.byTimeOrCount(scheduler, 1, 2))
  _ = values.collect(.byTimeOrCount(scheduler, .duration(duration), 2))
}

private func compileOnErasedSchedulers(_ scheduler: AnySchedulerOf<DispatchQueue>) {
  _ = values.debounce(for: .seconds(0.5), scheduler: scheduler)
  _ = values.debounce(for: 1, scheduler: scheduler)
  _ = values.debounce(for: duration, scheduler: scheduler)
  _ = values.throttle(for: .seconds(0.5), scheduler: scheduler, latest: true)
  _ = values.throttle(for: 1, scheduler: scheduler, latest: true)
  _ = values.throttle(for: duration, scheduler: scheduler, latest: true)
  _ = values.delay(for: .seconds(0.5), scheduler: scheduler)
  _ = values.delay(for: 1, scheduler: scheduler)
  _ = values.delay(for: duration, scheduler: scheduler)
  _ = values.timeout(.seconds(0.5), scheduler: scheduler)
  _ = values.timeout(1, scheduler: scheduler)
  _ = values.timeout(duration, scheduler: scheduler)
  _ = values.rateLimit(1, per: .seconds(0.5), scheduler: scheduler, queueSize: 1, whenFull: .dropNewest)
  _ = values.rateLimit(1, per: 1, scheduler: scheduler, queueSize: 1, whenFull: .dropNewest)
  _ = values.rateLimit(1, per: duration, scheduler: scheduler, queueSize: 1, whenFull: .dropNewest)
  _ = values.delay(subscription: .seconds(0.5), scheduler: scheduler)
  _ = values.delay(subscription: 1, scheduler: scheduler)
  _ = values.delay(subscription: duration, scheduler: scheduler)
  _ = values.prefix(duration: .seconds(0.5), scheduler: scheduler)
  _ = values.prefix(duration: 1, scheduler: scheduler)
  _ = values.prefix(duration: duration, scheduler: scheduler)
  _ = values.poll(every: .seconds(0.5), scheduler: scheduler)
  _ = values.poll(every: 1, scheduler: scheduler)
  _ = values.poll(every: duration, scheduler: scheduler)
  _ = values.drain(when: values, within: .seconds(0.5), scheduler: scheduler) {
    $0
  } lost: { _ in
  }
  _ = values.drain(when: values, within: 1, scheduler: scheduler) {
    $0
  } lost: { _ in
  }
  _ = values.drain(when: values, within: duration, scheduler: scheduler) {
    $0
  } lost: { _ in
  }
  _ = scheduler.timerPublisher(every: .seconds(0.5))
  _ = scheduler.timerPublisher(every: 1)
  _ = scheduler.timerPublisher(every: duration)
  _ = Publishers.Timer(every: .seconds(0.5), scheduler: scheduler)
  _ = Publishers.Timer(every: 1, scheduler: scheduler)
  _ = Publishers.Timer(every: .duration(duration), scheduler: scheduler)
  _ = values.collect(.byTime(scheduler, .seconds(0.5)))
  _ = values.collect(.byTime(scheduler, 1))
  _ = values.collect(.byTime(scheduler, .duration(duration)))
  _ = values.collect(.byTimeOrCount(scheduler, .seconds(0.5), 2))
  _ = values.collect(.byTimeOrCount(scheduler, 1, 2))
  _ = values.collect(.byTimeOrCount(scheduler, .duration(duration), 2))
}

private func compileWaiting(_ scheduler: TestSchedulerOf<DispatchQueue>) async throws {
  try await scheduler.sleep(for: .seconds(1))
  try await scheduler.sleep(for: .seconds(0.5))
  try await scheduler.sleep(for: .milliseconds(5))
  try await scheduler.sleep(for: .seconds(whole))
  try await scheduler.sleep(for: .seconds(fraction))
  try await scheduler.sleep(for: 1)
  try await scheduler.sleep(for: .duration(duration))
  await scheduler.advance(by: .seconds(1))
  await scheduler.advance(by: .seconds(0.5))
  await scheduler.advance(by: .milliseconds(5))
  await scheduler.advance(by: .seconds(whole))
  await scheduler.advance(by: .seconds(fraction))
  await scheduler.advance(by: 1)
  await scheduler.advance(by: .duration(duration))
}

struct IntervalFormsTests {
  @Test func `half a second is the scheduler's stride, and a duration is converted`() {
    let scheduler = DispatchQueue.test
    #expect(scheduler.timerPublisher(every: .seconds(0.5)).interval == .milliseconds(500))
    #expect(scheduler.timerPublisher(every: duration).interval == .milliseconds(7))
    #expect(values.prefix(duration: .seconds(0.5), scheduler: scheduler).duration == .milliseconds(500))
    #expect(values.prefix(duration: duration, scheduler: scheduler).duration == .milliseconds(7))
    #expect(values.delay(subscription: duration, scheduler: scheduler).interval == .milliseconds(7))
    #expect(values.poll(every: duration, scheduler: scheduler).interval == .milliseconds(7))
    #expect(
      values.rateLimit(1, per: duration, scheduler: scheduler, queueSize: 1, whenFull: .dropNewest).interval
        == .milliseconds(7))
    let drained = values.drain(when: values, within: duration, scheduler: scheduler) {
      $0
    } lost: { _ in
    }
    #expect(drained.interval == .milliseconds(7))
  }
}
