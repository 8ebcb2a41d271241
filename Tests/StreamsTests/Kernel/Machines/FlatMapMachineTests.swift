import Testing

@testable import Streams

struct FlatMapMachineTests {
  private let outer = FlatMapMachine.outer

  private func probe(_ maxPublishers: Subscribers.Demand = .unlimited) -> Probe<FlatMapMachine> {
    Probe(FlatMapMachine(maxPublishers: maxPublishers))
  }

  @Test func `requests maxPublishers elements from the outer source`() {
    #expect(probe(.max(2)).connect("outer", to: outer) == ["request 2 from outer"])
    #expect(probe().connect("outer", to: outer) == ["request all from outer"])
  }

  @Test func `requests another element from the outer source when an inner source has finished`() {
    let flatMap = probe(.max(1))
    _ = flatMap.connect("outer", to: outer)
    let slot = flatMap.open().slot!
    _ = flatMap.connect("a", to: slot)

    #expect(flatMap.finish(slot) == ["continues", "release a", "request 1 from outer"])
  }

  @Test func `does not count inner sources when their number is unlimited`() {
    let flatMap = probe()
    _ = flatMap.connect("outer", to: outer)
    let slot = flatMap.open().slot!

    #expect(flatMap.finish(slot) == ["continues"])
  }

  @Test func `requests one element from each inner source while demand is limited, or absent`() {
    let flatMap = probe()
    #expect(flatMap.connect("a", to: flatMap.open().slot!) == ["request 1 from a"])
    #expect(flatMap.connect("b", to: flatMap.open().slot!) == ["request 1 from b"])
  }

  @Test func `continues with its inner sources when the outer source has finished`() {
    let flatMap = probe()
    _ = flatMap.connect("outer", to: outer)
    let slot = flatMap.open().slot!

    #expect(flatMap.finish(outer) == ["continues", "release outer"])
    #expect(flatMap.finish(slot) == ["continues", "completion"])
  }

  @Test func `finishes when the outer source finishes without inner sources`() {
    #expect(probe().finish(outer) == ["continues", "completion"])
  }

  @Test func `cancels all other sources when an inner source fails`() {
    let flatMap = probe()
    _ = flatMap.connect("outer", to: outer)
    let (a, b) = (flatMap.open().slot!, flatMap.open().slot!)
    _ = flatMap.connect("a", to: a)
    _ = flatMap.connect("b", to: b)

    #expect(flatMap.fail(a) == ["ends", "release a", "cancel outer", "cancel b", "completion"])
  }

  @Test func `cancels the inner sources when the outer source fails`() {
    let flatMap = probe()
    _ = flatMap.connect("outer", to: outer)
    _ = flatMap.connect("a", to: flatMap.open().slot!)

    #expect(flatMap.fail(outer) == ["ends", "release outer", "cancel a", "completion"])
  }

  @Test func `distinguishes a source from the previous one in its slot`() {
    let flatMap = probe()
    _ = flatMap.request(.unlimited)
    let first = flatMap.open().slot!
    _ = flatMap.finish(first)
    let second = flatMap.open().slot!

    #expect(first != second)
    #expect(flatMap.send(from: first) == ["refused"])
    #expect(flatMap.send(from: second) == ["stored", "element"])
  }

  @Test func `opens no slot after cancellation`() {
    let flatMap = probe()
    _ = flatMap.cancel()

    #expect(flatMap.open().slot == nil)
  }

  @Test func `defers a request to the outer source while the element of an ended inner source waits`() {
    let flatMap = probe(.max(1))
    _ = flatMap.connect("outer", to: outer)
    _ = flatMap.request(.max(1))
    let slot = flatMap.open().slot!
    _ = flatMap.connect("a", to: slot)
    _ = flatMap.send(from: slot)
    _ = flatMap.send(from: slot)

    #expect(flatMap.finish(slot) == ["continues", "release a"])
    #expect(flatMap.request(.max(1)) == ["element", "request 1 from outer"])
  }

  @Test func `makes a deferred request for each waiting element when demand becomes unlimited`() {
    let flatMap = probe(.max(2))
    _ = flatMap.connect("outer", to: outer)
    for name in ["a", "b"] {
      let slot = flatMap.open().slot!
      _ = flatMap.connect(name, to: slot)
      _ = flatMap.send(from: slot)
      _ = flatMap.finish(slot)
    }

    #expect(flatMap.request(.unlimited) == ["element", "request 1 from outer", "element", "request 1 from outer"])
  }

  @Test func `defers a request while the element of an ended inner source is being delivered`() {
    let machine = FlatMapMachine(maxPublishers: .max(1))
    var effects = Effects()
    _ = machine.connected(NamedSubscription("outer"), from: outer, &effects)
    machine.requested(.max(1), &effects)
    let slot = machine.open(&effects)!
    _ = machine.count(machine.received(from: slot, &effects))
    let delivery = machine.next(&effects)
    _ = machine.ended(slot, failed: false, &effects)
    let hasStepsBefore = !effects.isEmpty
    machine.delivered(&effects)
    let hasStepsAfter = !effects.isEmpty

    #expect(delivery == .element)
    #expect(!hasStepsBefore)
    #expect(hasStepsAfter)
  }

