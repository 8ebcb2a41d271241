// Search while the user types: the work of a real app in one file.
//
//     swift run IncrementalSearch          replays typing in virtual time, and ends at once
//     swift run IncrementalSearch --live   searches the files below this folder for the lines you type
//
// `SearchViewModel` is what an app would have. It waits until the user has stopped typing, drops a search that a newer
// one supersedes, and never asks which time it works with: the app gives it the main queue, and a test gives it a
// scheduler whose time it moves by hand. `Replay` does what a test does; `Live` is the app.

import Dispatch
import Foundation
import StreamSchedulers
import Streams

// snippet.SearchViewModel
/// Finds what a text leads to. An app asks a server or a disk; a test answers by itself.
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
      .handleEvents(receiveOutput: { [weak self] query in self?.isLoading = !query.isEmpty })
      .map { query in
        // Here and not below `switchToLatest`: an answer that still waits for the scheduler is superseded as well.
        query.isEmpty
          ? Just([]).eraseToAnyPublisher()
          : client.search(query).receive(on: scheduler).eraseToAnyPublisher()
      }
      .switchToLatest()
      .sink { [weak self] results in
        self?.results = results
        self?.isLoading = false
      }
      .store(in: &cancellables)
  }
}
// snippet.end

// MARK: - Virtual time

/// Types a script into the view model, in a time that passes only when it is moved on.
enum Replay {
  static let script = [
    (0, "s"), (120, "st"), (240, "str"),  // A search starts 300 ms after the last of these.
    (700, "stri"),  // This one starts before that is answered.
    (1800, "strin"), (1900, "stri"),  // A slip, taken back in time: there is nothing new to search for.
    (2500, ""),
    (3000, "sub"),
  ]

  static let words = ["stream", "strict", "stride", "string", "struct", "subject", "subscriber", "switch"]

  static func run() {
    let scheduler = DispatchQueue.test
    let start = scheduler.now

    func log(_ text: String) {
      let milliseconds = start.distance(to: scheduler.now).magnitude / 1_000_000
      print(String(repeating: " ", count: max(0, 5 - "\(milliseconds)".count)) + "\(milliseconds) ms  \(text)")
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
      }
    }
    scheduler.run()
    printing.cancel()
  }
}

// MARK: - Real time

/// Searches files for the lines that come in on standard input.
enum Live {
  static func run() -> Never {
    let files = FileSearch(folder: URL(fileURLWithPath: FileManager.default.currentDirectoryPath))
    var searched = ""
    let client = SearchClient { query in
      searched = query
      return files.lines(containing: query)
        .handleEvents(receiveCancel: { printError("  search for \"\(query)\" is superseded") })
        .eraseToAnyPublisher()
    }
    let model = SearchViewModel(client: client)
    var cancellables: Set<AnyCancellable> = []

    files.progress
      .throttle(for: .milliseconds(200), scheduler: DispatchQueue.main, latest: true)
      .filter { _ in model.isLoading }
      .sink { printError("  \($0)") }
      .store(in: &cancellables)

    model.$results.dropFirst()
      .sink { results in
        guard !model.query.isEmpty else { return }
        print("\"\(searched)\": \(results.count) \(results.count == 1 ? "line" : "lines")")
        for line in results.prefix(10) { print("  \(line)") }
        if results.count > 10 { print("  and \(results.count - 10) more") }
        fflush(nil)
      }
      .store(in: &cancellables)

    // The program ends when there is no more input and the last line has its answer.
    var inputHasEnded = false
    func exitIfDone() {
      let isAnswered = !model.isLoading && model.query == searched
      if inputHasEnded, isAnswered || model.query.isEmpty { exit(0) }
    }

    model.$isLoading
      .receive(on: DispatchQueue.main)
      .sink { _ in exitIfDone() }
      .store(in: &cancellables)

    AnySequence { AnyIterator { readLine() } }.publisher
      .subscribe(on: DispatchQueue(label: "input"))
      .receive(on: DispatchQueue.main)
      .sink(
        receiveCompletion: { _ in
          inputHasEnded = true
          exitIfDone()
        },
        receiveValue: { model.query = $0 }
      )
      .store(in: &cancellables)

    printError("Type what to search for below \(files.folder.path); end with Control-D.")
    withExtendedLifetime(cancellables) { dispatchMain() }
  }
}

/// Searches the text files below a folder, in the background.
struct FileSearch {
  let folder: URL
  let progress = PassthroughSubject<String, Never>()
  private let queue = DispatchQueue(label: "files")

  init(folder: URL) { self.folder = folder }

  /// The lines that contain a text, all at once. When it is cancelled, it stops after the file it is at.
  func lines(containing text: String) -> AnyPublisher<[String], Never> {
    Just(folder)
      .receive(on: queue)
      .flatMap { textFiles(below: $0).publisher }
      .scan((count: 0, file: folder)) { (count: $0.count + 1, file: $1) }
      .handleEvents(receiveOutput: { progress.send("searching for \"\(text)\", files so far: \($0.count)") })
      .flatMap { lines(in: $0.file, containing: text).publisher }
      .collect()
      .eraseToAnyPublisher()
  }

  /// The files that may hold text: not hidden, and not huge. The folder is walked through as they are asked for.
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
    // What cannot be read, or is not text, has no lines.
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

switch Array(CommandLine.arguments.dropFirst()) {
case []: Replay.run()
case ["--live"]: Live.run()
default:
  printError("usage: IncrementalSearch [--live]")
  exit(2)
}
