import StreamAlgorithms
import Streams

@MainActor
final class JobModel: ObservableObject {
  @Published private(set) var rows = 0
  @Published private(set) var status = "waiting"
  private var cancellables: Set<AnyCancellable> = []

  init(reports: some Publisher<Int, Never>) {
    reports
      .sink(with: self) { job, count in job.rows += count }
      .store(in: &cancellables)
  }
}
