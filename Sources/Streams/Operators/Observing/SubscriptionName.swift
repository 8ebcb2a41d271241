// Names that `print` uses for subscriptions. To save memory, the kernel's subscriptions don't store their operators' names.
// Instead, `print` gets the name from the publisher.

@usableFromInline
struct SubscriptionName: ExpressibleByStringInterpolation {
  let text: String

  /// Indicates whether the name replaces the subscription's own description, because Combine hides that subscription.
  var hidesDescription = false

  @usableFromInline
  init(stringLiteral text: String) { self.text = text }

  @usableFromInline
  init<P: Publisher>(of publisher: P) {
    self = (publisher as? any SubscriptionNaming)?.subscriptionName ?? SubscriptionName(ofKind: P.self)
  }

  /// Creates the name from the publisher's type alone. By default, it's the type's name.
  init(ofKind kind: Any.Type) {
    self = (kind as? any SubscriptionNaming.Type)?.subscriptionName ?? "\("\(kind)".prefix { $0 != "<" })"
  }

  /// Returns the subscription's own description, or this name if the description is missing or hidden.
  @usableFromInline
  func description(of subscription: any Subscription) -> String {
    hidesDescription || subscription is any AnonymousSubscription ? text : "\(subscription)"
  }
}

/// A publisher whose subscription isn't named after the publisher's type.
protocol SubscriptionNaming {
  var subscriptionName: SubscriptionName { get }

  /// The name that the type alone determines, for a publisher that doesn't exist yet.
  static var subscriptionName: SubscriptionName { get }
}

/// A publisher that forwards its upstream publisher's subscription.
protocol SubscriptionPassing<Upstream>: SubscriptionNaming {
  associatedtype Upstream: Publisher
  var upstream: Upstream { get }
}

extension SubscriptionPassing {
  var subscriptionName: SubscriptionName { SubscriptionName(of: upstream) }
  static var subscriptionName: SubscriptionName { SubscriptionName(ofKind: Upstream.self) }
}

/// A publisher whose subscription has the same name for every value of the type.
protocol SubscriptionNamingByType: SubscriptionNaming {}

extension SubscriptionNamingByType {
  var subscriptionName: SubscriptionName { Self.subscriptionName }
}

/// A subscription that doesn't identify its operator.
protocol AnonymousSubscription {}

// MARK: Publishers

extension AnyPublisher: SubscriptionNaming {
  var subscriptionName: SubscriptionName { box.subscriptionName }
  static var subscriptionName: SubscriptionName { "AnyPublisher" }
}

extension Deferred: SubscriptionNamingByType {
  static var subscriptionName: SubscriptionName { SubscriptionName(ofKind: DeferredPublisher.self) }
}

extension Optional.Publisher: SubscriptionNamingByType {
  static var subscriptionName: SubscriptionName { "Optional" }
}

extension Published.Publisher: SubscriptionNamingByType {
  static var subscriptionName: SubscriptionName { "PublishedSubject" }
}

extension Result.Publisher: SubscriptionNamingByType {
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

/// Operators that forward a subscription that Combine's counterparts hide.
protocol SubscriptionHiding: SubscriptionNamingByType {}

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

extension Publishers.MakeConnectable: SubscriptionNamingByType {
  static var subscriptionName: SubscriptionName { "Multicast" }
}

extension Publishers.Share: SubscriptionNamingByType {
  static var subscriptionName: SubscriptionName { "Multicast" }
}

/// Operators that have a separate type for each number of publishers.
protocol SubscriptionNamingByFamily: SubscriptionNamingByType {}

extension SubscriptionNamingByFamily {
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

extension Publishers.MergeMany: SubscriptionNamingByType {
  static var subscriptionName: SubscriptionName { "Merge" }
}

// MARK: Subscriptions

extension Engine: AnonymousSubscription {}
extension HandleEventsSubscription: AnonymousSubscription {}
extension UpstreamLink: AnonymousSubscription {}
extension MultipliedSubscription: AnonymousSubscription {}
extension SingleValueSource: AnonymousSubscription {}
extension DemandSource: AnonymousSubscription {}
extension ReplaceEmptySubscription: AnonymousSubscription {}
extension SubscribeOnSubscription: AnonymousSubscription {}
