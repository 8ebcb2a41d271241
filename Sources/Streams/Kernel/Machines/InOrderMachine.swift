/// The common part of machines that deliver everything on a scheduler, in order.
///
/// Demand passes straight through: upstream sends what downstream requests, so arriving elements need not be counted.
@usableFromInline
class InOrderMachine: ScheduledMachine {
  override final func requested(_ more: Subscribers.Demand, _ steps: inout Steps) {
    if let upstream { steps.request(more, from: upstream) } else { demand += more }
  }

  override final func next(_ steps: inout Steps) -> Delivery? {
    if isOver { return nil }
    if due > 0 { return .due }
    return phase == .concluding && waiting == 0 ? complete(&steps) : nil
  }
}
