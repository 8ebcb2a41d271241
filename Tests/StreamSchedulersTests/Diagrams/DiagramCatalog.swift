import Dispatch
import StreamSchedulers
import Streams

/// An operator at work, drawn for the documentation.
struct DiagramEntry: Sendable {
  /// The name of the files, without what stands before and after.
  let name: String

  /// What is written in the operator's box.
  let label: String
  let build: @Sendable (Canvas) -> AnyPublisher<String, DiagramError>

  init<P: Publisher & SendableMetatype>(_ name: String, _ label: String, _ build: @escaping @Sendable (Canvas) -> P) {
    self.name = name
    self.label = label
    self.build = { canvas in
      build(canvas).map { "\($0)" }.mapError { _ in DiagramError() }.eraseToAnyPublisher()
    }
  }
}

struct DiagramError: Error, Equatable {}

/// Where the sources of a diagram are made; one frame is 100 milliseconds.
final class Canvas {
  let scheduler: TestSchedulerOf<DispatchQueue>
  private var sources: [() -> [MarbleDiagram.Row]] = []

  init() {
    scheduler = DispatchQueue.test
    scheduler.frame = .milliseconds(100)
  }

  /// So many frames.
  func frames(_ count: Int) -> DispatchQueue.SchedulerTimeType.Stride { .milliseconds(100 * count) }

  /// A source of letters, or of whatever the names are.
  func letters(_ marbles: Marbles) -> HotPublisher<String, DiagramError, DispatchQueue.SchedulerTimeType.Stride> {
    draw(scheduler.hot(marbles, error: DiagramError()))
  }

  /// A source of letters that cannot fail.
  func unfailing(_ marbles: Marbles) -> HotPublisher<String, Never, DispatchQueue.SchedulerTimeType.Stride> {
    draw(scheduler.hot(marbles))
  }

  /// A source of numbers.
  func numbers(_ marbles: Marbles) -> HotPublisher<Int, DiagramError, DispatchQueue.SchedulerTimeType.Stride> {
    draw(scheduler.hot(marbles, error: DiagramError()) { Int($0) })
  }

  /// A source that is played to each subscriber anew; it has a line for each of them.
  func cold(_ marbles: Marbles) -> ColdPublisher<String, DiagramError, DispatchQueue.SchedulerTimeType.Stride> {
    let cold = scheduler.cold(marbles, error: DiagramError())
    sources.append { MarbleDiagram.Row.lines(cold) }
    return cold
  }

  private func draw<Output, Failure>(
    _ hot: HotPublisher<Output, Failure, DispatchQueue.SchedulerTimeType.Stride>
  ) -> HotPublisher<Output, Failure, DispatchQueue.SchedulerTimeType.Stride> {
    sources.append { [.line(hot)] }
    return hot
  }

  /// Runs an operator and draws what it did.
  static func diagram(of entry: DiagramEntry) -> MarbleDiagram {
    let canvas = Canvas()
    let recorder = canvas.scheduler.record(entry.build(canvas))
    canvas.scheduler.advance(by: canvas.frames(20))
    recorder.cancel()
    let result = MarbleDiagram.Row.line(recorder)
    return MarbleDiagram(
      canvas.sources.flatMap { $0() } + [.operator(entry.label), result], title: "Marble diagram of \(entry.label)",
      frame: canvas.scheduler.frame)
  }
}

enum DiagramCatalog {
  static let all: [DiagramEntry] = transforming

  static let transforming = [
    DiagramEntry("map", "map { $0 * 10 }") { $0.numbers("-1--2--3-|").map { $0 * 10 } },
    DiagramEntry("debounce", "debounce(for: 200 ms)") {
      $0.letters("a-bc----d-|").debounce(for: $0.frames(2), scheduler: $0.scheduler)
    },
    DiagramEntry("catch", "catch { _ in x }") { canvas in
      canvas.letters("-a--(b#)").catch { _ in canvas.cold("--x-y|") }
    },
    DiagramEntry("flatMap", "flatMap { cold }") { canvas in
      let inner = canvas.cold("x-y-|")
      return canvas.letters("-a----b|").flatMap { a in inner.map { a + $0 } }
    },
    DiagramEntry("sequence", "[1, 2, 3].publisher") { canvas in [1, 2, 3].publisher },
  ]
}
