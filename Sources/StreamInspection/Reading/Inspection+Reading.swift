public import Streams
internal import Synchronization

extension Inspection {
  /// Reads the stream that a cancellable keeps alive.
  ///
  /// ```swift
  /// let inspection = Inspection(of: cancellable, limit: 100)
  /// ```
  ///
  /// - Parameters:
  ///   - cancellable: The cancellable of a `sink`, an `assign`, or another cancellable object of the package.
  ///   - thresholds: The limits beyond which a problem is reported as a finding.
  ///   - limit: The number of parts after which reading stops. See ``isTruncated``.
  /// - Complexity: O(*n*), where *n* is the number of parts: about 60,000 instructions for each.
  public init(of cancellable: AnyCancellable, thresholds: Thresholds = Thresholds(), limit: Int = 10_000) {
    guard let part = cancellable.link else {
      self.init(ended: "The cancellable was cancelled, so nothing is left of its stream.")
      return
    }
    self.init(part: part, thresholds: thresholds, limit: limit)
  }

  /// Reads the stream that a subscription belongs to, from the subscription up to the sources.
  ///
  /// ```swift
  /// prices.handleEvents(receiveSubscription: { print(Inspection(of: $0)) })
  /// ```
  ///
  /// - Parameters:
  ///   - subscription: The subscription, such as the one that `handleEvents(receiveSubscription:)` receives.
  ///   - thresholds: The limits beyond which a problem is reported as a finding.
  ///   - limit: The number of parts after which reading stops. See ``isTruncated``.
  /// - Complexity: O(*n*), where *n* is the number of parts.
  public init(of subscription: any Subscription, thresholds: Thresholds = Thresholds(), limit: Int = 10_000) {
    self.init(part: subscription as AnyObject, thresholds: thresholds, limit: limit)
  }

  package init(part: AnyObject, thresholds: Thresholds = Thresholds(), limit: Int = 10_000) {
    self.init(StreamReader(part, limit: limit), thresholds)
  }

  /// Reads the stream of a subscriber that stores its subscription, but doesn't report anything itself.
  ///
  /// - Parameters:
  ///   - subscriber: The subscriber, which is the root.
  ///   - name: The name of the subscriber.
  ///   - subscription: The subscriber's subscription, which has neither ended nor been cancelled.
  ///   - demand: The subscriber's unfulfilled demand, or `nil` if it hasn't requested anything.
  ///   - received: The number of values that the subscriber has received.
  /// - Complexity: O(*n*), where *n* is the number of parts.
  package init(
    subscriber: AnyObject, name: String, subscription: any Subscription, demand: Subscribers.Demand?, received: Int
  ) {
    let reader = StreamReader(subscriber: subscriber, name: name, subscription: subscription, demand, limit: 10_000)
    self.init(reader, .forMissingValue, received: UInt64(received))
  }

  /// Removes the place of the root, for a text that has already named it.
  package mutating func forgetPlaceOfRoot() { if !parts.isEmpty { parts[0].place = nil } }

  init(_ reader: StreamReader, _ thresholds: Thresholds, received: UInt64? = nil) {
    parts = reader.nodes.map { Part($0, at: reader.time) }
    if let received { parts[0].count = received }
    isTruncated = reader.isTruncated
    let diagnosis = Diagnosis(reader.nodes, parts, thresholds)
    (findings, status) = (diagnosis.findings, diagnosis.status)
  }

  private init(ended text: String) {
    parts = []
    findings = []
    status = text
  }
}

extension Inspection.Part {
  fileprivate init(_ node: Node, at time: UInt32) {
    let kind: Inspection.Kind =
      switch node.kind {
      case .root: .sink
      case .link, .engine: .operator
      case .subject: .subject
      case .source: .source
      case .unknown: .unknown
      }
    self.init(id: node.id, name: node.words, kind: kind)
    checkpoint = node.checkpoint
    states = node.states
    demand = node.facts.demand?.inspected
    waiting = node.facts.waiting
    mostWaiting = node.facts.capacity > 0 ? node.facts.capacity : nil
    bound = node.facts.bound.flatMap { $0 < .max ? $0 : nil }
    isDelivering = node.facts.isDelivering
    observe(node, at: time)
    upstreams = node.edges.map { edge in
      var upstream = Inspection.Upstream(part: edge.node)
      upstream.role = node.role(edge.slot)
      upstream.operators = edge.operators.map(\.name)
      upstream.flows = edge.operators.map(\.flow)
      upstream.demand = edge.facts?.demand?.inspected
      upstream.count = edge.facts?.sent.map { UInt64($0) }
      return upstream
    }
  }
}

extension Inspection.Part {
  /// Adds facts that are known only about streams that began while streams were being inspected.
  fileprivate mutating func observe(_ node: Node, at time: UInt32) {
    // A shared publisher creates its subject for its first subscriber.
    if case .subject = node.kind, node.name == nil || node.name == "its senders" {
      place = Registry.shared.place(ofSource: node.id)?.description
    }
    if let location = node.facts.location, StreamInspector.isOn { place = location }
    if let made = node.facts.made {
      place = Registry.shared.place(ofSource: UInt64(UInt(bitPattern: ObjectIdentifier(made))))?.description
    }
    received = node.facts.arrived.map { UInt64($0) }
    if case .subject = node.kind {} else { count = node.facts.sent.map { UInt64($0) } }
    guard let counter = node.facts.counter else { return }
    count = counter.count
    guard let made = Registry.shared.made(counter.entry) else { return }
    place = CallSites.shared.place(of: made.place)?.description ?? node.facts.placeByCheckpoint
    age = Double(time &- made.time) / 1_000
    if count != 0 { sinceLastValue = Double(time &- counter.last) / 1_000 }
  }
}

extension AnyCancellable {
  /// The parts of this cancellable's stream, and what they're doing now.
  ///
  /// ```swift
  /// print(cancellable.inspection)
  /// print(cancellable.inspection.diagnosis)
  /// ```
  ///
  /// Each access reads the stream again.
  public var inspection: Inspection { Inspection(of: self) }
}

extension AnyCancellable: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The text of the ``inspection``.
  public var description: String { inspection.description }

  /// The text of the ``inspection``, for the debugger.
  public var debugDescription: String { description }

  /// The mirror of the ``inspection``.
  public var customMirror: Mirror { inspection.customMirror }
}
