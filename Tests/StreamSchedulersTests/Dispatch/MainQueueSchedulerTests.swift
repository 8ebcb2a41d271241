import Dispatch
import Foundation
import StreamSchedulers
import Streams
import SuiteSupport
import Testing

@Suite
struct MainQueueSchedulerTests {
  @Test func `on the main queue, work runs before the call returns`() async {
    let log = Log<String>()
    DispatchQueue.main.async {
      MainQueueScheduler.shared.schedule { log.append("work") }
      log.append("after the call")
    }
    #expect(await log.first(2) == ["work", "after the call"])
  }

  @Test @MainActor func `on the main actor, work runs before the call returns`() {
    var hasRun = false
    MainQueueScheduler.shared.schedule { hasRun = true }
    #expect(hasRun)
  }

  @Test func `on another queue, work hops to the main queue`() async {
    let log = Log<Bool>()
    DispatchQueue.global().async {
      MainQueueScheduler.shared.schedule {
        MainActor.preconditionIsolated()
        log.append(true)
      }
    }
    _ = await log.first(1)
  }

  @Test func `work scheduled in a block that the main queue runs synchronously on another queue hops`() async {
    let log = Log<String>()
    let other = DispatchQueue(label: "other")
    DispatchQueue.main.async {
      other.sync {
        MainQueueScheduler.shared.schedule { log.append("work") }
        log.append("after the call")
      }
    }
    #expect(await log.first(2) == ["after the call", "work"])
  }

  @Test func `work with a date goes through the queue even when the date has passed`() async {
    let log = Log<String>()
    DispatchQueue.main.async {
      let scheduler = MainQueueScheduler.shared
      scheduler.schedule(after: scheduler.now.advanced(by: .seconds(-1))) { log.append("date") }
      _ = scheduler.scheduleOnce(after: scheduler.now, tolerance: .zero, options: nil) { log.append("date") }
      log.append("after the call")
    }
    #expect(await log.first(3) == ["after the call", "date", "date"])
  }

  @Test(.ownThread) func `repeated work runs on the main queue until it is cancelled`() async {
    let scheduler = MainQueueScheduler.shared
    let log = Log<Int>()
    let work = scheduler.schedule(after: scheduler.now, interval: .milliseconds(1)) {
      MainActor.preconditionIsolated()
      log.append(1)
    }
    _ = await log.first(3)
    work.cancel()
  }

  @Test func `inline work runs before work that another thread enqueued earlier`() async {
    let log = Log<String>()
    let scheduler = MainQueueScheduler.shared
    DispatchQueue.main.async {
      onAnotherThread { scheduler.schedule { log.append("first") } }
      scheduler.schedule { log.append("second") }
    }
    #expect(await log.first(2) == ["second", "first"])
  }

  @Test func `a strict scheduler runs work in the order in which it was scheduled`() async {
    let log = Log<String>()
    let scheduler = MainQueueScheduler(order: .strict)
    DispatchQueue.main.async {
      onAnotherThread { scheduler.schedule { log.append("first") } }
      scheduler.schedule { log.append("second") }
      log.append("after the call")
    }
    #expect(await log.first(3) == ["after the call", "first", "second"])
  }

  @Test func `a strict scheduler with nothing waiting runs work before the call returns`() async {
    let log = Log<String>()
    let scheduler = MainQueueScheduler(order: .strict)
    DispatchQueue.main.async {
      scheduler.schedule { log.append("work") }
      scheduler.schedule { log.append("more work") }
      log.append("after the calls")
    }
    #expect(await log.first(3) == ["work", "more work", "after the calls"])
  }

  @Test func `work scheduled by a strict scheduler's work runs after it`() async {
    let log = Log<String>()
    let scheduler = MainQueueScheduler(order: .strict)
    DispatchQueue.main.async {
      scheduler.schedule {
        scheduler.schedule { log.append("inner") }
        log.append("outer")
      }
    }
    #expect(await log.first(2) == ["outer", "inner"])
  }

  @Test func `a strict scheduler runs work before the call returns again, once the work that waited has run`() async {
    let log = Log<String>()
    let scheduler = MainQueueScheduler(order: .strict)
    scheduler.schedule { log.append("waited") }
    _ = await log.first(1)
    DispatchQueue.main.async {
      scheduler.schedule { log.append("work") }
      log.append("after the call")
    }
    #expect(await log.first(3) == ["waited", "work", "after the call"])
  }

  @Test func `strict schedulers do not wait for each other`() async {
    let log = Log<String>()
    let (one, other) = (MainQueueScheduler(order: .strict), MainQueueScheduler(order: .strict))
    DispatchQueue.main.async {
      onAnotherThread { one.schedule { log.append("one") } }
      other.schedule { log.append("other") }
    }
    #expect(await log.first(2) == ["other", "one"])
  }

  @Test func `can be erased to the type of an erased dispatch queue`() {
    let scheduler: AnySchedulerOf<DispatchQueue> = MainQueueScheduler.shared.eraseToAnyScheduler()
    _ = scheduler.now
    let migrated: UIScheduler = .shared
    #expect(migrated.order == .inline)
  }

  /// Runs work on another thread and waits for it; a queue's `sync` might run it on this one.
  private func onAnotherThread(_ work: @escaping @Sendable () -> Void) {
    let isDone = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      work()
      isDone.signal()
    }
    isDone.wait()
  }
}
