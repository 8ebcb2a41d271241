extension Publisher {
  /// Prints all events in a stream.
  ///
  ///     Just(1).print("one").sink { _ in }
  ///     // one: receive subscription: (Just)
  ///     // one: request unlimited
  ///     // one: receive value: (1)
  ///     // one: receive finished
  ///
  /// ![The source publishes 1 and finishes; the result publishes 1 and finishes; console receives value: (1).](diagram-print)
  ///
  /// Each subscriber's lines are written one at a time, no matter which threads its events arrive on. If one of this package's
  /// subscriptions doesn't have a description, you see the name of the operator that created it, even if another one, like `map`,
  /// forwards it. After completion or cancellation, `print` doesn't write anything. Demand, completion and cancellation pass
  /// through unchanged.
  ///
  /// - Parameters:
  ///   - prefix: The text that each line begins with, followed by a colon. Pass an empty string for no prefix.
  ///   - stream: The stream to write to, or `nil` for standard output.
  /// - Complexity: O(1) for each value, plus the work of describing it.
  @inlinable
  public __consuming func print(_ prefix: String = "", to stream: (any TextOutputStream)? = nil)
    -> Publishers.Print<Self>
  {
    Publishers.Print(upstream: self, prefix: prefix, to: stream)
  }
}

extension Publishers {
  /// The publisher that ``Publisher/print(_:to:)`` returns.
  @frozen
  public struct Print<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let prefix: String
    public let stream: (any TextOutputStream)?

    @inlinable
    public init(upstream: Upstream, prefix: String, to stream: (any TextOutputStream)? = nil) {
      self.upstream = upstream
      self.prefix = prefix
      self.stream = stream
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let printer = LinePrinter(prefix: prefix, to: stream)
      upstream.subscribe(PrintSubscriber(subscriber, printer, name: SubscriptionName(of: upstream)))
    }
  }
}

@usableFromInline @frozen
struct PrintSubscriber<Downstream: Subscriber>: Subscriber {
  @usableFromInline let downstream: Downstream
  @usableFromInline let printer: LinePrinter
  @usableFromInline let name: SubscriptionName
  @usableFromInline let link = UpstreamLink()

  @inlinable
  init(_ downstream: Downstream, _ printer: LinePrinter, name: SubscriptionName) {
    self.downstream = downstream
    self.printer = printer
    self.name = name
  }

  @inlinable
  var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

  @inlinable
  func receive(subscription: any Subscription) {
    guard link.connect(subscription) else { return }
    printer.print("receive subscription: (\(name.description(of: subscription)))")
    downstream.receive(subscription: PrintSubscription(link, printer))
  }

  @inlinable
  func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    guard link.isForwarding else { return .none }
    printer.print("receive value: (\(input))")
    let demand = downstream.receive(input)
    if demand != .none, link.isForwarding { printer.print("\(LinePrinter.text(demand)) (synchronous)") }
    return demand
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    guard link.finish() else { return }
    switch completion {
    case .finished: printer.print("receive finished")
    case .failure(let error): printer.print("receive error: (\(error))")
    }
    downstream.receive(completion: completion)
  }
}

extension PrintSubscriber: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .links("print", to: Downstream.self) }
}

/// Prints requests and cancellation, and forwards them.
@usableFromInline
final class PrintSubscription: Subscription, CustomStringConvertible {
  private let link: UpstreamLink
  private let printer: LinePrinter

  @usableFromInline
  init(_ link: UpstreamLink, _ printer: LinePrinter) {
    self.link = link
    self.printer = printer
  }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    guard link.isForwarding else { return }
    printer.print(LinePrinter.text(demand))
    link.request(demand)
  }

  @usableFromInline
  func cancel() {
    guard let subscription = link.take() else { return }
    printer.print("receive cancel")
    subscription.cancel()
  }

  @usableFromInline
  var description: String { "Print" }
}

/// Writes lines to a stream, one at a time.
///
/// A line that arrives while another is being written is left to the thread that's writing. So no lock is held while a line is
/// written, and only that thread accesses the stream.
@usableFromInline
final class LinePrinter: Locked<LinePrinter.State> {
  @usableFromInline
  struct State {
    var waiting: [String] = []
    var isWriting = false
  }

  private let prefix: String
  // Exclusive: accessed only by the thread that is writing. Any line that the stream itself prints in the meantime is queued.
  @exclusivity(unchecked) private var stream: (any TextOutputStream)?

  @usableFromInline
  init(prefix: String, to stream: (any TextOutputStream)?) {
    self.prefix = prefix.isEmpty ? "" : "\(prefix): "
    self.stream = stream
    super.init(State())
  }

  @usableFromInline
  func print(_ line: String) {
    let isWriter = withLock { state in
      state.waiting.append("\(prefix)\(line)")
      defer { state.isWriting = true }
      return !state.isWriting
    }
    guard isWriter else { return }
    while let lines = next() {
      for line in lines { write(line) }
    }
  }

  private func next() -> [String]? {
    withLock { state in
      defer { state.waiting = [] }
      state.isWriting = !state.waiting.isEmpty
      return state.isWriting ? state.waiting : nil
    }
  }

  private func write(_ line: String) {
    if stream == nil { Swift.print(line) } else { stream?.write("\(line)\n") }
  }

  @usableFromInline
  static func text(_ demand: Subscribers.Demand) -> String {
    demand.max.map { "request max: (\($0))" } ?? "request unlimited"
  }
}
