import Dispatch
import Foundation
import StreamFoundation
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// Times from outside that are zero, negative, the least, the largest, or beyond what virtual time can represent.
@Suite(.ownThread)
struct ExtremeTimesTests {
  typealias Stride = DispatchQueue.SchedulerTimeType.Stride

  private let scheduler = DispatchQueue.test

  static let endless: [Duration] = [.nanoseconds(Int64.max), .seconds(Int64.max), Duration(attoseconds: .max)]
  static let elapsed: [Duration] = [
    .zero, .seconds(-1), .nanoseconds(Int64.min), .seconds(Int64.min), Duration(attoseconds: .min),
  ]
  static let strides: [Stride] = [.nanoseconds(.min), .seconds(-1), .zero, .nanoseconds(1), .nanoseconds(.max)]

  // MARK: Timeouts

  @Test(arguments: elapsed)
  func `a timeout of zero or less gives up at once`(_ timeout: Duration) async {
    let recorder = Empty<Int, Never>(completeImmediately: false).record()
    let (result, issues) = await IssueReporter.withCapture {
      let next = await recorder.next(timeout: timeout)
      let more = await recorder.next(2, timeout: timeout)
      return (next, more, await recorder.finished(timeout: timeout))
    }
    #expect(result == (nil, [], false))
    #expect(issues.count == 3)
    #expect(throws: BlockingError.self) {
      try Empty<Int, Never>(completeImmediately: false).blocking(timeout: timeout).first()
    }
  }

  @Test(arguments: endless)
  func `a timeout of centuries does not elapse`(_ timeout: Duration) async throws {
    let source = PassthroughSubject<Int, Never>()
    let recorder = source.record()
    DispatchQueue.global().schedule { source.send(1) }
    #expect(await recorder.next(timeout: timeout) == 1)
    let task = Task { await recorder.next(timeout: timeout) }
    task.cancel()
    #expect(await task.value == nil)
    source.send(completion: .finished)
    #expect(await recorder.finished(timeout: timeout))
    let blocking = Just(1).delay(for: .milliseconds(1), scheduler: DispatchQueue.global()).blocking(timeout: timeout)
    #expect(try blocking.single() == 1)
  }

  @Test(arguments: strides)
  func `a timeout in the time of schedulers is as good as any`(_ timeout: Stride) async throws {
    let recorder = Just(1).record()
    #expect(await recorder.next(timeout: timeout) == 1)
    #expect(try Just(1).blocking(timeout: timeout).first() == 1)
  }

  @Test(arguments: elapsed)
  func `a test that allows external events for zero or less does not wait`(_ duration: Duration) throws {
    #expect(throws: (any Error).self) {
      try scheduler.run(allowingExternalEvents: duration) {
        await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in }
      }
    }
  }

  @Test(arguments: endless)
  func `a test may allow external events for centuries`(_ duration: Duration) throws {
    let result = try scheduler.run(allowingExternalEvents: duration) {
      await withCheckedContinuation { continuation in
        DispatchQueue.global().schedule { continuation.resume(returning: 1) }
      }
    }
    #expect(result == 1)
  }

  // MARK: Recordings

  @Test(arguments: strides)
  func `a frame is longer than zero`(_ frame: Stride) {
    let (_, issues) = IssueReporter.withCapture { scheduler.frame = frame }
    #expect(issues.count == (frame > .zero ? 0 : 1))
    #expect(scheduler.frame == (frame > .zero ? frame : .milliseconds(1)))
    let events = scheduler.hot("a-b--c|").events
    #expect(zip(events, events.dropFirst()).allSatisfy { $0.time <= $1.time })
  }

  @Test(arguments: strides, strides)
  func `recorded events may have any time`(_ one: Stride, _ other: Stride) {
    scheduler.advance(by: .seconds(1))
    let cold = scheduler.cold(.next(at: one, 1), .next(at: other, 2), .completed(at: .nanoseconds(.max)))
    let hot = scheduler.hot(.next(at: one, 1), .next(at: other, 2))
    let recorders = [scheduler.record(cold), scheduler.record(hot)]
    scheduler.advance(by: .seconds(5))
    scheduler.run()
    #expect(recorders[0].values.count == 2)
    let (_, issues) = IssueReporter.withCapture {
      recorders[0].expect("a-b|")
      recorders[0].expect([.next(at: one, 3), .next(at: other, 3)])
      recorders[0].expect()
      scheduler.expect(Just("a"), "a 9200000000s 9200000000s b|", subscription: "^ 9200000000s 9200000000s !")
    }
    #expect(!issues.isEmpty)
    for frame in [Stride.nanoseconds(1), .milliseconds(1), .nanoseconds(.max)] {
      let diagram = MarbleDiagram(
        MarbleDiagram.Row.lines(cold) + [.line(hot), .line(recorders[0])], frame: frame)
      #expect(!diagram.text.isEmpty)
      #expect(!diagram.svg().isEmpty)
    }
  }

  @Test(arguments: strides)
  func `demand may be requested at any time`(_ time: Stride) {
    scheduler.advance(by: .seconds(1))
    let recorder = scheduler.record(
      [1, 2].publisher, demand: .initial(.none, requests: [.request(at: time, .max(1))]))
    scheduler.run()
    #expect(recorder.values == [1])
  }

  @Test(arguments: [Int.min, -1, 0, .max])
  func `a replay accepts any time`(_ time: Int) throws {
    let recording = RecordingFile()
    try recording.write(
      """
      {"format":"stream-timeline","version":1}
      {"event":"value","subscription":1,"time":\(time),"value":1}
      {"event":"value","subscription":1,"time":\(Int.max),"value":2}

      """)
    scheduler.advance(by: .seconds(1))
    let recorder = scheduler.record(try scheduler.cold(replaying: recording.url, of: Int.self))
    scheduler.run()
    #expect(recorder.values == [1, 2])
  }

  @Test(arguments: ["1e300", "\"inf\"", "9223372036854775808", "null"])
  func `a replay refuses a time that is no number of nanoseconds`(_ time: String) throws {
    let recording = RecordingFile()
    try recording.write(
      """
      {"format":"stream-timeline","version":1}
      {"event":"value","subscription":1,"time":\(time),"value":1}

      """)
    #expect(throws: ReplayError.self) { try scheduler.cold(replaying: recording.url, of: Int.self) }
  }

  @Test(arguments: strides)
  func `an observation may begin and end at any time`(_ time: Stride) {
    let (_, issues) = IssueReporter.withCapture {
      let recorder = scheduler.start(created: time, subscribed: time, cancelled: .nanoseconds(.max)) { Just(1) }
      #expect(recorder.values == [1])
      scheduler.expect(Just(1), behavesLike: Just(1), cancelledAt: time)
    }
    #expect((issues.count > 0) == (time < .zero))
  }

  @Test(arguments: strides)
  func `a misbehaving publisher may send at any interval`(_ interval: Stride) {
    let source = MisbehavingPublisher([1, 2], .ignoresCancellation, every: interval, on: scheduler)
    let recorder = scheduler.record(source)
    scheduler.run()
    #expect(recorder.values == [1, 2])
  }

  @Test func `a check of timelines accepts the longest frame`() {
    checkTimelines(of: .letters, runs: 100, frame: .nanoseconds(.max)) { scheduler, letters in
      let recorder = scheduler.record(letters.debounce(for: .nanoseconds(.max), scheduler: scheduler))
      scheduler.run()
      #expect(recorder.values.count <= 2)
    }
  }
}
