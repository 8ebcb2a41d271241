import Dispatch
import StreamAlgorithms
import StreamSchedulers
import Streams

@MainActor
final class JobModel: ObservableObject {
  @Published private(set) var rows = 0
  @Published private(set) var status = "waiting"
  private var cancellables: Set<AnyCancellable> = []

  init(
    reports: some Publisher<Int, Never>,
    scheduler: AnySchedulerOf<DispatchQueue> = .main
  ) {
    reports
      .sink(with: self) { job, count in job.rows += count }
      .store(in: &cancellables)

    reports
      .map { _ in "running" }
      .merge(with: reports.debounce(for: .seconds(2), scheduler: scheduler).map { _ in "stalled" })
      .removeDuplicates()
      .assign(to: &$status)
  }
}
