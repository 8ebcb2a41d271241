import Dispatch
import Streams
import Testing

struct PrintTests {
  @Test func `prints everything that goes through`() {
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

  @Test func `prints cancellation once`() {
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

  @Test func `names a subscription as its publisher does`() {
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

  @Test func `begins each line with the prefix`() {
    let lines = Lines()
    record(Empty<Int, Never>().print("load", to: lines), .none)
    #expect(
      lines.text == """
        load: receive subscription: (Empty)
        load: receive finished

        """)
  }

  @Test func `cancellation and demand pass through`() {
    let source = ManualSource<Int, Never>()
    let recorder = record(source.print(to: Lines()), .max(1))
    recorder.onValue = { _ in .max(4) }
    #expect(source.requests == [.max(1)])
    #expect(source.send(1) == .max(4))

    recorder.cancel()
    #expect(source.cancelCount == 1)
  }

  @Test func `a line that is printed while another is written follows it`() {
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

  @Test func `lines from several threads are written one at a time`() {
    let lines = Lines()
    nonisolated(unsafe) let recorder = record(Empty<Int, Never>(completeImmediately: false).print(to: lines), .none)
    lines.text = ""
    DispatchQueue.concurrentPerform(iterations: 1000) { _ in recorder.request(.max(1)) }
    #expect(lines.text == String(repeating: "request max: (1)\n", count: 1000))
  }
}

/// A stream that keeps what is written to it.
private final class Lines: TextOutputStream {
  var text = ""
  var onWrite: () -> Void = {}

  func write(_ string: String) {
    onWrite()
    text += string
  }
}
