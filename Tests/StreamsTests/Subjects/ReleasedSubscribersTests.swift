import StreamAlgorithms
import Streams
import SuiteSupport
import Testing

/// What a subject releases when a subscriber leaves it, and what it keeps for one that stays.
struct ReleasedSubscribersTests {
  @Test(arguments: [false, true])
  func `a subscription is released when it has ended`(isCancelled: Bool) {
    let subject = PassthroughSubject<Int, Never>()
    weak var released: AnyObject?
    do {
      let recorder = record(subject)
      released = recorder.subscription.map { $0 as AnyObject }
      #expect(released != nil)
      if isCancelled { recorder.cancel() } else { subject.send(completion: .finished) }
    }
    #expect(released == nil)
  }

  @Test func `a subscriber that joins and leaves during the same delivery is released`() {
    let subject = PassthroughSubject<Int, Never>()
    let first = record(subject)
    weak var released: SignalRecorder<Int, Never>?
    var subscription: (any Subscription)?
    first.onValue = { _ in
      let second = record(subject)
      released = second
      subscription = second.subscription
      subscription?.cancel()
      return .none
    }
    subject.send(1)

    #expect(subscription != nil)
    #expect(released == nil)
    first.cancel()
  }

  @Test func `a subscriber that is cancelled while another receives the completion is released`() {
    let subject = ReplaySubject<Int, Never>(bufferSize: 2)
    weak var released: SignalRecorder<Int, Never>?
    var subscription: (any Subscription)?
    do {
      let waiting = record(subject, .none)
      released = waiting
      subscription = waiting.subscription
    }
    let other = record(subject)
    other.onCompletion = { subscription?.cancel() }
    subject.send(1)
    #expect(released != nil)
    subject.send(completion: .finished)

    #expect(other.log == ["1", "finished"])
    #expect(released == nil)
  }

  @Test func `values that are sent while the current one is delivered wait for a request`() {
    let subject = CurrentValueSubject<Int, Never>(1)
    let recorder = record(subject, .none)
    recorder.onValue = { value in
      if value == 1 {
        subject.send(2)
        subject.send(3)
      }
      return .none
    }
    recorder.request(.max(2))
    #expect(recorder.values == [1, 2])
    recorder.request(.max(1))
    #expect(recorder.values == [1, 2, 3])
    recorder.cancel()
  }

  @Test func `a subscriber that requests more than everything goes on receiving`() {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = record(subject)
    for value in 1...3 {
      subject.send(value)
      recorder.request(.max(1))
    }
    #expect(recorder.values == [1, 2, 3])
    recorder.cancel()
  }
}
