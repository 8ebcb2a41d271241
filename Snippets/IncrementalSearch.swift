// Search while the user types: the work of a real app in one file.
//
//     swift run IncrementalSearch          replays typing in virtual time, and ends immediately
//     swift run IncrementalSearch --inspect   also prints the state of the streams as values come
//     swift run IncrementalSearch --live   searches the files below this folder for the lines you type
//     swift run IncrementalSearch --live 'https://example.org/search?q={query}'   asks a server, which answers with
//                                          lines of text, or with a JSON array of strings
//     swift run IncrementalSearch --live --record typed.jsonl   also records what you type, with the times
//
// `SearchViewModel` is a view model as in an app. It waits until the user has stopped typing, drops a search that a newer
// one supersedes, and works with any scheduler: the app passes the main queue, and a test passes a scheduler whose time
// it advances. `Replay` drives the view model as a test does; `Live` is the app. A test that imports `StreamTesting`
// replays a recording: `scheduler.hot(replaying: file, of: String.self)`.

import Dispatch
import Foundation
import StreamAlgorithms
import StreamFoundation
import StreamInspection

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// snippet.SearchViewModel
/// Finds the results for a text. An app asks a server or reads files; a test answers by itself.
struct SearchClient {
  var search: (String) -> AnyPublisher<[String], Never>
}

final class SearchViewModel: ObservableObject {
  @Published var query = ""
  @Published private(set) var isLoading = false
  @Published private(set) var results: [String] = []

  private var cancellables: Set<AnyCancellable> = []

  init(client: SearchClient, scheduler: AnySchedulerOf<DispatchQueue> = .main) {
    $query
      .debounce(for: .milliseconds(300), scheduler: scheduler)
      .removeDuplicates()
      .map { query -> AnyPublisher<PublisherPhase<[String], Never>, Never> in
        guard !query.isEmpty else { return Just(.success([])).eraseToAnyPublisher() }
        // Not below `switchToLatest`: this way, an answer that still waits for the scheduler is superseded as well.
        return client.search(query).receive(on: scheduler).mapToPhase().eraseToAnyPublisher()
      }
      .switchToLatest()
      .sink(with: self) { model, phase in
        if let results = phase.value { model.results = results }
        model.isLoading = phase.isLoading
      }
      .store(in: &cancellables)
  }
}
// snippet.end

// MARK: - Virtual time

/// Types a script into the view model, in virtual time.
enum Replay {
  static let script = [
    (0, "s"), (120, "st"), (240, "str"),  // A search starts 300 ms after the last of these.
    (700, "stri"),  // This one starts before that is answered.
    (1800, "strin"), (1900, "stri"),  // A typing error, corrected in time: no new search starts.
    (2500, ""),
    (3000, "sub"),
  ]

  static let words = ["stream", "strict", "stride", "string", "struct", "subject", "subscriber", "switch"]

  /// Plays the script; prints what the streams of the model are doing at each step if that is asked for.
  static func run(inspects: Bool = false) {
    if inspects { StreamInspector.start() }
    let scheduler = DispatchQueue.test
    let start = scheduler.now

    func log(_ text: String) {
      let milliseconds = start.distance(to: scheduler.now).magnitude / 1_000_000
      print(String(repeating: " ", count: max(0, 5 - "\(milliseconds)".count)) + "\(milliseconds) ms  \(text)")
    }

    func inspect() {
      for inspection in StreamInspector.inspections {
        for line in inspection.description.split(separator: "\n") { print("          \(line)") }
      }
    }

    let client = SearchClient { query in
      Just(words.filter { $0.hasPrefix(query) })
        .delay(for: .milliseconds(600), scheduler: scheduler)
        .handleEvents(
          receiveSubscription: { _ in log("  search for \"\(query)\" starts") },
          receiveCancel: { log("  search for \"\(query)\" is superseded") }
        )
        .eraseToAnyPublisher()
    }
    let model = SearchViewModel(client: client, scheduler: scheduler.eraseToAnyScheduler())

    let printing = model.$results.dropFirst().sink { results in
      log("  " + (results.isEmpty ? "nothing to show" : "answer: " + results.joined(separator: ", ")))
    }

    for (milliseconds, text) in script {
      scheduler.schedule(after: start.advanced(by: .milliseconds(milliseconds))) {
        log("typed \"\(text)\"")
        model.query = text
        if inspects { inspect() }
      }
    }
    scheduler.run()
    if inspects { inspect() }
    printing.cancel()
  }
}

