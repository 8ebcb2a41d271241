import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import Testing

struct ReceiveOnTests {
  private let scheduler = DispatchQueue.test
  private let source = ManualSource<Int, TestError>()

  @Test func `delivers values and the completion on the scheduler, in order`() {
    let recorder = record(source.receive(on: scheduler))
    source.send(1)
    source.send(2)
    source.finish()
    #expect(recorder.log == [])
    scheduler.advance()
    #expect(recorder.log == ["1", "2", "finished"])
  }

  @Test func `a failure does not overtake values`() {
    let recorder = record(source.receive(on: scheduler))
    source.send(1)
    source.fail(.first)
    scheduler.advance()
    #expect(recorder.log == ["1", "first"])
  }

  @Test func `schedules one action for many values, unlike Combine`() {
    let recorder = record((1...1_000).publisher.receive(on: scheduler))
    #expect(scheduler.pendingCount == 1)
    scheduler.step()
    #expect(recorder.values == Array(1...1_000))
  }

  @Test func `requests from inside a value schedule nothing, because the values that wait are being delivered`() {
    for publisher in [
      source.receive(on: scheduler).eraseToAnyPublisher(),
      source.timeout(1, scheduler: scheduler).eraseToAnyPublisher(),
    ] {
      let recorder = SignalRecorder<Int, TestError>(.max(3))
      var pending: [Int] = []
      recorder.onValue = { _ in .max(1) }
      publisher.subscribe(recorder)
      let timers = scheduler.pendingCount
      for number in 1...3 { source.send(number) }
      while scheduler.pendingCount > timers {
        scheduler.step()
        pending.append(scheduler.pendingCount - timers)
      }
      #expect(recorder.values == [1, 2, 3])
      #expect(pending == [0])
      recorder.cancel()
    }
  }

  @Test func `delivers the subscription at once`() {
    #expect(record(source.receive(on: scheduler)).subscriptions.count == 1)
  }

  @Test func `forwards demand at once`() {
    let recorder = SignalRecorder<Int, TestError>(.max(1))
    recorder.onValue = { _ in .max(2) }
    source.receive(on: scheduler).subscribe(recorder)
    #expect(source.demand == 1)
    source.send(1)
    scheduler.advance()
    #expect(source.demand == 3)
  }

  @Test func `drops waiting values on cancellation, unlike Combine`() {
    let recorder = SignalRecorder<Int, TestError>()
    recorder.onValue = { _ in
      recorder.cancel()
      return .none
    }
    source.receive(on: scheduler).subscribe(recorder)
    source.send(1)
    source.send(2)
    source.finish()
    scheduler.advance()
    #expect(recorder.log == ["1"])
  }

  @Test func `delivers nothing when it is cancelled before the scheduler has run`() {
    let recorder = record(source.receive(on: scheduler))
    source.send(1)
    recorder.cancel()
    scheduler.run()
    #expect(recorder.log == [])
    #expect(source.cancelCount == 1)
  }

  @Test func `delivers values that are sent during a delivery in another action`() {
    let recorder = SignalRecorder<Int, TestError>()
    recorder.onValue = { value in
      if value == 1 { source.send(2) }
      return .none
    }
    source.receive(on: scheduler).subscribe(recorder)
    source.send(1)
    scheduler.step()
    #expect(recorder.log == ["1"])
    scheduler.step()
    #expect(recorder.log == ["1", "2"])
  }

  @Test func `delivers inline on an immediate scheduler`() {
    let recorder = record(source.receive(on: DispatchQueue.immediate))
    source.send(1)
    #expect(recorder.log == ["1"])
    source.finish()
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func `keeps the order on an immediate scheduler when a value is sent during a delivery`() {
    let recorder = SignalRecorder<Int, TestError>()
    var log: [String] = []
    recorder.onValue = { value in
      log.append("begin \(value)")
      if value == 1 { source.send(2) }
      log.append("end \(value)")
      return .none
    }
    source.receive(on: DispatchQueue.immediate).subscribe(recorder)
    source.send(1)
    #expect(log == ["begin 1", "end 1", "begin 2", "end 2"])
  }

  @Test(.ownThread) func `is serial and in order on a concurrent queue, unlike Combine`() {
    let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var values: [Int] = []
    let cancellable = (1...10_000).publisher.receive(on: queue).sink { _ in
      done.signal()
    } receiveValue: {
      values.append($0)
    }
    #expect(done.wait(timeout: .hang) == .success)
    #expect(values == Array(1...10_000))
    cancellable.cancel()
  }
}
