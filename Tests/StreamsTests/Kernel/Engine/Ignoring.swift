import Streams

/// A subscriber of an engine whose transitions a test makes itself.
struct Ignoring: Subscriber {
  let combineIdentifier = CombineIdentifier()

  func receive(subscription: any Subscription) {}
  func receive(_ input: Int) -> Subscribers.Demand { .none }
  func receive(completion: Subscribers.Completion<Never>) {}
}

extension Engine {
  /// The names of the objects that a transition acts upon, in order.
  func names(_ change: (inout Reaction) -> Void) -> [String] {
    var reaction = Reaction(self, .free)
    change(&reaction)
    let actions = actions.take()
    return ([actions.first] + actions.others).compactMap { action in
      switch action {
      case .request(let subscription, let demand): "request \(demand.max ?? -1) from \(subscription)"
      case .cancel(let subscription): "cancel \(subscription)"
      case .release(let object): "release \(object)"
      default: nil
      }
    }
  }
}
