// Search while the user types, with plain tasks: the asynchronous counterpart of IncrementalSearch.
//
//     swift run AsyncIncrementalSearch     replays typing in virtual time, and ends immediately
//
// `AsyncSearchViewModel` is a view model as in an app: it belongs to the main actor, starts plain tasks, and sleeps on the
// clock that is passed to it. In a virtual world, its tasks run when the program advances time, without a single `await`.

import Dispatch
import StreamSchedulers
import StreamTesting
import Streams

// snippet.AsyncSearchViewModel
/// Searches while the user types, with plain tasks and a clock that is passed in.
@MainActor
final class AsyncSearchViewModel {
  var query = "" {
    didSet { queryDidChange() }
  }
  private(set) var isLoading = false
  private(set) var results: [String] = []

  private let search: @Sendable (String) async throws -> [String]
  private let clock: any Clock<Duration>
  private var searched = ""
  private var task: Task<Void, Never>?

  init(clock: any Clock<Duration> = ContinuousClock(), search: @escaping @Sendable (String) async throws -> [String]) {
    self.clock = clock
    self.search = search
  }

  private func queryDidChange() {
    task?.cancel()
    task = Task { [weak self, clock, query] in
      try? await clock.sleep(for: .milliseconds(300))
      await self?.queryDidSettle(query)
    }
  }

  private func queryDidSettle(_ query: String) async {
    guard !Task.isCancelled, query != searched else { return }
    searched = query
    isLoading = !query.isEmpty
    let found = query.isEmpty ? [] : try? await search(query)
    // Checked after the search: an answer that arrives after a newer search has started is superseded.
    guard !Task.isCancelled else { return }
    isLoading = false
    if let found { results = found }
  }
}
// snippet.end

/// Types a script into the view model, in virtual time.
@MainActor
func replay() {
  let scheduler = DispatchQueue.test
  let words = ["stream", "strict", "stride", "string", "struct", "subject", "subscriber", "switch"]
  let script = [(0, "s"), (120, "st"), (240, "str"), (700, "stri"), (2000, ""), (2500, "sub")]

  scheduler.withVirtualWorld {
    let model = AsyncSearchViewModel(clock: scheduler.clock) { query in
      try await scheduler.clock.sleep(for: .milliseconds(600))
      return words.filter { $0.hasPrefix(query) }
    }
    for (milliseconds, text) in script {
      scheduler.schedule(after: scheduler.now.advanced(by: .milliseconds(milliseconds))) {
        MainActor.assumeIsolated { model.query = text }
      }
    }
    var shown: [String] = []
    for step in 0..<40 {
      scheduler.advance(by: step == 0 ? 0 : .milliseconds(100))
      guard model.results != shown else { continue }
      shown = model.results
      print("\(step * 100) ms  \"\(model.query)\": \(shown.isEmpty ? "nothing" : shown.joined(separator: ", "))")
    }
  }
}

MainActor.assumeIsolated { replay() }
