import Streams
import Testing

struct CollectTests {
  private let source = ManualSource<Int, TestError>()

  // MARK: All of them

  @Test func `sends all values as one array at the end`() {
    let recorder = record(source.collect())
    source.send(1)
    source.send(2)
    #expect(recorder.log == [])
    source.finish()
    #expect(recorder.log == ["[1, 2]", "finished"])
  }

  @Test func `sends an empty array when there was no value`() {
    #expect(log(Empty<Int, Never>().collect()) == ["[]", "finished"])
  }

  @Test func `drops what was collected on failure`() {
    let recorder = record(source.collect())
    source.send(1)
    source.fail(.first)
    #expect(recorder.log == ["first"])
  }

  @Test func `asks for everything, and keeps the array until it is asked for`() {
    let recorder = record(source.collect(), .none)
    #expect(source.requests == [.unlimited])
    source.send(1)
    source.finish()
    #expect(recorder.log == [])
    recorder.request(.max(1))
    #expect(recorder.log == ["[1]", "finished"])
  }

  @Test func `sends nothing when it is cancelled while the array waits`() {
    let recorder = record(source.collect(), .none)
    source.finish()
    recorder.cancel()
    recorder.request(.max(1))
    #expect(recorder.log == [])
  }

  @Test func `cancels upstream on cancellation`() {
    record(source.collect()).cancel()
    #expect(source.cancelCount == 1)
  }

  // MARK: So many at a time

  @Test func `sends arrays of so many values, and the rest at the end`() {
    #expect(log([1, 2, 3, 4, 5].publisher.collect(2)) == ["[1, 2]", "[3, 4]", "[5]", "finished"])
  }

  @Test func `sends no empty array at the end`() {
    #expect(log([1, 2].publisher.collect(2)) == ["[1, 2]", "finished"])
  }

  @Test func `asks upstream for so many values for each array`() {
    let recorder = Recorder<[Int], TestError>(.max(2))
    recorder.onValue = { _ in .max(1) }
    source.collect(3).subscribe(recorder)
    #expect(source.requests == [.max(6)])
    #expect(source.send(1) == .none)
    #expect(source.send(2) == .none)
    #expect(source.send(3) == .max(3))
  }

  @Test func `asks for everything when everything is asked for`() {
    record(source.collect(3), .unlimited)
    #expect(source.requests == [.unlimited])
  }

  @Test func `drops a partial array on failure`() {
    let recorder = record(source.collect(2))
    for value in 1...3 { source.send(value) }
    source.fail(.first)
    #expect(recorder.log == ["[1, 2]", "first"])
  }

  @Test func `does not finish when it is cancelled from inside the partial array`() {
    let recorder = Recorder<[Int], TestError>()
    recorder.onValue = { _ in
      recorder.cancel()
      return .none
    }
    source.collect(2).subscribe(recorder)
    source.send(1)
    source.finish()
    #expect(recorder.log == ["[1]"])
  }

  @Test func `does not take a number of nothing`() async {
    await #expect(processExitsWith: .failure) { _ = [1].publisher.collect(0) }
  }
}
