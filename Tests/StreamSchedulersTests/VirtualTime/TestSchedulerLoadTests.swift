import StreamSchedulers
import Streams
import Testing

struct TestSchedulerLoadTests {
  let scheduler = VirtualScheduler()
  static let many = 200_000

  @Test func `two hundred thousand pending actions run in order`() {
    var count = 0
    var last = -1
    var isOrdered = true
    for number in 0..<Self.many {
      let date = number &* 7919 % 1_000_003
      scheduler.after(.init(date)) {
        count &+= 1
        if date < last { isOrdered = false }
        last = date
      }
    }
    #expect(scheduler.pendingCount == Self.many)
    scheduler.run()
    #expect(count == Self.many)
    #expect(isOrdered)
  }

  @Test func `two hundred thousand pending actions can be cancelled`() {
    let armed = (0..<Self.many).map { scheduler.once(.init($0 &* 7919 % 1_000_003)) {} }
    #expect(scheduler.pendingCount == Self.many)
    for one in armed { one.cancel() }
    scheduler.run()
    #expect(scheduler.pendingCount == 0)
    #expect(scheduler.now == 0)
  }
}
