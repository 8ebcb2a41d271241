import Dispatch
import StreamAlgorithms
import StreamSchedulers
import Streams
import SuiteSupport
import Testing

private enum Request {
  @TaskLocal static var id = 0
  @TaskLocal static var isTrusted = false
}

/// Subjects behave while contexts are carried as they do otherwise.
@Suite(.exits) struct ContextsOfSubjectsTests {
  @Test func `a subscription retains its subject`() async {
    await #expect(processExitsWith: .success) {
      StreamContext.carry(Request.$id)
      weak var subject: PassthroughSubject<Int, Never>?
      let cancellable: AnyCancellable
      do {
        let made = PassthroughSubject<Int, Never>()
        subject = made
        cancellable = made.sink { _ in }
      }
      #expect(subject != nil)
      cancellable.cancel()
      #expect(subject == nil)
    }
  }

  @Test func `a current value that is set during a delivery remains the newest`() async {
    await #expect(processExitsWith: .success) {
      StreamContext.carry(Request.$id)
      let subject = CurrentValueSubject<Int, Never>(0)
      var values: [Int] = []
      let cancellable = subject.sink {
        values.append($0)
        if $0 == 1 { subject.value = 2 }
      }
      subject.value = 1
      #expect(values == [0, 1, 2])
      #expect(subject.value == 2)
      cancellable.cancel()
    }
  }

  @Test func `a context that is smaller than a word follows the values`() async {
    await #expect(processExitsWith: .success) {
      StreamContext.carry(Request.$isTrusted)
      let scheduler = DispatchQueue.test
      let subject = PassthroughSubject<Int, Never>()
      var log: [String] = []
      let cancellable = subject.receive(on: scheduler).sink { log.append("\($0) \(Request.isTrusted)") }
      Request.$isTrusted.withValue(true) {
        subject.send(1)
        subject.send(2)
      }
      subject.send(3)
      scheduler.advance()
      #expect(log == ["1 true", "2 true", "3 false"])
      cancellable.cancel()
    }
  }
}
