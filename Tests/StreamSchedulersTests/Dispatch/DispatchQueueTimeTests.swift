import Dispatch
import Foundation
import StreamFoundation
import StreamSchedulers
import Streams
import Testing

@Suite
struct DispatchQueueTimeTests {
  typealias Time = DispatchQueue.SchedulerTimeType

  private func time(_ nanoseconds: UInt64) -> Time { Time(DispatchTime(uptimeNanoseconds: nanoseconds)) }

  @Test func `strides are whole nanoseconds`() {
    #expect(Time.Stride.seconds(2).magnitude == 2_000_000_000)
    #expect(Time.Stride.seconds(0.25).magnitude == 250_000_000)
    #expect(Time.Stride.milliseconds(3).magnitude == 3_000_000)
    #expect(Time.Stride.microseconds(4).magnitude == 4_000)
    #expect(Time.Stride.nanoseconds(5).magnitude == 5)
  }

  @Test func `literals are seconds`() {
    #expect((2 as Time.Stride) == .seconds(2))
    #expect((0.5 as Time.Stride) == .milliseconds(500))
  }

  @Test func `ten tenths of a second are a second`() {
    #expect(Array(repeating: Time.Stride.seconds(0.1), count: 10).reduce(.zero, +) == .seconds(1))
  }

  @Test func `strides convert from and to DispatchTimeInterval`() {
    #expect(Time.Stride(.seconds(2)) == .seconds(2))
    #expect(Time.Stride(.milliseconds(2)) == .milliseconds(2))
    #expect(Time.Stride(.microseconds(2)) == .microseconds(2))
    #expect(Time.Stride(.nanoseconds(2)) == .nanoseconds(2))
    #expect(Time.Stride(.never).magnitude == .max)
    #expect(Time.Stride.seconds(2).timeInterval == .nanoseconds(2_000_000_000))
  }

  @Test func `arithmetic on strides saturates`() {
    let longest = Time.Stride.nanoseconds(.max)
    let shortest = Time.Stride.nanoseconds(.min)
    #expect(longest + 1 == longest)
    #expect(shortest - 1 == shortest)
    #expect(-shortest == longest)
    #expect(longest * 2 == longest)
    #expect(longest * -2 == shortest)
    #expect(Time.Stride.seconds(.max) == longest)
    #expect(Time.Stride.seconds(Double.infinity) == longest)
    #expect(Time.Stride.seconds(-Double.infinity) == shortest)
  }

  @Test func `multiplying a stride by two doubles it, and by one leaves it unchanged`() {
    #expect(Time.Stride.milliseconds(1500) * 2 == .seconds(3))
    #expect(Time.Stride.milliseconds(1500) * 1 == .milliseconds(1500))
  }

  @Test func `distance(to:) and advanced(by:) are inverse`() {
    #expect(time(5).distance(to: time(12)) == .nanoseconds(7))
    #expect(time(12).distance(to: time(5)) == .nanoseconds(-7))
    #expect(time(5).advanced(by: .nanoseconds(7)) == time(12))
    #expect(time(12).advanced(by: .nanoseconds(-7)) == time(5))
  }

  @Test func `a time beyond the range becomes the distant future and stays there`() {
    let never = time(5).advanced(by: .nanoseconds(.max))
    #expect(never.dispatchTime == .distantFuture)
    #expect(never.advanced(by: .nanoseconds(.min)) == never)
    #expect(time(5).distance(to: never) == .nanoseconds(.max))
    #expect(never.distance(to: time(5)) == .nanoseconds(-.max))
  }

  @Test func `a time just inside the range is exact, and the next one is the distant future`() {
    let last = (1 << 62 - 1) - 1 as UInt64
    #expect(time(last - 1).advanced(by: .nanoseconds(1)) == time(last))
    #expect(time(last).advanced(by: .nanoseconds(1)).dispatchTime == .distantFuture)
  }

  @Test func `a time before the start becomes the first nanosecond, not now`() {
    #expect(time(5).advanced(by: .nanoseconds(-5)) == time(1))
    #expect(time(5).advanced(by: .nanoseconds(.min)) == time(1))
  }

  @Test func `no time is advanced to zero, which means now to Dispatch`() {
    #expect(time(0).advanced(by: .zero).dispatchTime.uptimeNanoseconds == 1)
    #expect(time(0).advanced(by: .nanoseconds(5)) == time(5))
  }

  @Test func `the distant future does not change`() {
    let future = Time(.distantFuture)
    #expect(future.advanced(by: .zero) == future)
    #expect(future.advanced(by: .nanoseconds(1)) == future)
    #expect(future.distance(to: future) == .zero)
  }

  @Test func `times can be compared and hashed`() {
    #expect(time(1) < time(2))
    #expect(Set([time(1), time(1), time(2)]).count == 2)
    #expect(Set((1...100).map { time($0).hashValue }).count == 100)
  }

  @Test func `strides are subtracted, multiplied and negated in place`() {
    var stride = Time.Stride.seconds(3)
    stride -= .seconds(1)
    #expect(stride == .seconds(2))
    stride *= .seconds(4)
    #expect(stride == .seconds(8))
    stride.negate()
    #expect(stride == .seconds(-8))
  }

  @Test func `a number of seconds that an integer cannot represent is no stride`() {
    #expect(Time.Stride(exactly: UInt64(2)) == .seconds(2))
    #expect(Time.Stride(exactly: UInt64.max) == nil)
  }

  @Test func `times and strides survive encoding and decoding`() throws {
    struct Both: Codable, Equatable {
      var time: Time
      var stride: Time.Stride
    }
    let both = Both(time: time(123_456_789), stride: .milliseconds(-3))
    #expect(try JSONDecoder().decode(Both.self, from: JSONEncoder().encode(both)) == both)
  }
  @Test func `times and strides are encoded and decoded as in Combine`() throws {
    func text(_ value: some Encodable) throws -> String {
      String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }
    #expect(try text(time(123_456_789)) == "123456789")
    #expect(try text(Time.Stride.milliseconds(-3)) == #"{"_nanoseconds":-3000000}"#)
    #expect(try JSONDecoder().decode(Time.self, from: Data("123456789".utf8)) == time(123_456_789))
    let stride = try JSONDecoder().decode(Time.Stride.self, from: Data(#"{"_nanoseconds":-3000000}"#.utf8))
    #expect(stride == .milliseconds(-3))
  }
}
