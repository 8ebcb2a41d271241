import Dispatch
import StreamAlgorithms
import Streams
import Testing

private enum Sender {
  @TaskLocal static var name = "nobody"
}

/// The rules of the contract on values that another thread or job delivers (11, 12 and 26), for task-local values.
struct TaskLocalValueTests {
  @Test func `a value sent during a delivery is delivered with the task-local values of the delivery`() {
    let subject = PassthroughSubject<Int, Never>()
    var names: [String] = []
    let cancellable = subject.sink { value in
      names.append(Sender.name)
      if value == 1 { Sender.$name.withValue("inner") { subject.send(2) } }
    }
    Sender.$name.withValue("outer") { subject.send(1) }
    Sender.$name.withValue("alone") { subject.send(3) }
    #expect(names == ["outer", "outer", "alone"])
    cancellable.cancel()
  }

  @Test(.ownThread) func `a value that another thread delivers is delivered with that thread's task-local values`() {
    let subject = PassthroughSubject<Int, Never>()
    var names: [String] = []
    let cancellable = subject.sink { value in
      names.append(Sender.name)
      guard value == 1 else { return }
      // The other thread leaves its value to this one, which is delivering.
      onAnotherThread { Sender.$name.withValue("second") { subject.send(2) } }
    }
    Sender.$name.withValue("first") { subject.send(1) }
    #expect(names == ["first", "first"])
    cancellable.cancel()
  }

  private actor Owner {
    private var cancellables: Set<AnyCancellable> = []

    func follow(_ subject: PassthroughSubject<Int, Never>, _ receive: @escaping @Sendable (String) -> Void) {
      subject.sink(with: self) { _, _ in receive(Sender.name) }.store(in: &cancellables)
    }

    /// Sends two values while the actor is busy, so that one job delivers both.
    func sendTwoFromElsewhere(to subject: PassthroughSubject<Int, Never>) {
      for name in ["first", "second"] {
        onAnotherThread { Sender.$name.withValue(name) { subject.send(1) } }
      }
    }
  }

  @Test(.ownThread) func `a job of an actor has the task-local values of the sender for which it was enqueued`() async {
    let (owner, subject) = (Owner(), PassthroughSubject<Int, Never>())
    let (names, continuation) = AsyncStream.makeStream(of: String.self)
    await owner.follow(subject) { continuation.yield($0) }
    await owner.sendTwoFromElsewhere(to: subject)
    let received = await names.prefix(2).reduce(into: []) { $0.append($1) }
    #expect(received == ["first", "first"])
    withExtendedLifetime(owner) {}
  }
}
