import Streams

/// A subscriber that records the signals that it receives, and may react while it receives them.
final class ProbeSubscriber: Subscriber {
  typealias Input = String
  typealias Failure = ContractError

  /// `subscription`, the values, and `finished` or `failed`.
  private(set) var events: [String] = []
  private(set) var subscription: (any Subscription)?
  private(set) var hasOverlapped = false
  private(set) var deepestStack = 0
  private var isReceiving = false
  private var topOfStack: Int?

  var onSubscription: (any Subscription) -> Void = { _ in }
  var onValue: (any Subscription) -> Subscribers.Demand = { _ in .none }
  var onCompletion: () -> Void = {}

  /// Present in the last subscriber of a chain that forwards the subscription of its source.
  private let link: UpstreamLink?

  init(endsChain: Bool = false) { link = endsChain ? UpstreamLink() : nil }

  /// The values: everything received except the subscription and the completion.
  var values: [String] { events.filter { $0 != "subscription" && $0 != "finished" && $0 != "failed" } }

  /// Indicates whether the stream has ended.
  var hasEnded: Bool { events.contains("finished") || events.contains("failed") }

  func receive(subscription: any Subscription) {
    if let link, !link.connect(subscription) { return }
    events.append("subscription")
    let subscription = link ?? subscription
    if self.subscription == nil { self.subscription = subscription }
    // Values that are requested here may arrive at once.
    onSubscription(subscription)
  }

  func receive(_ input: String) -> Subscribers.Demand {
    if let link, !link.isForwarding { return .none }
    events.append(input)
    noteStack()
    guard let subscription else { return .none }
    return serially { onValue(subscription) }
  }

  func receive(completion: Subscribers.Completion<ContractError>) {
    if let link, !link.finish() { return }
    events.append(completion == .finished ? "finished" : "failed")
    serially { onCompletion() }
  }

  private func serially<Result>(_ body: () -> Result) -> Result {
    if isReceiving { hasOverlapped = true }
    isReceiving = true
    defer { isReceiving = false }
    return body()
  }

  private func noteStack() {
    var marker = 0
    let address = withUnsafeMutablePointer(to: &marker) { Int(bitPattern: $0) }
    if let topOfStack { deepestStack = max(deepestStack, abs(topOfStack - address)) } else { topOfStack = address }
  }
}
