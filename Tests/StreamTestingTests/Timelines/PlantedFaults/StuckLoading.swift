import Dispatch
import StreamAlgorithms
import StreamSchedulers
import Streams

private final class ProfileModel: ObservableObject {
  @Published private(set) var isLoading = false
  @Published private(set) var profile: String?

  private let selections = PassthroughSubject<String, Never>()
  private var cancellables: Set<AnyCancellable> = []
  private var requestCount = 0 { didSet { isLoading = requestCount > 0 } }

  init(load: @escaping (String) -> AnyPublisher<String, Never>, isFaulty: Bool) {
    selections
      .map { [weak self] name in
        load(name).handleEvents(
          receiveSubscription: { _ in self?.requestCount += 1 },
          receiveCompletion: { _ in self?.requestCount -= 1 },
          // The fault: a request that is superseded is never subtracted.
          receiveCancel: { if !isFaulty { self?.requestCount -= 1 } })
      }
      .switchToLatest()
      .sink(with: self) { model, profile in model.profile = profile }
      .store(in: &cancellables)
  }

  func select(_ name: String) { selections.send(name) }
}

extension PlantedFault {
  /// Shown by `a`, whose answer takes 500 ms, and `b` before it has arrived.
  static var stuckLoading: Self {
    PlantedFault("the loading flag that stays when a request is superseded") { isFaulty in
      .lettersAndDelays { letters, nextDelay, scheduler in
        let model = ProfileModel(
          load: { name in
            Just("profile of \(name)").delay(for: nextDelay(), scheduler: scheduler).eraseToAnyPublisher()
          },
          isFaulty: isFaulty)
        var isLoadingAfterSelection = true
        let selecting = letters.sink { name in
          model.select(name)
          if !model.isLoading { isLoadingAfterSelection = false }
        }
        scheduler.run(keeping: selecting)
        try claim(isLoadingAfterSelection, "a selection does not start loading")
        try claim(!model.isLoading, "at rest, the model is loading")
        try claim(
          model.profile == letters.sent.last.map { "profile of \($0.value)" },
          "at rest, the profile is \(model.profile ?? "none")")
      }
    }
  }
}
