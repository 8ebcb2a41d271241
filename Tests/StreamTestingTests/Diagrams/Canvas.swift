import Dispatch
import StreamSchedulers
import StreamTesting
import Streams

/// An operator at work, drawn for the documentation.
struct DiagramEntry: Sendable {
  /// The name of the files, without prefix and suffix.
  let name: String

  /// The text in the operator's box.
  let label: String

  /// The modules whose documentation shows it; DocC finds images only in the module's own catalog.
  var modules: [String] { SourceTree.modules.filter { SourceTree.shownDiagrams[$0]?.contains(name) == true } }
  let draw: @Sendable (Canvas) -> Void

  /// A publisher, with one subscriber.
  init<P: Publisher & SendableMetatype>(
    _ name: String, _ label: String, _ build: @escaping @Sendable (Canvas) -> P
  ) {
    self.init(name: name, label: label) { $0.subscribe(build($0)) }
  }

  private init(name: String, label: String, draw: @escaping @Sendable (Canvas) -> Void) {
    self.name = name
    self.label = label
    self.draw = draw
  }

  /// A publisher whose subscribers the closure determines.
  static func subscribers(
    _ name: String, _ label: String, _ draw: @escaping @Sendable (Canvas) -> Void
  ) -> DiagramEntry {
    DiagramEntry(name: name, label: label, draw: draw)
  }
}

struct DiagramError: Error, Equatable {}

/// The context in which the streams of a diagram are created; one frame is 100 milliseconds.
///
/// Sources are drawn in the order of their creation.
final class Canvas {
  typealias Time = DispatchQueue.SchedulerTimeType.Stride

  let scheduler: TestSchedulerOf<DispatchQueue>

  /// The number of frames; a stream that continues after them ends in an arrow.
  private static let length = 20
  private var demand: DemandScript<Time> = .unlimited
  private var sources: [() -> [MarbleDiagram.Row]] = []
  private var results: [() -> [MarbleDiagram.Row]] = []
  private var kept: [AnyCancellable] = []

  init() {
    scheduler = DispatchQueue.test
    scheduler.frame = .milliseconds(100)
  }

  /// The duration of a number of frames.
  func frames(_ count: Int) -> Time { .milliseconds(100 * count) }

  /// Runs an operator and draws its behavior.
  static func diagram(of entry: DiagramEntry) -> MarbleDiagram {
    let canvas = Canvas()
    entry.draw(canvas)
    canvas.scheduler.advance(by: canvas.frames(length))
    let sources = canvas.sources.flatMap { $0() }
    let results = named(canvas.results.flatMap { $0() })
    // The rows may retain the canvas.
    (canvas.sources, canvas.results, canvas.kept) = ([], [], [])
    return MarbleDiagram(
      sources + [.operator(entry.label)] + results, title: "Marble diagram of \(entry.label)",
      frame: canvas.scheduler.frame)
  }

  /// Numbers the unnamed subscribers, if there are several.
  private static func named(_ rows: [MarbleDiagram.Row]) -> [MarbleDiagram.Row] {
    let isUnnamed = { (row: MarbleDiagram.Row) in if case .line(let line) = row { line.name.isEmpty } else { false } }
    guard rows.count(where: isUnnamed) > 1 else { return rows }
    var count = 0
    return rows.map { row in
      guard case .line(var line) = row, line.name.isEmpty else { return row }
      count += 1
      line.name = "subscriber \(count)"
      return .line(line)
    }
  }
}

// MARK: Sources

extension Canvas {
  /// A hot source of letters, or of the given names, that sends with or without subscribers.
  func letters(_ marbles: Marbles, name: String = "") -> HotPublisher<Text, DiagramError, Time> {
    draw(scheduler.hot(marbles, error: DiagramError()) { Text($0, origins: [$0]) }, name)
  }

  /// A hot source of numbers.
  func numbers(_ marbles: Marbles, name: String = "") -> HotPublisher<Number, DiagramError, Time> {
    draw(scheduler.hot(marbles, error: DiagramError()) { name in Int(name).map { Number($0, origins: [name]) } }, name)
  }

  /// A cold source that starts anew for each subscriber, with a line for each that ends at its cancellation.
  ///
  /// The values of a source that is created for another value have the origins of that value.
  func cold(
    _ marbles: Marbles, name: String = "", from origin: Text? = nil
  ) -> ColdPublisher<Text, DiagramError, Time> {
    draw(scheduler.cold(marbles, error: DiagramError()) { Text($0, origins: origin?.origins ?? [$0]) }, name)
  }

