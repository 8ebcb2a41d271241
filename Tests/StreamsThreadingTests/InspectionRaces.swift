import StreamInspection
import StreamSchedulers
import Streams
import SuiteSupport
import Testing

/// Streams that are inspected while other threads use them.
@Suite struct InspectionRaceTests {
  final class Stream {
    let subject = PassthroughSubject<Int, Never>()
    var received = 0
    private(set) var cancellable: AnyCancellable?

    init() {
      cancellable = subject.map { $0 + 1 }.buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest)
        .sink(isolation: nil) { [unowned self] _ in received += 1 }
    }
  }

  @Test func `a stream that is cancelled while it is inspected stays cancelled`() {
    race {
      Stream()
    } _: { stream in
      _ = stream.cancellable?.inspection
    } and: { stream in
      stream.cancellable?.cancel()
    } check: { stream in
      stream.subject.send(1)
      #expect(stream.received == 0)
      #expect(stream.cancellable?.inspection.parts.isEmpty == true)
    }
  }

  @Test func `two threads can inspect one stream, which lives on`() {
    race {
      Stream()
    } _: { stream in
      #expect(stream.cancellable?.inspection.parts.count == 3)
    } and: { stream in
      #expect(stream.cancellable?.inspection.parts.count == 3)
    } check: { stream in
      stream.subject.send(1)
      #expect(stream.received == 1)
      stream.cancellable?.cancel()
      stream.subject.send(2)
      #expect(stream.received == 1)
    }
  }

  @Test func `a stream can be inspected while values are sent`() {
    race {
      Stream()
    } _: { stream in
      for _ in 0..<5 { #expect(stream.cancellable?.inspection.parts.first?.name == "sink") }
    } and: { stream in
      for number in 0..<20 { stream.subject.send(number) }
    } check: { stream in
      #expect(stream.received == 20)
    }
  }
}
