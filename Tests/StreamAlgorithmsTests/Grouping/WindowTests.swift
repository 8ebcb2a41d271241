import Streams
import Testing

struct WindowTests {
  private let values = ManualSource<Int, TestError>()
  private let boundary = ManualSource<Void, TestError>()

  /// The events of all windows, each with the number of its window.
  private func events(_ demand: Subscribers.Demand = .unlimited) -> Journal {
    let journal = Journal()
    var count = 0
    let recorder = SignalRecorder<AnyPublisher<Int, TestError>, TestError>(demand)
    recorder.onValue = { window in
      count += 1
      let number = count
      journal.note("open \(number)")
      let inner = SignalRecorder<Int, TestError>()
      inner.onValue = {
        journal.note("\(number): \($0)")
        return .none
      }
      inner.onCompletion = { [unowned inner] in journal.note("\(number): \(inner.log.last!)") }
      window.subscribe(inner)
      return .none
    }
    recorder.onCompletion = { [unowned recorder] in journal.note(recorder.log.last!) }
    values.window(by: boundary, bufferSize: 2).subscribe(recorder)
    return journal
  }

  /// A sequence sends its values on subscription.
  @Test func `a subscriber that requests at once receives the whole window of a sequence`() {
    let windows = (1...3).publisher.window(by: Empty<Int, Never>(completeImmediately: false), bufferSize: 1)
    #expect(record(windows.flatMap { $0.collect() }).values == [[1, 2, 3]])
  }

  @Test func `a window opens with a value and finishes at a boundary`() {
    let journal = events()
    boundary.send(())
    values.send(1)
    values.send(2)
    boundary.send(())
    boundary.send(())
    #expect(journal.all == ["open 1", "1: 1", "1: 2", "1: finished"])
    values.send(3)
    values.finish()
    #expect(journal.all.suffix(4) == ["open 2", "2: 3", "2: finished", "finished"])
    #expect(boundary.cancelCount == 1)
  }

  @Test func `an open window fails with upstream and with the boundary`() {
    let journal = events()
    values.send(1)
    values.fail(.first)
    #expect(journal.all.suffix(2) == ["1: first", "first"])
    #expect(boundary.cancelCount == 1)
    let second = events()
    values.send(1)
    boundary.fail(.second)
    #expect(second.all.suffix(2) == ["1: second", "second"])
  }

  @Test func `a window replays its latest values to a late subscriber`() {
    let recorder = record(values.window(by: boundary, bufferSize: 2))
    for value in 1...3 { values.send(value) }
    boundary.send(())
    #expect(log(recorder.values[0]) == ["2", "3", "finished"])
  }

  @Test func `requests unlimited demand from both, and buffers the latest window without demand`() {
    let recorder = record(values.window(by: boundary, bufferSize: 2), .none)
    #expect(values.requests == [.unlimited])
    #expect(boundary.requests == [.unlimited])
    for value in 1...3 {
      values.send(value)
      boundary.send(())
    }
    recorder.request(.max(2))
    #expect(recorder.values.map { log($0) } == [["3", "finished"]])
  }

  @Test func `cancels both on cancellation`() {
    record(values.window(by: boundary, bufferSize: 2)).cancel()
    #expect(values.cancelCount == 1)
    #expect(boundary.cancelCount == 1)
  }

  @Test func `takes a boundary that cannot fail`() {
    let cuts = PassthroughSubject<Void, Never>()
    let recorder = record(values.window(by: cuts, bufferSize: 1).flatMap { $0.collect() })
    values.send(1)
    values.send(2)
    cuts.send()
    #expect(recorder.values == [[1, 2]])
  }
}