  /// A cold source of numbers.
  func coldNumbers(_ marbles: Marbles, name: String = "") -> ColdPublisher<Number, DiagramError, Time> {
    draw(scheduler.cold(marbles, error: DiagramError()) { name in Int(name).map { Number($0, origins: [name]) } }, name)
  }

  /// A cold source that starts anew for each subscriber, and cannot fail.
  func unfailing(_ marbles: Marbles, name: String = "") -> ColdPublisher<Text, Never, Time> {
    draw(scheduler.cold(marbles) { Text($0, origins: [$0]) }, name)
  }

  private func draw<Value, Failure>(
    _ hot: HotPublisher<Value, Failure, Time>, _ name: String
  ) -> HotPublisher<Value, Failure, Time> {
    sources.append { [.line(hot, name: name) { origins(of: $0) }] }
    return hot
  }

  private func draw<Value, Failure>(
    _ cold: ColdPublisher<Value, Failure, Time>, _ name: String
  ) -> ColdPublisher<Value, Failure, Time> {
    sources.append { MarbleDiagram.Row.lines(cold, name: name) { origins(of: $0) } }
    return cold
  }
}

// MARK: Subscribers

extension Canvas {
  /// Subscribes at one frame, cancels at another, and draws the events in between.
  func subscribe(_ publisher: some Publisher, at start: Int = 0, until end: Int? = nil, name: String = "") {
    let described = publisher.map { Text("\($0)", origins: origins(of: $0)) }.mapError { _ in DiagramError() }
    var recorder: Recorder<Text, DiagramError, Time>?
    results.append { recorder.map { [.line($0, name: name) { $0.origins }] } ?? [] }
    at(start) { recorder = self.scheduler.record(described, demand: self.demand) }
    if let end { at(end) { recorder?.cancel() } }
  }

  /// Sets the demand of the subscribers by a diagram, and draws that above them.
  func ask(_ marbles: Marbles) {
    demand = DemandScript(stringLiteral: marbles.text)
    let asked = scheduler.hot(marbles) { $0 == "*" ? "unlimited" : $0 }
    results.append { [Self.row(asked, name: "demand", verb: "is")] }
  }
}

// MARK: Actions beside the streams

extension Canvas {
  /// Runs an action at a frame.
  func at(_ frame: Int, _ action: @escaping () -> Void) {
    guard frame > 0 else { return action() }
    scheduler.schedule(after: scheduler.now.advanced(by: frames(frame)), action)
  }

  /// Runs an action for each marble of a named line.
  func signal(_ name: String, _ marbles: Marbles, verb: String = "publishes", _ action: @escaping () -> Void) {
    let signal = scheduler.hot(marbles)
    sources.append { [Self.row(signal, name: name, verb: verb)] }
    for event in signal.events { scheduler.schedule(after: scheduler.now.advanced(by: event.time), action) }
  }

  /// A line of signals, which have no subscribers and no origins.
  private static func row(_ signals: HotPublisher<String, Never, Time>, name: String, verb: String) -> MarbleDiagram.Row
  {
    guard case .line(var line) = MarbleDiagram.Row.line(signals, name: name, origins: { _ in [] }) else { fatalError() }
    line.verb = verb
    return .line(line)
  }

  /// Retains an object until the diagram is drawn.
  func keep(_ cancellable: any Cancellable) { kept.append(AnyCancellable(cancellable)) }

  /// A queue that is busy most of the time: it runs pending work at each marble of a line with this name.
  func queue(_ marbles: Marbles) -> AnySchedulerOf<DispatchQueue> {
    let work = WaitingWork()
    signal("queue", marbles, verb: "is", work.run)
    return AnyScheduler(
      minimumTolerance: { [scheduler] in scheduler.minimumTolerance }, now: { [scheduler] in scheduler.now },
      scheduleImmediately: { _, action in work.add(action) },
      delayed: { [scheduler] in scheduler.schedule(after: $0, tolerance: $1, options: $2, $3) },
      interval: { [scheduler] in
        scheduler.schedule(after: $0, interval: $1, tolerance: $2, options: $3, $4)
      })
  }
}

/// The pending work of a busy queue. Unchecked: a diagram is drawn on one thread.
private final class WaitingWork: @unchecked Sendable {
  private var actions: [() -> Void] = []

  func add(_ action: @escaping () -> Void) { actions.append(action) }

  /// Runs the pending work, and the work that it adds.
  func run() {
    while !actions.isEmpty {
      let due = actions
      actions = []
      for action in due { action() }
    }
  }
}
