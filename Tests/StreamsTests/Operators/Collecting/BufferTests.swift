import Streams
import SuiteSupport
import Testing

struct BufferTests {
  private let source = ManualSource<Int, TestError>()

  @Test func `byRequest requests unlimited demand`() {
    record(source.buffer(size: 2, prefetch: .byRequest, whenFull: .dropNewest), .none)
    #expect(source.requests == [.unlimited])
  }

  @Test func `keepFull requests as many values as fit, and another for each delivered one`() {
    let recorder = record(source.buffer(size: 2, prefetch: .keepFull, whenFull: .dropNewest), .none)
    #expect(source.requests == [.max(2)])
    source.send(1)
    source.send(2)
    recorder.request(.max(1))
    #expect(recorder.log == ["1"])
    #expect(source.demand == 3)
  }

  @Test func `keepFull with room for one value requests another for each delivered one`() {
    let recorder = record(source.buffer(size: 1, prefetch: .keepFull, whenFull: .dropNewest), .none)
    #expect(source.requests == [.max(1)])
    for value in 1...3 {
      source.send(value)
      recorder.request(.max(1))
    }
    #expect(recorder.log == ["1", "2", "3"])
    #expect(source.demand == 4)
  }

  @Test func `delivers values directly while downstream has demand`() {
    let recorder = record(source.buffer(size: 1, prefetch: .byRequest, whenFull: .dropNewest), .max(3))
    for value in 1...3 { source.send(value) }
    #expect(recorder.log == ["1", "2", "3"])
  }

  @Test func `drops the newest value when it is full`() {
    let recorder = record(source.buffer(size: 2, prefetch: .byRequest, whenFull: .dropNewest), .none)
    for value in 1...4 { source.send(value) }
    recorder.request(.unlimited)
    #expect(recorder.log == ["1", "2"])
  }

