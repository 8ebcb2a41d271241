#if os(Linux)
  import Dispatch
  import StreamSchedulers
  import StreamTesting
  import Streams
  import SuiteSupport
  import Testing

  /// `Task.sleep` in virtual time, which is opt-in.
  @MainActor
  @Suite
  struct TaskSleepTests {
    private let scheduler = DispatchQueue.test

    @Test func `captured sleeps of the timeline use virtual time, and inexact ones are counted`() {
      scheduler.capturesTaskSleep = true
      let log = Log<Int>()
      for number in 1...3 {
        Task(on: scheduler) {
          try await Task.sleep(for: .seconds(3600 * number))
          log.append(number)
        }
      }
      scheduler.advance(by: 3600 * 3)
      #expect(log.all == [1, 2, 3])
      #expect(scheduler.inexactSleepCount > 0 || scheduler.elapsed == 10_800)
    }

    @Test(arguments: [.seconds(-1), .zero, .nanoseconds(Int64.max), .seconds(Int64.max / 2)] as [Duration])
    func `a captured sleep may have any length`(_ duration: Duration) {
      scheduler.capturesTaskSleep = true
      let log = Log<String>()
      let task = Task(on: scheduler) {
        do {
          try await Task.sleep(for: duration)
          log.append("ended")
        } catch {
          log.append("cancelled")
        }
      }
      scheduler.advance(by: .seconds(1))
      #expect(log.all == (duration > .zero ? [] : ["ended"]))
      task.cancel()
      scheduler.advance()
      #expect(log.all == [duration > .zero ? "cancelled" : "ended"])
      scheduler.run()
    }

    @Test func `sleeps inside plain tasks belong to a world`() {
      scheduler.capturesTaskSleep = true
      scheduler.withVirtualWorld {
        var log: [String] = []
        Task {
          try await Task.sleep(for: .seconds(60))
          log.append("main")
        }
        let answer = Task.detached {
          try await Task.sleep(nanoseconds: 30_000_000_000)
          return 7
        }
        Task { log.append("answer \(try await answer.value)") }
        scheduler.advance(by: 29)
        #expect(log == [] || scheduler.inexactSleepCount > 0)
        scheduler.advance(by: 31.1)
        #expect(log == ["answer 7", "main"])
      }
    }

    @Test func `in an inner world, a sleep of an outer task uses the outer time`() {
      let (outer, inner, log) = (scheduler, DispatchQueue.test, Log<String>())
      outer.capturesTaskSleep = true
      outer.withVirtualWorld {
        Task {
          try await Task.sleep(for: .seconds(60))
          log.append("main")
        }
        Task.detached {
          try await Task.sleep(for: .seconds(60))
          log.append("detached")
        }
        inner.withVirtualWorld {
          outer.advance()
          #expect(outer.pendingCount == 2)
          #expect(inner.pendingCount == 0)
          outer.advance(by: 61)
          #expect(log.all.sorted() == ["detached", "main"])
        }
      }
    }

    @Test func `by default, Task.sleep uses real time`() {
      let log = Log<String>()
      let task = Task(on: scheduler) {
        log.append("asleep")
        try? await Task.sleep(for: .seconds(600))
        log.append("woken")
      }
      scheduler.advance(by: 3600)
      #expect(log.all == ["asleep"])
      #expect(scheduler.pendingCount == 0)
      task.cancel()
    }

    @Test(.exits) func `a sleep in real time of a task in virtual time is reported once`() async throws {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        let scheduler = DispatchQueue.test
        let tasks = (1...2).map { _ in Task(on: scheduler) { try? await Task.sleep(for: .seconds(600)) } }
        scheduler.advance(by: 3600)
        for task in tasks { task.cancel() }
      }
      let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      #expect(output.ranges(of: "called Task.sleep").count == 1)
    }

    @Test func `a sleep without capture ends in real time`() async {
      let log = Log<String>()
      Task(on: scheduler) {
        try? await Task.sleep(for: .milliseconds(1))
        log.append("woken")
      }
      await scheduler.advance()
      // The task returns to the timeline after its sleep; on a busy machine, it may have done so already.
      while log.all.isEmpty {
        #expect(await scheduler.armed(1))
        await scheduler.advance()
      }
      #expect(log.all == ["woken"])
    }
  }
#endif
