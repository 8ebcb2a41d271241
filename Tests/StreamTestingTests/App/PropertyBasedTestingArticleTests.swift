import Dispatch
import Foundation
import StreamAlgorithms
import StreamTesting
import Testing

/// The failure that the article shows is the one that its code has.
@Suite struct PropertyBasedTestingArticleTests {
  private final class PageSearch: ObservableObject {
    @Published private(set) var shown: String?
    private var cancellables: Set<AnyCancellable> = []

    init(
      typing: some Publisher<String, Never>, scheduler: AnySchedulerOf<DispatchQueue>,
      find: @escaping (String) -> AnyPublisher<String, Never>
    ) {
      typing
        .debounce(for: .milliseconds(300), scheduler: scheduler)
        .flatMap { find($0) }
        .sink(with: self) { model, page in model.shown = page }
        .store(in: &cancellables)
    }
  }

  // The name is that of the test in the article, which the failure contains.
  @Test func thePageForTheLastTextIsShown() async throws {
    let issues = try await recorded {
      checkTimelines(of: .letters.ending(.never), .delays) { scheduler, typing, delays in
        let model = PageSearch(typing: typing, scheduler: scheduler.eraseToAnyScheduler()) { text in
          Just("page of \(text)").delay(for: delays.next(), scheduler: scheduler)
            .eraseToAnyPublisher()
        }
        scheduler.run()

        let last = typing.events.compactMap(\.value).last
        #expect(model.shown == last.map { "page of \($0)" })
      }
    }
    let issue = try #require(issues.first)
    #expect(try article().contains("```text\n\(issue.kind)\n\(issue.comments.map(\.rawValue).joined())\n```"))
  }

  @Test func theLastLetterIsShown() {
    checkAllTimelines(of: .letters.ending(.never)) { scheduler, letters in
      let shown = scheduler.record(
        letters.throttle(for: .milliseconds(20), scheduler: scheduler, latest: true))
      scheduler.run()
      #expect(shown.values.last == letters.events.last?.value)
      shown.cancel()
    }
  }

  private func article() throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
    return try String(
      contentsOf: root.appendingPathComponent("Sources/StreamTesting/StreamTesting.docc/PropertyBasedTesting.md"),
      encoding: .utf8)
  }
}
