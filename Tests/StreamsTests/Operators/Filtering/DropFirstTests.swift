import Streams
import SuiteSupport
import Testing

struct DropFirstTests {
  @Test func `drops one value by default`() {
    #expect(log([1, 2, 3].publisher.dropFirst()) == ["2", "3", "finished"])
    #expect(log([1, 2, 3].publisher.dropFirst(2)) == ["3", "finished"])
  }

  @Test func `with a count of zero drops nothing`() {
    #expect(collect([1, 2].publisher.dropFirst(0)) == [1, 2])
  }

  @Test func `with a count above the number of values finishes without a value`() {
    #expect(log([1, 2].publisher.dropFirst(3)) == ["finished"])
  }

  @Test func `requests the values that it drops when it is subscribed to`() {
    let source = ManualSource<Int, Never>()
    record(source.dropFirst(2), .max(1))
    #expect(source.demand == 3)
    for value in 1...3 { #expect(source.send(value) == .none) }
  }

  @Test func `drops values before any demand from downstream`() {
    let source = ManualSource<Int, Never>()
    let recorder = record(source.dropFirst(2), .none)
    #expect(source.requests == [.max(2)])
    source.send(1)
    source.send(2)
    recorder.request(.max(1))
    source.send(3)
    #expect(recorder.values == [3])
    #expect(source.demand == 3)
  }

  @Test func `with a count of zero requests nothing of its own`() {
    let source = ManualSource<Int, Never>()
    record(source.dropFirst(0), .none)
    #expect(source.subscriberCount == 1)
    #expect(source.requests == [])
  }

  @Test func `the iterator of a property without its current value receives the next one`() async {
    final class Model { @Published var state = 0 }
    let model = Model()
    var iterator = model.$state.dropFirst().values.makeAsyncIterator()
    model.state = 1
    #expect(await iterator.next() == 1)
  }

  @Test func `forwards failures and cancellation`() {
    let source = ManualSource<Int, TestError>()
    let recorder = record(source.dropFirst())
    source.fail(.first)
    #expect(recorder.log == ["first"])
    record(source.dropFirst()).cancel()
    #expect(source.cancelCount == 1)
  }

  @Test func `starts over for every subscriber`() {
    let publisher = [1, 2].publisher.dropFirst()
    #expect(collect(publisher) + collect(publisher) == [2, 2])
  }

  @Test(.exits) func `a negative count stops the program`() async {
    await #expect(processExitsWith: .failure) { _ = [1].publisher.dropFirst(-1) }
  }
}
