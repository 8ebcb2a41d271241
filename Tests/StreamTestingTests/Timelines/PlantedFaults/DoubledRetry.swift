import Dispatch
import StreamAlgorithms
import StreamSchedulers
import Streams

/// Sends messages, and sends one again if it has not been confirmed within a second.
private final class OutboxModel: ObservableObject {
  @Published private(set) var confirmed: [String] = []

  private let client: (String) -> AnyPublisher<Void, Never>
  private let scheduler: AnySchedulerOf<DispatchQueue>
  private let isFaulty: Bool
  private var requests: [Int: AnyCancellable] = [:]
  private var timers: [Int: any Cancellable] = [:]
  private var requestCount = 0

  init(
    client: @escaping (String) -> AnyPublisher<Void, Never>, scheduler: AnySchedulerOf<DispatchQueue>, isFaulty: Bool
  ) {
    self.client = client
    self.scheduler = scheduler
    self.isFaulty = isFaulty
  }

  func post(_ message: String) { send(message, attempt: 1) }

  private func send(_ message: String, attempt: Int) {
    requestCount += 1
    let number = requestCount
    requests[number] = client(message).sink(with: self) { model, _ in
      model.timers[number]?.cancel()
      model.confirmed.append(message)
    }
    // The third attempt takes as long as it takes.
    guard attempt < 3 else { return }
    let date = scheduler.now.advanced(by: .seconds(1))
    timers[number] = scheduler.scheduleOnce(after: date, tolerance: .zero, options: nil) { [weak self] in
      guard let self else { return }
      // The fault: the first request goes on beside the second one.
      if !isFaulty { requests[number] = nil }
      send(message, attempt: attempt + 1)
    }
  }
}

extension PlantedFault {
  /// Shown by `a` with answers that take 1.5 s and then 200 ms.
  static var doubledRetry: Self {
    PlantedFault("the retry that sends a message twice") { isFaulty in
      .lettersAndDelays { letters, nextDelay, scheduler in
        let model = OutboxModel(
          client: { _ in Just(()).delay(for: nextDelay(), scheduler: scheduler).eraseToAnyPublisher() },
          scheduler: scheduler.eraseToAnyScheduler(), isFaulty: isFaulty)
        let posting = letters.sink { model.post($0) }
        scheduler.run(keeping: posting)
        try claim(
          model.confirmed.sorted(), equals: letters.sent.map(\.value).sorted(), "each message is confirmed once")
      }
    }
  }
}
