import Dispatch
import Foundation
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// Recorders, scripted publishers and loose ends, used from several threads at the same time.
@Suite
struct RecorderConcurrencyTests {
  @Test func `a recorder can be read, requested from and cancelled while values arrive`() {
    for _ in 0..<50 {
      let subject = PassthroughSubject<Int, Never>()
      let recorder = subject.record(demand: .none)
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        for number in 0..<50 {
          switch thread {
          case 0: subject.send(number)
          case 1: recorder.request(.max(1))
          case 2: _ = recorder.values
          default: if number == 40 { recorder.cancel() }
          }
        }
      }
      #expect(recorder.values == recorder.values.sorted())
      #expect(!recorder.isLive)
    }
  }

  @Test func `hot and cold publishers accept subscribers while another thread advances time`() {
    for _ in 0..<20 {
      let scheduler = DispatchQueue.test
      let hot = scheduler.hot("abcdefghij|")
      let cold = scheduler.cold("abc|")
      let recorders = Log<
        RecorderOf<HotPublisher<String, Never, DispatchQueue.SchedulerTimeType.Stride>, DispatchQueue>
      >()
      DispatchQueue.concurrentPerform(iterations: 3) { thread in
        for _ in 0..<20 {
          switch thread {
          case 0: scheduler.advance(by: .milliseconds(1))
          case 1: recorders.append(scheduler.record(hot))
          default: recorders.append(scheduler.record(cold))
          }
        }
      }
      scheduler.run()
      for recorder in recorders.all { #expect(recorder.completion == .finished) }
      #expect(hot.subscriptions.count == 20)
      #expect(cold.subscriptions.allSatisfy { $0.end == .completed })
      scheduler.assertNothingLeft()
    }
  }

  @Test func `values can be awaited while several threads send them`() async {
    for _ in 0..<20 {
      let subject = PassthroughSubject<Int, Never>()
      let recorder = subject.record()
      DispatchQueue.global().async {
        DispatchQueue.concurrentPerform(iterations: 4) { _ in for number in 0..<25 { subject.send(number) } }
        subject.send(completion: .finished)
      }
      #expect(await recorder.next(100).count == 100)
      #expect(await recorder.finished())
    }
  }
}
