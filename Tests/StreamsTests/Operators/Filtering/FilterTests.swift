import Streams
import Testing

struct FilterTests {
  @Test func `publishes the values that match the predicate`() {
    #expect(log([1, 2, 3, 4].publisher.filter { $0 > 2 }) == ["3", "4", "finished"])
  }

  @Test func `requests another value for each dropped one`() {
    let source = ManualSource<Int, Never>()
    let recorder = record(source.filter { $0 > 1 }, .max(1))
    #expect(source.send(1) == .max(1))
    #expect(source.send(2) == .none)
    #expect(source.demand == 2)
    #expect(recorder.log == ["2"])
  }

  @Test func `forwards failures and cancellation`() {
    let source = ManualSource<Int, TestError>()
    let recorder = record(source.filter { _ in true })
    source.fail(.first)
    #expect(recorder.log == ["first"])

    record(source.filter { _ in true }).cancel()
    #expect(source.cancelCount == 1)
  }

  @Test func `fuses two filters into one`() {
    let publisher: Publishers.Filter<Publishers.Sequence<ClosedRange<Int>, Never>> =
      (1...6).publisher.filter { $0 > 2 }.filter { $0 < 5 }
    #expect(collect(publisher) == [3, 4])
  }

  @Test func `tryFilter publishes the values that match the predicate`() {
    #expect(log([1, 2].publisher.tryFilter { $0 > 1 }) == ["2", "finished"])
  }

  @Test func `tryFilter cancels upstream and delivers a thrown error once`() {
    let source = ManualSource<Int, Never>()
    source.ignoresCancellation = true
    let recorder = record(source.tryFilter { if $0 == 2 { throw TestError.first } else { true } })
    source.send(1)
    source.send(2)
    source.send(2)
    source.finish()
    #expect(recorder.log == ["1", "first"])
    #expect(source.cancelCount == 1)
  }

  @Test func `tryFilter requests another value for each dropped one`() {
    let source = ManualSource<Int, Never>()
    record(source.tryFilter { $0 > 1 }, .max(1))
    #expect(source.send(1) == .max(1))
    #expect(source.send(2) == .none)
  }

  @Test func `filter after tryFilter, and tryFilter after either, fuse into one`() {
    let first: Publishers.TryFilter<Publishers.Sequence<[Int], Never>> =
      [1, 2, 3].publisher.filter { $0 > 1 }.tryFilter { $0 < 3 }
    let second: Publishers.TryFilter<Publishers.Sequence<[Int], Never>> =
      [1, 2, 3].publisher.tryFilter { $0 > 1 }.filter { $0 < 3 }
    #expect(collect(first) + collect(second) == [2, 2])
  }
}
