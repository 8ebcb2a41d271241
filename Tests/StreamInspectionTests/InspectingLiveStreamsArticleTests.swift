import Dispatch
import Foundation
import StreamAlgorithms
import StreamInspection
import StreamSchedulers
import Streams
import Testing

/// The texts that the article "Inspecting live streams" shows are those that its code prints. The code for logging in the
/// article "Inspecting streams in production" compiles.
///
/// The tests are of the main actor and do not suspend, so that no other test observes streams meanwhile, whose places
/// and ages would be printed.
@MainActor @Suite struct InspectingLiveStreamsArticleTests {
  @Test func `the stream that shows how a tree is read`() throws {
    let time = DispatchQueue.test
    let words = PassthroughSubject<String, Never>()
    let pages = words.debounce(for: .milliseconds(300), scheduler: time)
      .checkpoint("words have settled")
      .map { word in Just("page of \(word)").delay(for: .seconds(1), scheduler: time) }
      .switchToLatest()
      .sink { show($0) }
    words.send("swift")
    time.advance(by: .milliseconds(500))
    words.send("swift streams")
    try expectInArticle("Reading the tree", pages)
  }

  @Test func `a connectable publisher that nobody connects`() throws {
    let sensor = PassthroughSubject<Double, Never>()
    let readings = sensor.filter { $0 > -273 }.makeConnectable()
    let display = readings.map { "\($0) °C" }.sink { show($0) }
    sensor.send(21)
    try expectInArticle("A forgotten connect", display)
  }

  @Test func `zip with a silent side`() throws {
    let amounts = PassthroughSubject<Int, Never>()
    let coupons = PassthroughSubject<Int, Never>()
    let totals = amounts.zip(coupons.map { min($0, 100) })
      .map { $0 * (100 - $1) / 100 }
      .sink { show($0) }
    amounts.send(20)
    amounts.send(35)
    try expectInArticle("A zip with a silent side", totals)
  }

  @Test func `another scheduler is advanced`() throws {
    let main = DispatchQueue.test
    let background = DispatchQueue.test
    let queries = PassthroughSubject<String, Never>()
    let searches = queries.removeDuplicates()
      .debounce(for: .milliseconds(300), scheduler: background)
      .sink { show($0) }
    queries.send("swift")
    main.advance(by: .seconds(1))
    try expectInArticle("The wrong scheduler", searches)
  }

  @Test func `flatMap that is full`() throws {
    let progress = PassthroughSubject<Double, Never>()
    let uploads = ["a.jpg", "b.jpg"].publisher
      .flatMap(maxPublishers: .max(1)) { file in progress.filter { $0 == 1 }.map { _ in file } }
      .sink { show($0) }
    progress.send(0.5)
    progress.send(1)
    try expectInArticle("A flatMap that is full", uploads)
  }

  @Test func `inner publishers that are superseded`() throws {
    let scheduler = DispatchQueue.test
    let prices = scheduler.timerPublisher(every: .seconds(1)).autoconnect()
      .map { _ in Just(42).delay(for: .seconds(2), scheduler: scheduler) }
      .switchToLatest()
      .sink { show($0) }
    scheduler.advance(by: .seconds(10))
    try expectInArticle("A switchToLatest that is always superseded", prices)
  }

  @Test func `a cycle through a bounded subject`() throws {
    struct JobEvent {
      let job: Int
      let isEnd: Bool
    }

    let events = BoundedSubject<JobEvent, Never>(bounded: 2)
    let ended = events.filter { !$0.isEnd }
      .flatMap(maxPublishers: .max(1)) { start in events.first { $0.isEnd && $0.job == start.job } }
      .sink { show($0.job) }
    for job in 1...3 { _ = events.offer(JobEvent(job: job, isEnd: false)) }
    let isAccepted = events.offer(JobEvent(job: 1, isEnd: true))
    #expect(!isAccepted)
    try expectInArticle("A cycle through a BoundedSubject", ended)
  }

  @Test func `the adapter for logging handles all events`() throws {
    func startLogging() {
      let logger = Logger(label: "streams")
      StreamInspector.start(lints: .init()) { event in
        switch event.kind {
        case .began: logger.trace("stream began", metadata: ["place": "\(event.place ?? "?")"])
        case .ended(let received, _): logger.trace("stream ended", metadata: ["received": "\(received)"])
        case .found(let finding): logger.warning("\(finding.text)")
        case .lost(let count): logger.debug("\(count) events were lost")
        }
      }
    }

    // Compiled, and not called: other tests are not to be observed.
    _ = startLogging
    let section = try section("Events and lints", of: "InspectingInProduction")
    try expectCode(of: section.block("text").map { $0.drop { $0 != "\n" } })
  }

  /// What a program does with a value.
  private func show(_ value: Any) {}

  /// Expects that a section of the article "Inspecting live streams" has the code of this file, and the text that it prints.
  private func expectInArticle(
    _ title: String, _ cancellable: AnyCancellable, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let inspection = cancellable.inspection
    cancellable.cancel()
    let section = try section(title)
    try expectCode(of: section.block("swift"), sourceLocation: sourceLocation)
    // The diagnosis is one line, which the article breaks.
    let printed = try #require(section.block("text"), sourceLocation: sourceLocation).split(separator: "\n\n")
    #expect(printed.first.map(String.init) == "\(inspection)", sourceLocation: sourceLocation)
    let diagnosis = printed.last?.split(separator: "\n").joined(separator: " ")
    #expect(diagnosis == inspection.diagnosis, sourceLocation: sourceLocation)
  }

  /// Expects that each line of a block of an article is one of this file.
  private func expectCode(of block: Substring?, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let code = Set(try text(of: #filePath).split(separator: "\n").map(\.trimmed))
    for line in try #require(block, sourceLocation: sourceLocation).split(separator: "\n") {
      #expect(code.contains(line.trimmed), sourceLocation: sourceLocation)
    }
  }

  /// Returns the section of an article below a heading of the second or third level.
  private func section(_ title: String, of article: String = "InspectingLiveStreams") throws -> Section {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
    let file = "Sources/StreamInspection/StreamInspection.docc/\(article).md"
    let sections = try text(of: root.appendingPathComponent(file).path)
      .replacingOccurrences(of: "\n### ", with: "\n## ").components(separatedBy: "\n## ")
    return Section(text: try #require(sections.first { $0.hasPrefix(title + "\n") }, "no section \(title)"))
  }

  private func text(of file: String) throws -> String { try String(contentsOfFile: file, encoding: .utf8) }
}

/// What the adapter of the article uses of swift-log, which the package does not depend on.
private struct Logger {
  let label: String
  func trace(_ message: String, metadata: [String: String]) {}
  func debug(_ message: String) {}
  func warning(_ message: String) {}
}

/// A section of an article.
private struct Section {
  let text: String

  /// Returns the first block of code in a language.
  func block(_ language: String) -> Substring? {
    guard let start = text.range(of: "```\(language)\n"),
      let end = text[start.upperBound...].range(of: "\n```")
    else { return nil }
    return text[start.upperBound..<end.lowerBound]
  }
}

extension Substring {
  fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }
}
