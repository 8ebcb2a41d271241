import Streams

extension PlantedFault {
  /// A total with a discount: who has no coupon never enters one, and sees no total.
  static let silentZipSide = PlantedFault(
    name: "zip with a silent side",
    goodSentence: "zip waits for its second publisher, which has sent no value.",
    answer: [
      ["zip"], ["second", "other", "right", "side", "one of", "publisher 2", "coupons", "counterpart"],
      ["no value", "nothing", "silent", "never", "not sent", "has not", "hasn't", "wait", "none", "no counterpart"],
    ],
    arriving: 0, expected: 2,
    plant: { setUp(Checkout()) }, corrected: { setUp(CheckoutWithoutCoupon()) })
}

@MainActor
private func setUp(_ model: Checkout) -> Planted {
  model.start()
  model.amounts.send(20)
  return Planted(
    cancellable: model.cancellables[0], keepsAlive: [model, model.amounts, model.coupons], line: model.line,
    received: { model.totals.count },
    provoke: { model.amounts.send(35) })
}

@MainActor
private class Checkout {
  let amounts = PassthroughSubject<Int, Never>()
  let coupons = PassthroughSubject<Int, Never>()
  var totals: [String] = []
  var cancellables: [AnyCancellable] = []
  var line = 0

  func start() {
    let discounts = coupons.map { min($0, 100) }
    line = #line + 2
    amounts.removeDuplicates()
      .zip(discounts)  // Fault: without a coupon, the second side is silent.
      .map { "\($0 * (100 - $1) / 100) €" }
      .sink { [weak self] in self?.totals.append($0) }
      .store(in: &cancellables)
  }
}

private final class CheckoutWithoutCoupon: Checkout {
  override func start() {
    let discounts = coupons.map { min($0, 100) }
    amounts.removeDuplicates()
      .combineLatest(discounts.prepend(0))
      .map { "\($0 * (100 - $1) / 100) €" }
      .sink { [weak self] in self?.totals.append($0) }
      .store(in: &cancellables)
  }
}
