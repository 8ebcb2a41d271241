import StreamSchedulers
import StreamTesting
import Streams

extension DiagramCatalog {
  static let creating: [DiagramEntry] = [
    DiagramEntry("just", "Just(1)") { _ in Just(1) },
    DiagramEntry("empty", "Empty()") { _ in Empty<Int, Never>() },
    DiagramEntry("fail", "Fail(error: error)") { _ in Fail<Int, DiagramError>(error: DiagramError()) },
    DiagramEntry("optional", "Optional(1).publisher") { _ in Optional(1).publisher },
    DiagramEntry("optional-nil", "Int?.none.publisher") { _ in Int?.none.publisher },
    DiagramEntry("result", "Result.success(1).publisher") { _ in Result<Int, DiagramError>.success(1).publisher },
    DiagramEntry("sequence", "[1, 2, 3].publisher") { _ in [1, 2, 3].publisher },
    DiagramEntry("record", "Record(output: [1, 2], completion: .failure(error))") { _ in
      Record<Int, DiagramError>(output: [1, 2], completion: .failure(DiagramError()))
    },
    // The closure runs once for each subscriber.
    .subscribers("deferred", "Deferred { Just(makeNumber()) }") { canvas in
      var number = 0
      func makeNumber() -> Int {
        number += 1
        return number
      }
      let deferred = Deferred { Just(makeNumber()) }
      canvas.subscribe(deferred)
      canvas.subscribe(deferred, at: 4)
    },
    // A subscriber that arrives after the result receives it immediately.
    .subscribers("future", "Future { promise in … }") { canvas in
      let future = Future<Int, Never> { promise in canvas.at(3) { promise(.success(1)) } }
      canvas.subscribe(future)
      canvas.subscribe(future, at: 6)
    },
    // The publisher does not complete by itself; the subscriber cancels.
    .subscribers(
      "timerPublisher", "timerPublisher(every: 300 ms).autoconnect()"
    ) { canvas in
      let timer = canvas.scheduler.timerPublisher(every: canvas.frames(3)).autoconnect()
      let start = canvas.scheduler.now
      canvas.subscribe(timer.map { "\(start.distance(to: $0).magnitude / 1_000_000) ms" }, until: 11)
    },
  ]

  static let subjects: [DiagramEntry] = [
    .subscribers("passthroughSubject", "PassthroughSubject()") { canvas in
      let subject = PassthroughSubject<Number, DiagramError>()
      canvas.keep(canvas.numbers("-1-----2--|", name: "source").subscribe(subject))
      canvas.subscribe(subject)
      canvas.subscribe(subject, at: 5)
    },
    // A late subscriber begins with the newest value.
    .subscribers("currentValueSubject", "CurrentValueSubject(1)") { canvas in
      let subject = CurrentValueSubject<Number, DiagramError>(1)
      canvas.keep(canvas.numbers("---2------|", name: "source").subscribe(subject))
      canvas.subscribe(subject)
      canvas.subscribe(subject, at: 6)
    },
  ]
}
