import Streams

@MainActor
final class JobModel: ObservableObject {
  @Published private(set) var rows = 0
  @Published private(set) var status = "waiting"
}
