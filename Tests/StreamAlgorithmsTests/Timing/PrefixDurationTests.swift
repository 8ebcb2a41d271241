import Dispatch
import StreamSchedulers
import Streams
import Testing

struct PrefixDurationTests {
  private let scheduler = DispatchQueue.test
  private let source = ManualSource<Int, TestError>()

  @Test func `finishes when the duration ends, and cancels upstream`() {
    let recorder = record(source.prefix(duration: 2, scheduler: scheduler), on: scheduler)
    scheduler.at(1) { source.send(1) }
    scheduler.at(3) { source.send(2) }
    scheduler.run()
    #expect(recorder.log == ["1@1", "finished@2"])
    #expect(source.cancelCount == 1)
  }

  @Test(arguments: [true, false])
  func `has nothing scheduled after upstream has ended or after cancellation`(isCancelled: Bool) {
    let recorder = record(source.prefix(duration: 3600, scheduler: scheduler))
    #expect(scheduler.pendingCount == 1)
    if isCancelled { recorder.cancel() } else { source.fail(.first) }
    #expect(scheduler.pendingCount == 0)
    #expect(recorder.log == (isCancelled ? [] : ["first"]))
  }

  @Test func `forwards demand`() {
    let recorder = record(source.prefix(duration: 1, scheduler: scheduler), .max(2))
    recorder.request(.max(3))
    #expect(source.requests == [.max(2), .max(3)])
  }

  @Test func `finishes at once on an immediate scheduler`() {
    #expect(log([1, 2].publisher.prefix(duration: 1, scheduler: DispatchQueue.immediate)) == ["finished"])
  }
}
