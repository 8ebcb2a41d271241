import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// Bugs of other reactive libraries: order.
struct OrderMuseumTests {
  private let scheduler = DispatchQueue.test

  /// What the second of three subscribers does when it receives 2.
  private enum Reaction: CaseIterable {
    case sends, subscribes, cancelsThird, finishes
  }

  /// Returns what each subscriber receives: three that exist from the beginning, and one that a reaction adds.
  private func received(_ subject: some Subject<Int, Never>, _ reaction: Reaction) -> [[String]] {
    let recorders = (0..<4).map { _ in SignalRecorder<Int, Never>() }
    recorders[1].onValue = { value in
      guard value == 2 else { return .none }
      switch reaction {
      case .sends: subject.send(3)
      case .subscribes: subject.subscribe(recorders[3])
      case .cancelsThird: recorders[2].cancel()
      case .finishes: subject.send(completion: .finished)
      }
      return .none
    }
    for recorder in recorders.prefix(3) { subject.subscribe(recorder) }
    subject.send(1)
    subject.send(2)
    if reaction == .subscribes { subject.send(3) }
    return recorders.map(\.log)
  }

  /// ReactiveX/rxjs#6580, #5173; Reactive-Extensions/RxJS#1171
  ///
  /// Chosen here: what is sent from inside a delivery comes after it, for every subscriber (contract, rule 11).
  @Test func `later subscribers received a value that was sent from inside a sink too early`() {
    let (one, two) = (["1"], ["1", "2"])
    let three = two + ["3"]
    let end = two + ["finished"]
    #expect(received(PassthroughSubject(), .sends) == [three, three, three, []])
    #expect(received(PassthroughSubject(), .subscribes) == [three, three, three, ["3"]])
    #expect(received(PassthroughSubject(), .cancelsThird) == [two, two, one, []])
    #expect(received(PassthroughSubject(), .finishes) == [end, end, end, []])
    func current(_ reaction: Reaction, _ logs: [[String]], value: Int, line: SourceLocation = #_sourceLocation) {
      let subject = CurrentValueSubject<Int, Never>(0)
      #expect(received(subject, reaction) == logs, sourceLocation: line)
      #expect(subject.value == value, sourceLocation: line)
    }
    current(.sends, [["0"] + three, ["0"] + three, ["0"] + three, []], value: 3)
    current(.subscribes, [["0"] + three, ["0"] + three, ["0"] + three, ["2", "3"]], value: 3)
    current(.cancelsThird, [["0"] + two, ["0"] + two, ["0"] + one, []], value: 2)
    current(.finishes, [["0"] + end, ["0"] + end, ["0"] + end, []], value: 2)
  }

  private final class Model: @unchecked Sendable {
    @Published var value = 0
  }

  /// OpenCombine/OpenCombine#198
  @Test func `a subscriber that arrived while a property was published received the old value`() {
    let model = Model()
    let (outer, inner) = (SignalRecorder<Int, Never>(), SignalRecorder<Int, Never>())
    var read: Int?
    outer.onValue = { value in
      if value == 1 {
        read = model.value
        model.$value.subscribe(inner)
      }
      return .none
    }
    model.$value.subscribe(outer)
    model.value = 1
    #expect(read == 0)
    #expect(inner.log == ["1"])
    model.value = 2
    #expect(outer.log == ["0", "1", "2"])
    #expect(inner.log == ["1", "2"])
  }

  /// ReactiveX/rxjs#2155
  @Test func `a value that was sent while the first was being delivered overtook it`() {
    let subject = CurrentValueSubject<String, Never>("I")
    var isFirst = true
    let recorder = record(
      subject.handleEvents(receiveOutput: { _ in
        if isFirst {
          isFirst = false
          subject.send("F")
        }
      }))
    subject.send("S")
    #expect(recorder.log == ["I", "F", "S"])
  }

  /// ReactiveX/RxSwift#393
  ///
  /// Also on a scheduler that runs work at once when it is called on its own queue.
  @Test(arguments: [false, true])
  func `a value that was sent on the main queue overtook one that waited for it`(_ isInline: Bool) {
    let runsAtOnce = Box(false)
    let direct = AnySchedulerOf<DispatchQueue>(
      minimumTolerance: { 0 }, now: { [scheduler] in scheduler.now },
      scheduleImmediately: { [scheduler] options, action in
        if runsAtOnce.value { action() } else { scheduler.schedule(options: options, action) }
      },
      delayed: { [scheduler] in scheduler.schedule(after: $0, tolerance: $1, options: $2, $3) },
      interval: { [scheduler] in scheduler.schedule(after: $0, interval: $1, tolerance: $2, options: $3, $4) })
    let subject = PassthroughSubject<Int, Never>()
    let recorder = record(subject.receive(on: direct))
    subject.send(1)
    runsAtOnce.value = isInline
    subject.send(2)
    scheduler.run()
    #expect(recorder.values == [1, 2])
  }
}
