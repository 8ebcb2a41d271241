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
