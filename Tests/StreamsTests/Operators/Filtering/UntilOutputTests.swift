import Streams
import Testing

struct UntilOutputTests {
  private let source = ManualSource<Int, TestError>()
  private let trigger = ManualSource<String, TestError>()

  // MARK: prefix

  @Test func `prefix publishes values until the other publishes one, then cancels both and finishes`() {
    let recorder = record(source.prefix(untilOutputFrom: trigger))
    source.send(1)
    trigger.send("stop")
    #expect(recorder.log == ["1", "finished"])
    #expect(source.cancelCount == 1)
    #expect(trigger.cancelCount == 1)
  }

  @Test func `prefix ignores the other's completion`() {
    let recorder = record(source.prefix(untilOutputFrom: trigger))
    trigger.fail(.second)
    source.send(1)
    source.finish()
    #expect(recorder.log == ["1", "finished"])

    let another = record(source.prefix(untilOutputFrom: trigger))
    trigger.finish()
    source.send(2)
    source.fail(.first)
    #expect(another.log == ["2", "first"])
  }

  @Test func `prefix cancels the other when upstream ends`() {
    record(source.prefix(untilOutputFrom: trigger))
    source.finish()
    #expect(trigger.cancelCount == 1)
  }

  @Test func `prefix does not subscribe to upstream when the other publishes at once`() {
    let recorder = record(source.prefix(untilOutputFrom: Just("stop")))
    #expect(recorder.log == ["finished"])
    #expect(source.subscriberCount == 0)
  }

  @Test func `prefix forwards demand and requests one value from the other`() {
    let recorder = record(source.prefix(untilOutputFrom: trigger), .max(2))
    recorder.request(.max(3))
    #expect(source.demand == 5)
    #expect(trigger.requests == [.max(1)])
  }

  @Test func `prefix cancels both on cancellation`() {
    record(source.prefix(untilOutputFrom: trigger)).cancel()
    #expect(source.cancelCount == 1)
    #expect(trigger.cancelCount == 1)
  }

  // MARK: drop

  @Test func `drop drops values until the other publishes one, then cancels the other`() {
    let recorder = record(source.drop(untilOutputFrom: trigger))
    source.send(1)
    trigger.send("go")
    source.send(2)
    source.finish()
    #expect(recorder.log == ["2", "finished"])
    #expect(trigger.cancelCount == 1)
  }

  @Test func `drop finishes when the other finishes without a value, and cancels upstream`() {
    let recorder = record(source.drop(untilOutputFrom: trigger))
    trigger.finish()
    #expect(recorder.log == ["finished"])
    #expect(source.cancelCount == 1)
  }

  @Test func `drop continues when the other finishes after a value`() {
    let recorder = record(source.drop(untilOutputFrom: Just("go").setFailureType(to: TestError.self)))
    source.send(1)
    #expect(recorder.log == ["1"])
  }

  @Test func `drop fails when either fails, and cancels the other`() {
    let recorder = record(source.drop(untilOutputFrom: trigger))
    trigger.fail(.second)
    #expect(recorder.log == ["second"])
    #expect(source.cancelCount == 1)

    let another = record(source.drop(untilOutputFrom: trigger))
    source.fail(.first)
    #expect(another.log == ["first"])
    #expect(trigger.cancelCount == 1)
  }

  @Test func `drop requests another value for each dropped one`() {
    record(source.drop(untilOutputFrom: trigger), .max(1))
    source.send(1)
    source.send(2)
    #expect(source.demand == 3)
    trigger.send("go")
    source.send(3)
    #expect(source.demand == 3)
  }

  @Test func `drop cancels both on cancellation`() {
    record(source.drop(untilOutputFrom: trigger)).cancel()
    #expect(source.cancelCount == 1)
    #expect(trigger.cancelCount == 1)
  }
}
