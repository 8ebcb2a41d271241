import Dispatch
import StreamSchedulers
import Streams
import Testing

struct PrintTests {
  @Test func `prints all signals`() {
    let lines = Lines()
    let recorder = record([1, 2].publisher.print(to: lines), .max(1))
    recorder.onValue = { _ in .max(3) }
    recorder.request(.max(1))
    #expect(
      lines.text == """
        receive subscription: ([1, 2])
        request max: (1)
        receive value: (1)
        request max: (1)
        receive value: (2)
        request max: (3) (synchronous)
        receive finished

        """)
    #expect(recorder.log == ["1", "2", "finished"])
  }

  @Test func `prints unlimited requests`() {
    let lines = Lines()
    let recorder = record(Just(1).print(to: lines), .none)
    recorder.onValue = { _ in .unlimited }
    recorder.request(.unlimited)
    #expect(
      lines.text == """
        receive subscription: (Just)
        request unlimited
        receive value: (1)
        request unlimited (synchronous)
        receive finished

        """)
  }

  @Test func `prints failures`() {
    let lines = Lines()
    record(Fail<Int, TestError>(error: .first).print(to: lines))
    #expect(
      lines.text == """
        receive subscription: (Empty)
        request unlimited
        receive error: (first)

        """)
  }

  @Test func `prints a cancellation once`() {
    let lines = Lines()
    let subject = PassthroughSubject<Int, Never>()
    let recorder = record(subject.print(to: lines))
    recorder.cancel()
    recorder.cancel()
    subject.send(1)
    #expect(
      lines.text == """
        receive subscription: (PassthroughSubject)
        request unlimited
        receive cancel

        """)
  }

  @Test func `prints nothing after the completion, unlike Combine`() {
    let lines = Lines()
    let subject = PassthroughSubject<Int, Never>()
    let recorder = record(subject.print(to: lines))
    subject.send(completion: .finished)
    #expect(lines.text.hasSuffix("finished\n"))
    lines.text = ""
    recorder.request(.max(1))
    recorder.cancel()
    #expect(lines.text == "")
  }

  @Test func `prints nothing after a cancellation, unlike Combine`() {
    let lines = Lines()
    let subject = PassthroughSubject<Int, Never>()
    let recorder = record(subject.print(to: lines))
    recorder.onValue = { _ in
      recorder.cancel()
      return .max(1)
    }
    subject.send(1)
    recorder.request(.max(1))
    recorder.cancel()
    #expect(
      lines.text == """
        receive subscription: (PassthroughSubject)
        request unlimited
        receive value: (1)
        receive cancel

        """)
  }

  @Test func `prints the name of the publisher for its subscription`() {
    func name<P: Publisher>(_ publisher: P) -> String {
      let lines = Lines()
      record(publisher.print(to: lines), .none)
      return lines.text
    }
    #expect(name(Just(1)) == "receive subscription: (Just)\n")
    #expect(name(Optional(1).publisher) == "receive subscription: (Optional)\n")
    #expect(name(Result<Int, TestError>.success(1).publisher) == "receive subscription: (Once)\n")
    #expect(name(["a"].publisher) == "receive subscription: ([\"a\"])\n")
    #expect(name(CurrentValueSubject<Int, Never>(1)) == "receive subscription: (CurrentValueSubject)\n")
  }

  @Test func `prints the name of upstream for operators that forward its subscription`() {
    let subject = PassthroughSubject<Int, Never>()
    let failing = PassthroughSubject<Int, TestError>()
    #expect(name(of: subject.map { $0 }) == "PassthroughSubject")
    #expect(name(of: subject.map { $0 }.map { $0 }) == "PassthroughSubject")
    #expect(name(of: subject.map(\.description)) == "PassthroughSubject")
    #expect(name(of: subject.map(\.description, \.hashValue)) == "PassthroughSubject")
    #expect(name(of: subject.map(\.description, \.hashValue, \.magnitude)) == "PassthroughSubject")
    #expect(name(of: failing.mapError { $0 as any Error }) == "PassthroughSubject")
    #expect(name(of: subject.setFailureType(to: TestError.self)) == "PassthroughSubject")
    #expect(name(of: failing.assertNoFailure()) == "PassthroughSubject")
    #expect(name(of: Just(Int?.none).map { $0 }.replaceNil(with: 0)) == "Just")
    #expect(name(of: [1, 2].publisher.map { $0 }) == "[1, 2]")
    #expect(name(of: [1, 2].publisher.eraseToAnyPublisher()) == "[1, 2]")
    #expect(name(of: subject.filter { $0 > 0 }.map { $0 }.eraseToAnyPublisher()) == "Filter")
    #expect(name(of: Deferred { subject }) == "PassthroughSubject")
    #expect(name(of: Deferred { subject.map { $0 } }) == "PassthroughSubject")
    #expect(name(of: Deferred { [1].publisher }) == "Sequence")
  }

  @Test func `prints the names of the other operators`() {
    let subject = PassthroughSubject<Int, Never>()
    #expect(name(of: subject.filter { $0 > 0 }) == "Filter")
    #expect(name(of: subject.compactMap { $0 }) == "CompactMap")
    #expect(name(of: subject.tryMap { $0 }) == "TryMap")
    #expect(name(of: subject.removeDuplicates()) == "RemoveDuplicates")
    #expect(name(of: subject.scan(0, +)) == "Scan")
    #expect(name(of: subject.prefix(1)) == "Output")
    #expect(name(of: subject.dropFirst()) == "Drop")
    #expect(name(of: subject.count()) == "Count")
    #expect(name(of: subject.ignoreOutput()) == "IgnoreOutput")
    #expect(name(of: subject.handleEvents()) == "HandleEvents")
    #expect(name(of: subject.breakpoint()) == "Breakpoint")
    #expect(name(of: subject.collect(.byTime(DispatchQueue.test, 1))) == "CollectByTime")
    #expect(name(of: subject.print(to: Lines())) == "Print")
    #expect(name(of: subject.flatMap { Just($0) }) == "FlatMap")
    let failing = subject.setFailureType(to: TestError.self)
    #expect(name(of: failing.catch { _ in Empty<Int, Never>() }) == "Catch")
    #expect(name(of: subject.append(1)) == "Concatenate")
    #expect(name(of: subject.receive(on: DispatchQueue.immediate)) == "ReceiveOn")
    #expect(name(of: subject.delay(for: 1, scheduler: DispatchQueue.test)) == "Delay")
    #expect(name(of: subject.buffer(size: 1, prefetch: .byRequest, whenFull: .dropNewest)) == "Buffer")
    #expect(name(of: Future<Int, Never> { _ in }) == "Future")
  }

  @Test func `prints the same name for any number of combined publishers`() {
    let a = PassthroughSubject<Int, Never>()
    #expect(name(of: a.merge(with: a)) == "Merge")
    #expect(name(of: a.merge(with: a, a)) == "Merge")
    #expect(name(of: a.merge(with: a, a, a, a, a, a, a)) == "Merge")
    #expect(name(of: Publishers.MergeMany(a, a)) == "Merge")
    #expect(name(of: a.zip(a)) == "Zip")
    #expect(name(of: a.zip(a, a)) == "Zip")
    #expect(name(of: a.zip(a, a, a)) == "Zip")
    #expect(name(of: a.combineLatest(a)) == "CombineLatest")
    #expect(name(of: a.combineLatest(a, a)) == "CombineLatest")
    #expect(name(of: a.combineLatest(a, a, a)) == "CombineLatest")
  }

  @Test func `prints Multicast for shared publishers`() {
    let subject = PassthroughSubject<Int, Never>()
    #expect(name(of: subject.share()) == "Multicast")
    #expect(name(of: subject.multicast(subject: PassthroughSubject())) == "Multicast")
    #expect(name(of: subject.multicast(subject: PassthroughSubject()).autoconnect()) == "Multicast")
    #expect(name(of: subject.makeConnectable()) == "Multicast")
    #expect(name(of: subject.share().map { $0 }) == "Multicast")
  }

  @Test func `prints the description of a custom subscription`() {
    #expect(name(of: Own()) == "\(OwnSubscription())")
    #expect(name(of: Own().map { $0 }) == "\(OwnSubscription())")
    #expect(name(of: Own().filter { _ in true }) == "Filter")
    #expect(name(of: Own().compactMap { $0 }.map { $0 }.eraseToAnyPublisher()) == "CompactMap")
    #expect(name(of: Empty<Int, Never>().filter { _ in true }) == "Filter")
    #expect(name(of: Deferred { Empty<Int, Never>().filter { _ in true } }) == "Filter")
    #expect(name(of: Own().dropFirst()) == "Drop")
  }

  /// Returns the printed name of a publisher's subscription.
  private func name<P: Publisher>(of publisher: P) -> String {
    let lines = Lines()
    record(publisher.print(to: lines), .none).cancel()
    let prefix = "receive subscription: ("
    let line = lines.text.prefix { $0 != "\n" }
    return line.hasPrefix(prefix) ? String(line.dropFirst(prefix.count).dropLast()) : lines.text
  }

  @Test func `starts each line with the prefix`() {
    let lines = Lines()
    record(Empty<Int, Never>().print("load", to: lines), .none)
    #expect(
      lines.text == """
        load: receive subscription: (Empty)
        load: receive finished

        """)
  }

  @Test func `forwards cancellation and demand`() {
    let source = ManualSource<Int, Never>()
    let recorder = record(source.print(to: Lines()), .max(1))
    recorder.onValue = { _ in .max(4) }
    #expect(source.requests == [.max(1)])
    #expect(source.send(1) == .max(4))

    recorder.cancel()
    #expect(source.cancelCount == 1)
  }

  @Test func `writes a whole line at once, unlike Combine`() {
    final class Pieces: TextOutputStream {
      var pieces: [String] = []
      func write(_ string: String) { pieces.append(string) }
    }
    let stream = Pieces()
    record(Just(1).print("one", to: stream))
    #expect(
      stream.pieces == [
        "one: receive subscription: (Just)\n", "one: request unlimited\n", "one: receive value: (1)\n",
        "one: receive finished\n",
      ])
  }

  @Test func `writes a line that is printed while another is being written after it`() {
    let lines = Lines()
    let recorder = record(Empty<Int, Never>(completeImmediately: false).print(to: lines), .none)
    lines.text = ""
    lines.onWrite = {
      lines.onWrite = {}
      recorder.request(.max(2))
    }
    recorder.request(.max(1))
    #expect(lines.text == "request max: (1)\nrequest max: (2)\n")
  }

  @Test func `writes lines from several threads one at a time`() {
    let lines = Lines()
    nonisolated(unsafe) let recorder = record(Empty<Int, Never>(completeImmediately: false).print(to: lines), .none)
    lines.text = ""
    DispatchQueue.concurrentPerform(iterations: 1000) { _ in recorder.request(.max(1)) }
    #expect(lines.text == String(repeating: "request max: (1)\n", count: 1000))
  }
}

/// A custom publisher whose subscription has no description.
private struct Own: Publisher {
  typealias Output = Int
  typealias Failure = Never

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
    subscriber.receive(subscription: OwnSubscription())
  }
}

private final class OwnSubscription: Subscription {
  func request(_ demand: Subscribers.Demand) {}
  func cancel() {}
}

/// An output stream that stores its text.
private final class Lines: TextOutputStream {
  var text = ""
  var onWrite: () -> Void = {}

  func write(_ string: String) {
    onWrite()
    text += string
  }
}
