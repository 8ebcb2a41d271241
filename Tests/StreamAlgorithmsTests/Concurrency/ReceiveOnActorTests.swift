import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import Testing

@Suite(.ownThread) struct ReceiveOnActorTests {
  private let source = ManualSource<Int, TestError>()

  private actor Account {
    var log: [String] = []
    private var continuation: CheckedContinuation<Void, Never>?

    func append(_ entry: String) {
      log.append(entry)
      if entry != "finished", entry != "first" { return }
      continuation.take()?.resume()
    }

    /// Waits for the end of the stream.
    func end() async {
      if log.last == "finished" || log.last == "first" { return }
      await withCheckedContinuation { continuation = $0 }
    }
  }

  @Test func `delivers values and the completion on the actor, in order`() async {
    let account = Account()
    let cancellable = source.sink(with: account) { account, completion in
      account.assertIsolated()
      account.append(completion == .finished ? "finished" : "first")
    } receiveValue: { account, value in
      account.assertIsolated()
      account.append("\(value)")
    }
    for number in 0..<100 { source.send(number) }
    source.finish()
    await account.end()
    #expect(await account.log == (0..<100).map { "\($0)" } + ["finished"])
    cancellable.cancel()
  }

  @Test func `a failure does not overtake values`() async {
    let account = Account()
    let cancellable = source.sink(with: account) { account, completion in
      account.append("\(completion == .failure(.first) ? "first" : "finished")")
    } receiveValue: { account, value in
      account.append("\(value)")
    }
    source.send(1)
    source.fail(.first)
    await account.end()
    #expect(await account.log == ["1", "first"])
    cancellable.cancel()
  }

  @Test func `forwards the subscription, demand and cancellation at once`() {
    let account = Account()
    let recorder = SignalRecorder<Int, TestError>(.max(1))
    source.receive(on: account).subscribe(recorder)
    #expect(recorder.subscriptions.count == 1)
    #expect(source.requests == [.max(1)])
    recorder.subscriptions[0].request(.max(2))
    #expect(source.requests == [.max(1), .max(2)])
    recorder.subscriptions[0].cancel()
    #expect(source.cancelCount == 1)
  }

  @Test func `a closure of the main actor runs there, wherever it is created`() async {
    @MainActor final class Window {
      var titles: [String] = []
      nonisolated init() {}
    }
    let window = Window()
    let subject = PassthroughSubject<String, Never>()
    let isDone = ManualFlag()
    let cancellable = subject.receive(on: MainActor.shared).sink { @MainActor title in
      window.titles.append(title)
      if title == "b" { isDone.set() }
    }
    subject.send("a")
    subject.send("b")
    await isDone.wait()
    #expect(await window.titles == ["a", "b"])
    cancellable.cancel()
  }

  @Test func `cancels upstream when the actor is released`() async {
    let subject = PassthroughSubject<Int, Never>()
    let isCancelled = ManualFlag()
    var account: Account? = Account()
    weak let released = account
    let cancellable = subject.handleEvents(receiveCancel: { isCancelled.set() })
      .sink(with: account!) { account, value in account.append("\(value)") }
    account = nil
    #expect(released == nil)
    subject.send(1)
    await isCancelled.wait()
    cancellable.cancel()
  }

  @Test func `has its actor as a property`() {
    let account = Account()
    #expect(source.receive(on: account).actor === account)
  }
}