  @Test func `drops the oldest value when it is full`() {
    let recorder = record(source.buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest), .none)
    for value in 1...4 { source.send(value) }
    recorder.request(.unlimited)
    #expect(recorder.log == ["3", "4"])
  }

  @Test(arguments: [(true, ["1", "2", "4", "5"]), (false, ["1", "2", "3", "4"])])
  func `a requested value takes no room, and none displaces it`(_ dropsOldest: Bool, _ delivered: [String]) {
    let recorder = record(
      source.buffer(size: 2, prefetch: .byRequest, whenFull: dropsOldest ? .dropOldest : .dropNewest), .none)
    recorder.onValue = { [source] in
      if $0 == 1 { for value in 3...5 { source.send(value) } }
      return .none
    }
    source.send(1)
    source.send(2)
    recorder.request(.max(2))
    #expect(recorder.log == ["1", "2"])
    recorder.request(.unlimited)
    #expect(recorder.log == delivered)
  }

  @Test func `fails with a custom error after the buffered values when it is full, and cancels upstream at once`() {
    let recorder = record(
      source.buffer(size: 2, prefetch: .byRequest, whenFull: .customError { .second }), .max(1))
    for value in 1...5 { source.send(value) }
    #expect(recorder.log == ["1"])
    #expect(source.cancelCount == 1)

    recorder.request(.max(1))
    #expect(recorder.log == ["1", "2"])
    recorder.request(.max(1))
    #expect(recorder.log == ["1", "2", "3", "second"])
  }

  @Test func `an overflow failure is not delivered after cancellation`() {
    let recorder = record(
      source.buffer(size: 1, prefetch: .keepFull, whenFull: .customError { .second }), .none)
    for value in 1...2 { source.send(value) }
    recorder.cancel()
    recorder.request(.max(1))
    #expect(recorder.log == [])
    #expect(source.cancelCount == 1)
  }

  @Test func `delivers nothing after an overflow failure`() {
    source.ignoresCancellation = true
    let recorder = record(
      source.buffer(size: 1, prefetch: .byRequest, whenFull: .customError { .second }), .none)
    for value in 1...3 { source.send(value) }
    source.fail(.first)
    recorder.request(.unlimited)
    #expect(recorder.log == ["1", "second"])
  }

  @Test func `a normal completion waits for the buffered values`() {
    let recorder = record(source.buffer(size: 2, prefetch: .byRequest, whenFull: .dropNewest), .none)
    source.send(1)
    source.send(2)
    source.finish()
    #expect(recorder.log == [])
    recorder.request(.max(1))
    #expect(recorder.log == ["1"])
    recorder.request(.max(1))
    #expect(recorder.log == ["1", "2", "finished"])
  }

  @Test func `a failure waits for the buffered values`() {
    let recorder = record(source.buffer(size: 2, prefetch: .byRequest, whenFull: .dropNewest), .none)
    source.send(1)
    source.fail(.first)
    #expect(recorder.log == [])
    recorder.request(.max(1))
    #expect(recorder.log == ["1", "first"])
  }

  @Test func `delivers no buffered values after cancellation`() {
    let recorder = record(source.buffer(size: 2, prefetch: .byRequest, whenFull: .dropNewest), .none)
    source.send(1)
    recorder.cancel()
    recorder.request(.max(1))
    #expect(recorder.log == [])
    #expect(source.cancelCount == 1)
  }

  @Test func `keeps values of a subject that would be dropped without demand`() {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = record(subject.buffer(size: 10, prefetch: .keepFull, whenFull: .dropNewest), .none)
    for value in 1...3 { subject.send(value) }
    recorder.request(.unlimited)
    #expect(recorder.log == ["1", "2", "3"])
  }

  @Test func `prefetch strategies are hashable`() {
    #expect(Set<Publishers.PrefetchStrategy>([.keepFull, .byRequest, .keepFull]).count == 2)
  }

  @Test func `keepFull requests unlimited demand when demand is unlimited`() {
    record(source.buffer(size: 2, prefetch: .keepFull, whenFull: .dropNewest))
    #expect(source.requests.last == .unlimited)
  }

  @Test func `delivers all values to a subscriber with unlimited demand, however small the size`() {
    let publisher = (1...100).publisher.buffer(size: 2, prefetch: .keepFull, whenFull: .dropNewest)
    #expect(collect(publisher) == Array(1...100))
  }

  @Test func `delivers no buffered values when it is cancelled after upstream has finished`() {
    let recorder = record(source.buffer(size: 2, prefetch: .byRequest, whenFull: .dropNewest), .none)
    #expect(recorder.subscription != nil)
    source.send(1)
    source.finish()
    recorder.cancel()
    recorder.request(.max(1))
    #expect(recorder.log == [])
  }

  @Test func `a buffer of size zero passes requested values only`() {
    for strategy in [.dropNewest, .dropOldest] as [Publishers.BufferingStrategy<TestError>] {
      let recorder = record(source.buffer(size: 0, prefetch: .byRequest, whenFull: strategy), .max(1))
      for value in 1...3 { source.send(value) }
      recorder.request(.max(1))
      source.send(4)
      source.finish()
      #expect(recorder.log == ["1", "4", "finished"])
    }
  }

  @Test func `a buffer of size zero fails at the first value that was not requested`() {
    let recorder = record(source.buffer(size: 0, prefetch: .byRequest, whenFull: .customError { .second }), .max(1))
    source.send(1)
    source.send(2)
    #expect(recorder.log == ["1", "second"])
  }

  @Test func `a buffer of size zero that is kept full requests what downstream requests`() {
    let recorder = record(source.buffer(size: 0, prefetch: .keepFull, whenFull: .dropNewest), .max(2))
    source.send(1)
    recorder.request(.max(1))
    recorder.request(.unlimited)
    #expect(source.requests == [.max(2), .max(1), .unlimited])
    #expect(recorder.log == ["1"])
  }

  @Test(.exits) func `a negative size stops the program`() async {
    await #expect(processExitsWith: .failure) {
      _ = [1].publisher.buffer(size: -1, prefetch: .keepFull, whenFull: .dropNewest)
    }
  }

  // MARK: A source that sends at once

  @Test func `values that upstream sends at once fill the buffer before downstream can request`() {
    func buffered(_ strategy: Publishers.BufferingStrategy<TestError>) -> [String] {
      log(
        (0..<5).publisher.setFailureType(to: TestError.self).buffer(
          size: 3, prefetch: .byRequest, whenFull: strategy))
    }
    #expect(buffered(.dropNewest) == ["0", "1", "2", "finished"])
    #expect(buffered(.dropOldest) == ["2", "3", "4", "finished"])
    #expect(buffered(.customError { .first }) == ["0", "1", "2", "first"])
  }

  @Test func `values that are held back arrive after receive(subscription:) has returned`() {
    let recorder = SignalRecorder<Int, Never>(.unlimited)
    var countInside = -1
    recorder.onSubscription = {
      $0.request(.unlimited)
      countInside = recorder.values.count
    }
    (1...3).publisher.buffer(size: 5, prefetch: .byRequest, whenFull: .dropNewest).subscribe(recorder)
    #expect(countInside == 0)
    #expect(recorder.log == ["1", "2", "3", "finished"])
  }

  @Test func `releases what is held back when it is cancelled from inside receive(subscription:)`() {
    weak var released: Box?
    do {
      let box = Box()
      released = box
      let recorder = SignalRecorder<Box, TestError>(.none)
      recorder.onSubscription = { $0.cancel() }
      let source = ManualSource<Box, TestError>()
      source.onSubscribe = {}
      Publishers.Buffer(
        upstream: [box].publisher.setFailureType(to: TestError.self).append(source), size: 5, prefetch: .byRequest,
        whenFull: .dropNewest
      ).subscribe(recorder)
      #expect(source.cancelCount == source.subscriberCount)
      #expect(recorder.log == [])
    }
    #expect(released == nil)
  }

  private final class Box {}
}