// MARK: - Real time

/// Searches for the lines that come in on standard input.
enum Live {
  /// Runs the app, and records the lines to a file if there is one.
  static func run(_ place: any Searchable, recordingTo file: URL?) -> Never {
    var searched = ""
    var failure: String?
    let client = SearchClient { query in
      searched = query
      failure = nil
      return place.lines(containing: query)
        .handleEvents(receiveCancel: { printError("  search for \"\(query)\" is superseded") })
        .receive(on: DispatchQueue.main)
        .catch { error in
          // A failed search has no results; the next one may succeed.
          failure = error.localizedDescription
          return Just([String]())
        }
        .eraseToAnyPublisher()
    }
    let model = SearchViewModel(client: client)
    var cancellables: Set<AnyCancellable> = []

    place.progress
      .throttle(for: .milliseconds(200), scheduler: DispatchQueue.main, latest: true)
      .filter { _ in model.isLoading }
      .sink { printError("  \($0)") }
      .store(in: &cancellables)

    model.$results.dropFirst()
      .sink { results in
        guard !model.query.isEmpty else { return }
        print("\"\(searched)\": \(failure ?? "\(results.count) \(results.count == 1 ? "line" : "lines")")")
        for line in results.prefix(10) { print("  \(line)") }
        if results.count > 10 { print("  and \(results.count - 10) more") }
        fflush(nil)
      }
      .store(in: &cancellables)

    // The program ends after the last line of input has been answered.
    var inputHasEnded = false
    func exitIfDone() {
      let isAnswered = !model.isLoading && model.query == searched
      if inputHasEnded, isAnswered || model.query.isEmpty { exit(0) }
    }

    model.$isLoading
      .receive(on: DispatchQueue.main)
      .sink { _ in exitIfDone() }
      .store(in: &cancellables)

    var typed = FileHandle.standardInput.linePublisher().receive(on: DispatchQueue.main).eraseToAnyPublisher()
    if let file { typed = typed.recordTimeline(to: file, title: "typed queries").eraseToAnyPublisher() }
    typed
      .sink(
        receiveCompletion: { completion in
          if case .failure(let error) = completion { printError("\(error)") }
          inputHasEnded = true
          exitIfDone()
        },
        receiveValue: { model.query = $0 }
      )
      .store(in: &cancellables)

    printError("Type a text to search for \(place.name), or Control-D to end.")
    withExtendedLifetime(cancellables) { dispatchMain() }
  }
}

/// A place that can be searched.
protocol Searchable {
  var name: String { get }

  /// Messages about the progress of a search.
  var progress: PassthroughSubject<String, Never> { get }

  /// Publishes the lines that contain a text, as one array.
  func lines(containing text: String) -> AnyPublisher<[String], any Error>
}

/// A server that answers searches.
struct ServerSearch: Searchable {
  let progress = PassthroughSubject<String, Never>()
  private let template: String

  /// Creates a search from a URL in which `{query}` stands for the text; returns nil for any other text.
  init?(template: String) {
    self.template = template
    guard template.contains("{query}"), url(for: "text")?.scheme?.hasPrefix("http") == true else { return nil }
  }

  var name: String { "at \(template)" }

  func lines(containing text: String) -> AnyPublisher<[String], any Error> {
    guard let url = url(for: text) else { return Fail(error: URLError(.badURL)).eraseToAnyPublisher() }
    return URLSession.shared.dataTaskPublisher(for: url)
      .tryMap { answer in
        let status = (answer.response as? HTTPURLResponse)?.statusCode ?? 200
        guard 200..<300 ~= status else { throw Refusal(status: status) }
        return lines(in: answer.data)
      }
      .eraseToAnyPublisher()
  }

