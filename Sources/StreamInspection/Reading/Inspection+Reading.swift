public import Streams

extension Inspection {
  /// Reads what a cancellable keeps alive.
  ///
  /// - Parameters:
  ///   - cancellable: The cancellable of a stream: of a `sink`, an `assign`, or of another cancellable object of the
  ///     package.
  ///   - thresholds: The times and numbers from which something is a finding.
  ///   - limit: The number of parts after which reading ends; see ``isTruncated``.
  /// - Complexity: O(*n*), where *n* is the number of parts: some ten thousand instructions for each.
  public init(of cancellable: AnyCancellable, thresholds: Thresholds = Thresholds(), limit: Int = 10_000) {
    guard let part = cancellable.part else {
      self.init(ended: "The cancellable has been cancelled, so that nothing is left of its stream.")
      return
    }
    self.init(part: part, thresholds: thresholds, limit: limit)
  }

  /// Reads the stream that a subscription belongs to, from that subscription upwards.
  ///
  /// - Parameters:
  ///   - subscription: The subscription, such as that which `handleEvents(receiveSubscription:)` receives.
  ///   - thresholds: The times and numbers from which something is a finding.
  ///   - limit: The number of parts after which reading ends; see ``isTruncated``.
  /// - Complexity: O(*n*), where *n* is the number of parts.
  public init(of subscription: any Subscription, thresholds: Thresholds = Thresholds(), limit: Int = 10_000) {
    self.init(part: subscription as AnyObject, thresholds: thresholds, limit: limit)
  }

  package init(part: AnyObject, thresholds: Thresholds = Thresholds(), limit: Int = 10_000) {
    let reader = StreamReader(part, limit: limit)
    parts = reader.nodes.enumerated().map { Part($1) }
    isTruncated = reader.isTruncated
    findings = Diagnosis(reader.nodes, parts, thresholds).findings
  }

  private init(ended text: String) {
    parts = []
    findings = [Finding(kind: .ended, text: text, part: nil, place: nil)]
  }
}

extension Inspection.Part {
  fileprivate init(_ node: Node) {
    let kind: Inspection.Kind =
      switch node.kind {
      case .root: .sink
      case .link, .machine: .operator
      case .subject: .subject
      case .source: .source
      case .unknown: .unknown
      }
    self.init(id: UInt64(UInt(bitPattern: ObjectIdentifier(node.object))), name: node.words, kind: kind)
    checkpoint = node.checkpoint
    states = node.states
    demand = node.facts.demand?.inspected
    waiting = node.facts.waiting
    upstreams = node.edges.map { edge in
      var upstream = Inspection.Upstream(part: edge.node)
      upstream.role = node.role(edge.slot)
      upstream.operators = edge.operators
      upstream.demand = edge.facts?.demand?.inspected
      return upstream
    }
  }
}

extension AnyCancellable {
  /// What the stream of this cancellable consists of and is doing now.
  ///
  /// ```swift
  /// print(cancellable.inspection)
  /// print(cancellable.inspection.diagnosis)
  /// ```
  ///
  /// Each access reads the stream anew.
  public var inspection: Inspection { Inspection(of: self) }
}

extension AnyCancellable: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The text of the ``inspection``.
  public var description: String { inspection.description }

  /// The text of the ``inspection``, for the debugger.
  public var debugDescription: String { description }

  /// The parts of the ``inspection``.
  public var customMirror: Mirror { inspection.customMirror }
}
