// What `print` calls a subscription. The subscriptions of the kernel know nothing of their operators, so that they take no
// memory for a name; the publisher is asked instead, when somebody prints.

/// What the subscription of a publisher is called.
@usableFromInline
struct SubscriptionName: ExpressibleByStringInterpolation {
  let text: String

  /// Whether it is called that even if it describes itself: here some operators pass on a subscription that is hidden behind
  /// one of the operator's own in Combine.
  var hidesDescription = false

  @usableFromInline
  init(stringLiteral text: String) { self.text = text }

  /// What the subscription of a publisher is called.
  @usableFromInline
  init<P: Publisher>(of publisher: P) {
    self = (publisher as? any SubscriptionNaming)?.subscriptionName ?? SubscriptionName(ofKind: P.self)
  }

  /// The same, as far as the type of the publisher tells: its name, if there is no other.
  init(ofKind kind: Any.Type) {
    self = (kind as? any SubscriptionNaming.Type)?.subscriptionName ?? "\("\(kind)".prefix { $0 != "<" })"
  }

  /// The description of a subscription, or this if it has none.
  @usableFromInline
  func description(of subscription: any Subscription) -> String {
    hidesDescription || subscription is any AnonymousSubscription ? text : "\(subscription)"
  }
}

/// A publisher whose subscription does not go by the name of the publisher's type.
protocol SubscriptionNaming {
  var subscriptionName: SubscriptionName { get }

  /// The same, as far as the type tells: for a publisher that does not exist yet.
  static var subscriptionName: SubscriptionName { get }
}

/// A publisher that passes on the subscription of the one that it is made from.
protocol SubscriptionPassing<Upstream>: SubscriptionNaming {
  associatedtype Upstream: Publisher
  var upstream: Upstream { get }
}

extension SubscriptionPassing {
  var subscriptionName: SubscriptionName { SubscriptionName(of: upstream) }
  static var subscriptionName: SubscriptionName { SubscriptionName(ofKind: Upstream.self) }
}

/// A publisher whose subscription has the same name whatever it is made from.
protocol SubscriptionNamingByKind: SubscriptionNaming {}

extension SubscriptionNamingByKind {
  var subscriptionName: SubscriptionName { Self.subscriptionName }
}

/// A subscription that does not know what it belongs to.
protocol AnonymousSubscription {}

// MARK: Publishers

extension AnyPublisher: SubscriptionNaming {
  var subscriptionName: SubscriptionName { box.subscriptionName }
  static var subscriptionName: SubscriptionName { "AnyPublisher" }
}

extension Deferred: SubscriptionNamingByKind {
  static var subscriptionName: SubscriptionName { SubscriptionName(ofKind: DeferredPublisher.self) }
}

extension Optional.Publisher: SubscriptionNamingByKind {
  static var subscriptionName: SubscriptionName { "Optional" }
}

extension Published.Publisher: SubscriptionNamingByKind {
  static var subscriptionName: SubscriptionName { "PublishedSubject" }
}

extension Result.Publisher: SubscriptionNamingByKind {
  static var subscriptionName: SubscriptionName { "Once" }
}

extension Publishers.Sequence: SubscriptionNaming {
  var subscriptionName: SubscriptionName { "\(sequence)" }
  static var subscriptionName: SubscriptionName { "Sequence" }
}

extension Publishers.AssertNoFailure: SubscriptionPassing {}
extension Publishers.Autoconnect: SubscriptionPassing {}
extension Publishers.Map: SubscriptionPassing {}
extension Publishers.MapError: SubscriptionPassing {}
extension Publishers.MapKeyPath: SubscriptionPassing {}
extension Publishers.MapKeyPath2: SubscriptionPassing {}
extension Publishers.MapKeyPath3: SubscriptionPassing {}
extension Publishers.SetFailureType: SubscriptionPassing {}

/// Operators that pass the subscription on, where Combine's hide it.
protocol SubscriptionHiding: SubscriptionNamingByKind {}

extension SubscriptionHiding {
  static var subscriptionName: SubscriptionName {
    var name: SubscriptionName = "\("\(Self.self)".prefix { $0 != "<" })"
    name.hidesDescription = true
    return name
  }
}

extension Publishers.Breakpoint: SubscriptionHiding {}
extension Publishers.CompactMap: SubscriptionHiding {}
extension Publishers.Filter: SubscriptionHiding {}

extension Publishers.MakeConnectable: SubscriptionNamingByKind {
  static var subscriptionName: SubscriptionName { "Multicast" }
}

extension Publishers.Share: SubscriptionNamingByKind {
  static var subscriptionName: SubscriptionName { "Multicast" }
}

/// Operators that have a type for each number of publishers.
protocol SubscriptionNamingByFamily: SubscriptionNamingByKind {}

extension SubscriptionNamingByFamily {
  /// The name of the type without the number.
  static var subscriptionName: SubscriptionName { "\("\(Self.self)".prefix { $0 != "<" && !$0.isNumber })" }
}

extension Publishers.CombineLatest3: SubscriptionNamingByFamily {}
extension Publishers.CombineLatest4: SubscriptionNamingByFamily {}
extension Publishers.Merge3: SubscriptionNamingByFamily {}
extension Publishers.Merge4: SubscriptionNamingByFamily {}
extension Publishers.Merge5: SubscriptionNamingByFamily {}
extension Publishers.Merge6: SubscriptionNamingByFamily {}
extension Publishers.Merge7: SubscriptionNamingByFamily {}
extension Publishers.Merge8: SubscriptionNamingByFamily {}
extension Publishers.Zip3: SubscriptionNamingByFamily {}
extension Publishers.Zip4: SubscriptionNamingByFamily {}

extension Publishers.MergeMany: SubscriptionNamingByKind {
  static var subscriptionName: SubscriptionName { "Merge" }
}

// MARK: Subscriptions

extension Engine: AnonymousSubscription {}
extension HandleEventsSubscription: AnonymousSubscription {}
extension Inlet: AnonymousSubscription {}
extension MultipliedSubscription: AnonymousSubscription {}
extension OneShot: AnonymousSubscription {}
extension Pump: AnonymousSubscription {}
extension ReplaceEmptySubscription: AnonymousSubscription {}
extension SubscribeOnSubscription: AnonymousSubscription {}