  private func url(for text: String) -> URL? {
    let allowed = CharacterSet.urlQueryAllowed.subtracting(CharacterSet(charactersIn: "&+;="))
    guard let query = text.addingPercentEncoding(withAllowedCharacters: allowed) else { return nil }
    return URL(string: template.replacingOccurrences(of: "{query}", with: query))
  }

  private func lines(in answer: Data) -> [String] {
    if let lines = try? JSONDecoder().decode([String].self, from: answer) { return lines }
    return String(decoding: answer, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
  }

  /// The failure of a request with an unsuccessful status.
  private struct Refusal: LocalizedError {
    let status: Int

    var errorDescription: String? { "the server answered with status \(status)" }
  }
}

/// The text files below a folder, searched in the background.
struct FileSearch: Searchable {
  let folder: URL
  let progress = PassthroughSubject<String, Never>()
  private let queue = DispatchQueue(label: "files")

  init(folder: URL) { self.folder = folder }

  var name: String { "below \(folder.path)" }

  /// Cancellation stops the search after the current file.
  func lines(containing text: String) -> AnyPublisher<[String], any Error> {
    Just(folder)
      .receive(on: queue)
      .flatMap { textFiles(below: $0).publisher }
      .scan((count: 0, file: folder)) { (count: $0.count + 1, file: $1) }
      .handleEvents(receiveOutput: { progress.send("searching for \"\(text)\", files so far: \($0.count)") })
      .flatMap { lines(in: $0.file, containing: text).publisher }
      .collect()
      .setFailureType(to: (any Error).self)
      .eraseToAnyPublisher()
  }

  /// The files that may contain text: neither hidden nor huge. The folder is enumerated lazily.
  private func textFiles(below folder: URL) -> some Sequence<URL> {
    let keys: [URLResourceKey] = [.isRegularFileKey, .fileSizeKey]
    let enumerator = FileManager.default.enumerator(
      at: folder, includingPropertiesForKeys: keys, options: [.skipsHiddenFiles])
    return AnySequence {
      AnyIterator {
        while let file = enumerator?.nextObject() as? URL {
          let values = try? file.resourceValues(forKeys: Set(keys))
          if values?.isRegularFile == true, let size = values?.fileSize, size < 1_000_000 { return file }
        }
        return nil
      }
    }
  }

  private func lines(in file: URL, containing text: String) -> [String] {
    // Files that cannot be read, or are not text, have no lines.
    guard let data = try? Data(contentsOf: file), !data.prefix(8000).contains(0),
      let content = String(data: data, encoding: .utf8), content.contains(text)
    else { return [] }
    let path = file.path.dropFirst(folder.path.count).drop { $0 == "/" }
    return content.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
      .filter { $0.element.contains(text) }
      .map { "\(path):\($0.offset + 1): \($0.element.trimmingCharacters(in: .whitespaces))" }
  }
}

func printError(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

// MARK: - Start

var arguments = Array(CommandLine.arguments.dropFirst())
var recording: URL?
if let option = arguments.firstIndex(of: "--record"), option > 0, option + 1 < arguments.count {
  recording = URL(fileURLWithPath: arguments[option + 1])
  arguments.removeSubrange(option...option + 1)
}
switch (arguments.first, arguments.dropFirst().first) {
case (nil, _): Replay.run()
case ("--inspect", nil): Replay.run(inspects: true)
case ("--live", nil):
  Live.run(
    FileSearch(folder: URL(fileURLWithPath: FileManager.default.currentDirectoryPath)), recordingTo: recording)
case ("--live", let template?):
  guard let server = ServerSearch(template: template) else { fallthrough }
  Live.run(server, recordingTo: recording)
default:
  printError("usage: IncrementalSearch [--inspect | --live ['http://host/search?q={query}'] [--record file]]")
  exit(2)
}