  @Test(arguments: 1...3)
  func `behaves like its model in all short histories`(_ maxPublishers: Int) {
    var count = 0
    var isLawful = true
    func visit(_ history: [FlatMapModel.Move]) {
      for move in FlatMapModel.Move.allCases where isLawful {
        let model = FlatMapModel(maxPublishers)
        let isPossible = (history + [move]).allSatisfy(model.make)
        guard isPossible else { continue }
        count += 1
        isLawful = model.isLawful
        if !isLawful { Issue.record("After \((history + [move]).map(\.rawValue)), \(model.state).") }
        if history.count < 6 { visit(history + [move]) }
      }
    }
    visit([])
    #expect(count > 10_000)
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
        let move = isRare ? .requestAll : FlatMapModel.Move.allCases[1 + Int(random >> 33) % 8]
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

/// A flatMap machine and its expected state: its sources, their outstanding requests, and the waiting elements.
private final class FlatMapModel {
  enum Move: String, CaseIterable {
    case requestAll, request, open, sendFirst, sendLast, finishFirst, finishLast, take, deliver
  }

  private struct Inner {
    let slot: OldMachine.Slot
    var isLive = true
    var asked = 0
    /// The number of elements that have not been delivered, including the one that is being delivered.
    var undelivered = 0
  }

  private let machine: FlatMapMachine
  private let maxPublishers: Int
  private var askedOfOuter = 0
  private var inners: [Inner] = []
  private var queue: [Int] = []
  private var delivering: Int?
  private var demand = Subscribers.Demand.none

  init(_ maxPublishers: Int) {
    self.maxPublishers = maxPublishers
    machine = FlatMapMachine(maxPublishers: .max(maxPublishers))
    var effects = Effects()
    askedOfOuter = machine.connected(NamedSubscription("-1"), from: FlatMapMachine.outer, &effects)?.max ?? 0
  }

  var state: String {
    "the outer source owes \(askedOfOuter), of \(inners), \(queue) wait, and \(delivering ?? -1) is being delivered"
  }

  /// Indicates whether the outer source has exactly as many requested elements as there is room for inner sources, and
  /// each live inner source has one waiting or requested element.
  var isLawful: Bool {
    let taken = inners.filter { $0.isLive || $0.undelivered > 0 }.count
    guard askedOfOuter == maxPublishers - taken else { return false }
    return demand == .unlimited || inners.allSatisfy { !$0.isLive || $0.asked + $0.undelivered == 1 }
  }

  /// Makes a move; returns false if it is not possible in the current state.
  func make(_ move: Move) -> Bool {
    var effects = Effects()
    switch move {
    case .requestAll, .request:
      let more = move == .request ? Subscribers.Demand.max(1) : .unlimited
      demand += more
      machine.requested(more, &effects)
    case .open:
      guard askedOfOuter > 0, let slot = machine.open(&effects) else { return false }
      askedOfOuter -= 1
      let asked = machine.connected(NamedSubscription("\(inners.count)"), from: slot, &effects)
      inners.append(Inner(slot: slot, asked: asked.map { $0.max ?? 1_000 } ?? 0))
    case .sendFirst, .sendLast:
      guard let index = index({ $0.isLive && $0.asked > 0 }, isLast: move == .sendLast) else { return false }
      inners[index].asked -= 1
      inners[index].undelivered += 1
      queue.append(index)
      guard machine.count(machine.received(from: inners[index].slot, &effects)) == .stored else { return false }
    case .finishFirst, .finishLast:
      guard let index = index(\.isLive, isLast: move == .finishLast) else { return false }
      inners[index].isLive = false
      _ = machine.ended(inners[index].slot, failed: false, &effects)
    case .take:
      guard delivering == nil, machine.next(&effects) == .element else { return false }
      _ = demand.spend()
      delivering = queue.removeFirst()
    case .deliver:
      guard let index = delivering else { return false }
      inners[index].undelivered -= 1
      delivering = nil
      machine.delivered(&effects)
    }
    follow(effects)
    return true
  }

  private func index(_ condition: (Inner) -> Bool, isLast: Bool) -> Int? {
    isLast ? inners.lastIndex(where: condition) : inners.firstIndex(where: condition)
  }

  private func follow(_ effects: consuming Effects) {
    while true {
      let effect = effects.next()
      if effect.kind == .none { return }
      guard effect.kind == .request, let index = Int("\(effect.upstream!)") else { continue }
      let count = effect.demand.max ?? 1_000
      if index < 0 { askedOfOuter += count } else { inners[index].asked += count }
    }
  }
}
