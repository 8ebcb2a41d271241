import Streams
import Testing

struct AnySubscriberTests {
  private let source = ManualSource<Int, TestError>()

  @Test func `forwards all signals to its base subscriber`() {
    let recorder = SignalRecorder<Int, TestError>(.max(1))
    recorder.onValue = { _ in .max(2) }
    source.subscribe(AnySubscriber(recorder))
    #expect(source.requests == [.max(1)])
    #expect(source.send(1) == .max(2))
    source.fail(.first)
    #expect(recorder.log == ["1", "first"])
  }

  @Test func `has the identifier of its base subscriber`() {
    let recorder = SignalRecorder<Int, TestError>()
    #expect(AnySubscriber(recorder).combineIdentifier == recorder.combineIdentifier)
    #expect(AnySubscriber(AnySubscriber(recorder)).combineIdentifier == recorder.combineIdentifier)
  }

  @Test func `calls its closures`() {
    var log: [String] = []
    source.subscribe(
      AnySubscriber<Int, TestError>(
        receiveSubscription: {
          log.append("subscribed")
          $0.request(.max(1))
        },
        receiveValue: {
          log.append("\($0)")
          return .max(1)
        },
        receiveCompletion: { log.append("\($0)") }))
    #expect(source.send(1) == .max(1))
    source.finish()
    #expect(log == ["subscribed", "1", "finished"])
  }

  @Test func `without closures requests nothing`() {
    source.subscribe(AnySubscriber<Int, TestError>())
    #expect(source.subscriberCount == 1)
    #expect(source.requests == [])
    #expect(source.send(1) == .none)
  }

  @Test func `sends values into a subject`() {
    let subject = PassthroughSubject<Int, TestError>()
    let recorder = record(subject)
    source.subscribe(AnySubscriber(subject))
    #expect(source.requests == [.unlimited])
    source.send(1)
    source.finish()
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func `describes itself`() {
    #expect("\(AnySubscriber<Int, Never>())" == "Anonymous AnySubscriber")
    var subscriptions = 0
    let closures = AnySubscriber<Int, Never>(receiveSubscription: { _ in subscriptions += 1 })
    #expect("\(closures)" == "Anonymous AnySubscriber")
    #expect(subscriptions == 0)
  }

  @Test func `describes itself as its base subscriber`() {
    let sink = Subscribers.Sink<Int, Never>(receiveCompletion: { _ in }, receiveValue: { _ in })
    #expect("\(AnySubscriber(sink))" == "Sink")
    #expect("\(AnySubscriber(AnySubscriber(sink)))" == "Sink")
    #expect("\(AnySubscriber(PassthroughSubject<Int, Never>()))" == "Subject")
    let recorder = SignalRecorder<Int, Never>()
    #expect("\(AnySubscriber(recorder))" == "\(recorder)")
    #expect(recorder.subscriptions.isEmpty)
  }

  @Test func `reflects its base subscriber`() {
    final class Target { var value = 0 }
    let assign = Subscribers.Assign(object: Target(), keyPath: \.value)
    let erased = AnySubscriber(AnySubscriber(assign))
    #expect(Mirror(reflecting: erased).children.map(\.label) == ["object", "keyPath"])
    #expect(erased.playgroundDescription as? String == "Assign Target")
    let recorder = AnySubscriber(SignalRecorder<Int, Never>())
    #expect(Mirror(reflecting: recorder).children.isEmpty)
    #expect(recorder.playgroundDescription as? String == "\(recorder)")
    let closures = AnySubscriber<Int, Never>(receiveValue: { _ in .none })
    #expect(Mirror(reflecting: closures).children.isEmpty)
    #expect(closures.playgroundDescription as? String == "Anonymous AnySubscriber")
  }
}
