/// A few effects, in order. A single effect needs no allocation.
@usableFromInline
struct Effects: ~Copyable {
  /// An action of an engine upstream. No others exist.
  struct Effect {
    enum Kind {
      /// There is nothing to do.
      case none
      /// Requests the demand from the subscription.
      case request
      /// Cancels the subscription.
      case cancel
      /// Releases the subscription outside the lock.
      case release
    }

    var upstream: SubscriptionObject?
    var demand = Subscribers.Demand.none
    var kind = Kind.none
  }

  // Not an optional, which would be accessed through functions that are looked up at run time.
  private var first = Effect()
  private var others = Ring<Effect>()

  /// The subscription of a source that has ended, which only needs to be released outside the lock. It is not an
  /// effect, because there is nothing to do.
  var released: SubscriptionObject?

  private(set) var isEmpty = true

  private mutating func append(_ effect: consuming Effect) {
    if isEmpty {
      first = effect
      isEmpty = false
    } else {
      others.append(effect)
    }
  }

  mutating func request(_ demand: Subscribers.Demand, from subscription: SubscriptionObject?) {
    guard let subscription, demand != .none else { return }
    append(Effect(upstream: subscription, demand: demand, kind: .request))
  }

  mutating func cancel(_ subscription: consuming SubscriptionObject?) {
    if subscription != nil { append(Effect(upstream: subscription, kind: .cancel)) }
  }

  mutating func release(_ subscription: consuming SubscriptionObject?) {
    if subscription != nil { append(Effect(upstream: subscription, kind: .release)) }
  }

  /// Removes and returns the next effect, or an effect of the kind `none` if there is none.
  mutating func next() -> Effect {
    var effect = Effect()
    if isEmpty { return effect }
    swap(&effect, &first)
    if effect.kind == .none { effect = others.removeExistingFirst() }
    if others.isEmpty { isEmpty = true }
    return effect
  }
}
