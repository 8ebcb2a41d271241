import Streams
import Testing

struct FlatMapModelTests {
  @Test(arguments: 1...3)
  func `behaves like its model in all short histories`(_ maxPublishers: Int) {
    var count = 0
    var isLawful = true
    func visit(_ history: [FlatMapModel.Move]) {
      for move in FlatMapModel.Move.allCases where isLawful {
        let model = FlatMapModel(maxPublishers)
        guard history.allSatisfy(model.make), !model.hasOnlyOne(for: move), model.make(move) else { continue }
        count += 1
        isLawful = model.isLawful
        if !isLawful { Issue.record("After \((history + [move]).map(\.rawValue)), \(model.state).") }
        if history.count < 6 { visit(history + [move]) }
      }
    }
    visit([])
    #expect(count > 5_000)
  }

  @Test(arguments: 1...3)
  func `behaves like its model in long histories`(_ maxPublishers: Int) {
    var random: UInt64 = 1
    for _ in 0..<500 {
      let model = FlatMapModel(maxPublishers)
      var history: [FlatMapModel.Move] = []
      for _ in 0..<100 {
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        // Demand stays limited in most histories.
        let isRare = random >> 40 & 63 == 0
        let move = isRare ? .requestAll : FlatMapModel.Move.allCases[1 + Int(random >> 33) % 6]
        guard model.make(move) else { continue }
        history.append(move)
        guard model.isLawful else {
          Issue.record("After \(history.map(\.rawValue)), \(model.state).")
          return
        }
      }
    }
  }
}

/// A `flatMap` and its expected state: its sources, their outstanding requests, and the waiting elements.
private final class FlatMapModel {
  enum Move: String, CaseIterable {
    case requestAll, request, open, sendFirst, sendLast, finishFirst, finishLast
  }

  /// A publisher that counts what is requested of it.
  private final class Source: Publisher, Subscription {
    typealias Output = Int
    typealias Failure = Never
    var subscriber: (any Subscriber<Int, Never>)?
    var asked = 0
    var undelivered = 0
    var isLive = true

    func receive<S: Subscriber<Int, Never>>(subscriber: S) {
      self.subscriber = subscriber
      subscriber.receive(subscription: self)
    }

    func request(_ demand: Subscribers.Demand) { asked += demand.max ?? 1_000 }
    func cancel() {}
  }

  private let maxPublishers: Int
  private let outer = Source()
  private var inners: [Source] = []
  private var queue: [Int] = []
  private var demand = Subscribers.Demand.none
  private var isOrdered = true
  private var subscription: (any Subscription)?

  init(_ maxPublishers: Int) {
    self.maxPublishers = maxPublishers
    outer.flatMap(maxPublishers: .max(maxPublishers)) { [unowned self] in inners[$0] }
      .subscribe(
        AnySubscriber(
          receiveSubscription: { [unowned self] in subscription = $0 },
          receiveValue: { [unowned self] in
            isOrdered = isOrdered && !queue.isEmpty && queue.removeFirst() == $0
            _ = demand.spend()
            inners[$0].undelivered -= 1
            return .none
          }))
  }

  var state: String {
    "the outer source owes \(outer.asked), \(inners.map { ($0.isLive, $0.asked, $0.undelivered) }), \(queue) wait"
  }

  /// Indicates whether the outer source has exactly as many requested elements as there is room for inner sources, each live
  /// inner source has one waiting or requested element, and elements wait only for demand.
  var isLawful: Bool {
    let taken = inners.filter { $0.isLive || $0.undelivered > 0 }.count
    guard isOrdered, outer.asked == maxPublishers - taken, queue.isEmpty || demand == .none else { return false }
    return demand == .unlimited || inners.allSatisfy { !$0.isLive || $0.asked + $0.undelivered == 1 }
  }

  /// Indicates whether a move of the last source is the same as that of the first one.
  func hasOnlyOne(for move: Move) -> Bool {
    switch move {
    case .sendLast: inners.count { $0.isLive && $0.asked > 0 } == 1
    case .finishLast: inners.count(where: \.isLive) == 1
    default: false
    }
  }

  /// Makes a move; returns false if it is not possible in the current state.
  func make(_ move: Move) -> Bool {
    switch move {
    case .requestAll, .request:
      let more = move == .request ? Subscribers.Demand.max(1) : .unlimited
      demand += more
      subscription?.request(more)
    case .open:
      guard outer.asked > 0 else { return false }
      outer.asked -= 1
      inners.append(Source())
      outer.asked += outer.subscriber?.receive(inners.count - 1).max ?? 1_000
    case .sendFirst, .sendLast:
      guard let index = index({ $0.isLive && $0.asked > 0 }, isLast: move == .sendLast) else { return false }
      inners[index].asked -= 1
      inners[index].undelivered += 1
      queue.append(index)
      inners[index].asked += inners[index].subscriber?.receive(index).max ?? 1_000
    case .finishFirst, .finishLast:
      guard let index = index(\.isLive, isLast: move == .finishLast) else { return false }
      inners[index].isLive = false
      inners[index].subscriber?.receive(completion: .finished)
    }
    return true
  }

  private func index(_ condition: (Source) -> Bool, isLast: Bool) -> Int? {
    isLast ? inners.lastIndex(where: condition) : inners.firstIndex(where: condition)
  }
}
