import Streams
import Testing

struct HandleEventsTests {
  private let source = ManualSource<Int, TestError>()

  private func watched(_ note: @escaping (String) -> Void) -> Publishers.HandleEvents<ManualSource<Int, TestError>> {
    source.handleEvents(
      receiveSubscription: { _ in note("subscription") }, receiveOutput: { note("value \($0)") },
      receiveCompletion: { note("\($0)") }, receiveCancel: { note("cancel") },
      receiveRequest: { note("request \($0)") })
  }

  @Test func `calls closures for every signal before it is forwarded`() {
    var notes: [String] = []
    let recorder = SignalRecorder<Int, TestError>(.max(1))
    recorder.onValue = { value in
      notes.append("received \(value)")
      return .none
    }
    recorder.onSubscription = { _ in notes.append("subscribed") }
    recorder.onCompletion = { notes.append("ended") }
    watched { notes.append($0) }.subscribe(recorder)
    source.send(1)
    source.finish()
    #expect(
      notes == ["subscription", "subscribed", "request max(1)", "value 1", "received 1", "finished", "ended"])
  }

  @Test func `calls receiveRequest with the demand that receive(_:) returns`() {
    var notes: [String] = []
    let recorder = SignalRecorder<Int, TestError>(.max(1))
    recorder.onValue = { _ in .max(3) }
    watched { notes.append($0) }.subscribe(recorder)
    #expect(source.send(1) == .max(3))
    #expect(notes.last == "request max(3)")
  }

  @Test func `calls receiveCancel once, and only for a stream that has not ended`() {
    var notes: [String] = []
    let recorder = record(watched { notes.append($0) })
    recorder.cancel()
    recorder.cancel()
    #expect(notes.count { $0 == "cancel" } == 1)
    #expect(source.cancelCount == 1)

    notes = []
    let ended = record(watched { notes.append($0) })
    source.fail(.first)
    ended.cancel()
    #expect(!notes.contains("cancel"))
    #expect(ended.log == ["first"])
  }

  @Test func `without closures changes nothing`() {
    #expect(log([1, 2].publisher.handleEvents()) == ["1", "2", "finished"])
  }

  @Test func `closures can be set later`() {
    var publisher = Just(1).handleEvents()
    var values: [Int] = []
    publisher.receiveOutput = { values.append($0) }
    #expect(log(publisher) == ["1", "finished"])
    #expect(values == [1])
  }
}
