import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// Operators of time on an immediate scheduler, on which no time passes.
struct ImmediateTests {
  private let scheduler = DispatchQueue.immediate
  private let values = [1, 2, 3].publisher

  @Test func `delay delivers every value`() {
    #expect(log(values.delay(for: 3_600, scheduler: scheduler)) == ["1", "2", "3", "finished"])
  }

  @Test func `debounce delivers every value`() {
    #expect(log(values.debounce(for: 3_600, scheduler: scheduler)) == ["1", "2", "3", "finished"])
  }

  @Test(arguments: [true, false])
  func `throttle delivers every value`(latest: Bool) {
    #expect(
      log(values.throttle(for: 3_600, scheduler: scheduler, latest: latest)) == ["1", "2", "3", "finished"])
  }

  @Test func `timeout delivers every value`() {
    #expect(log(values.timeout(3_600, scheduler: scheduler)) == ["1", "2", "3", "finished"])
  }

  @Test func `receive and subscribe deliver every value`() {
    #expect(log(values.receive(on: scheduler).subscribe(on: scheduler)) == ["1", "2", "3", "finished"])
  }

  @Test func `measureInterval publishes intervals of zero`() {
    #expect(collect(values.measureInterval(using: scheduler)) == [.zero, .zero, .zero])
  }

  @Test func `a chain of all operators delivers every value`() {
    let publisher = (1...1_000).publisher.subscribe(on: scheduler).delay(for: 1, scheduler: scheduler)
      .debounce(for: 1, scheduler: scheduler).throttle(for: 1, scheduler: scheduler, latest: true)
      .timeout(1, scheduler: scheduler).receive(on: scheduler)
    let recorder = record(publisher)
    #expect(recorder.values == Array(1...1_000))
    #expect(recorder.completions == [.finished])
  }

  @Test func `operators work the same on Combine's ImmediateScheduler`() {
    let publisher = values.delay(for: 1, scheduler: ImmediateScheduler.shared).receive(on: ImmediateScheduler.shared)
    #expect(log(publisher) == ["1", "2", "3", "finished"])
  }

  @Test func `values that are sent during a delivery do not grow the stack`() {
    let subject = PassthroughSubject<Int, Never>()
    var count = 0
    let cancellable = subject.receive(on: scheduler).delay(for: 1, scheduler: scheduler).sink { value in
      count += 1
      if value < 20_000 { subject.send(value + 1) }
    }
    subject.send(1)
    #expect(count == 20_000)
    cancellable.cancel()
  }

  @Test func `requests during a delivery do not grow the stack`() {
    let recorder = SignalRecorder<Int, Never>(.max(1))
    recorder.onValue = { _ in .max(1) }
    (1...20_000).publisher.receive(on: scheduler).delay(for: 1, scheduler: scheduler).subscribe(recorder)
    #expect(recorder.values.count == 20_000)
    #expect(recorder.completions == [.finished])
  }

  @Test func `infinite sequences are stopped from downstream`() {
    let publisher = (1...).publisher.subscribe(on: scheduler).receive(on: scheduler).delay(for: 1, scheduler: scheduler)
      .debounce(for: 1, scheduler: scheduler).throttle(for: 1, scheduler: scheduler, latest: false)
      .timeout(1, scheduler: scheduler).prefix(3)
    #expect(log(publisher) == ["1", "2", "3", "finished"])
  }
}
