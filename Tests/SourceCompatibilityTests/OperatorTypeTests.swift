import Combine
import Foundation
import StreamAlgorithms
import Testing

private struct Coder: TopLevelEncoder, TopLevelDecoder {
  func encode<T: Encodable>(_ value: T) throws -> Data { try JSONEncoder().encode(value) }
  func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T { try JSONDecoder().decode(type, from: data) }
}

/// Expects the output and failure types of a publisher.
private func expectKinds<P: Publisher, Output, Failure>(
  _ publisher: P, _ output: Output.Type, _ failure: Failure.Type, sourceLocation: SourceLocation = #_sourceLocation
) {
  expectType(P.Output.self, is: Output.Type.self, sourceLocation: sourceLocation)
  expectType(P.Failure.self, is: Failure.Type.self, sourceLocation: sourceLocation)
}

/// The members of operator types: initializers, stored properties and associated types.
struct OperatorTypeTests {
  private let source = [3, 1, 2].publisher
  private let fallible = Fail<Int, TestError>(error: .first)
  private let scheduler = DispatchQueue.test

  @Test func `mapping elements`() throws {
    let map = Publishers.Map(upstream: source, transform: { "\($0)" })
    #expect((map.upstream, map.transform(1)) == (source, "1"))
    expectKinds(map, String.self, Never.self)
    let tryMap = Publishers.TryMap(upstream: source, transform: { "\($0)" })
    #expect((tryMap.upstream, try tryMap.transform(1)) == (source, "1"))
    expectKinds(tryMap, String.self, (any Error).self)
    let point = Just(Point())
    let one = Publishers.MapKeyPath(upstream: point, keyPath: \.x)
    #expect(one.upstream == point && one.keyPath == \.x)
    let two = Publishers.MapKeyPath2(upstream: point, keyPath0: \.x, keyPath1: \.y)
    #expect(two.upstream == point && two.keyPath0 == \.x && two.keyPath1 == \.y)
    expectKinds(two, (Int, Int).self, Never.self)
    let three = Publishers.MapKeyPath3(upstream: point, keyPath0: \.x, keyPath1: \.y, keyPath2: \.z)
    #expect(three.upstream == point && three.keyPath0 == \.x && three.keyPath1 == \.y && three.keyPath2 == \.z)
    let mapError = Publishers.MapError(upstream: fallible, transform: { _ in TestError.second })
    _ = Publishers.MapError(upstream: fallible, { _ in TestError.second })
    _ = Publishers.MapError(upstream: fallible) { _ in TestError.second }
    #expect((mapError.upstream, mapError.transform(.first)) == (fallible, .second))
    let setFailureType = Publishers.SetFailureType<Just<Point>, TestError>(upstream: point)
    #expect(setFailureType.upstream == point)
    expectKinds(setFailureType, Point.self, TestError.self)
    let scan = Publishers.Scan(upstream: source, initialResult: 1, nextPartialResult: +)
    #expect((scan.upstream, scan.initialResult, scan.nextPartialResult(1, 2)) == (source, 1, 3))
    let tryScan = Publishers.TryScan(upstream: source, initialResult: 1, nextPartialResult: { $0 + $1 })
    #expect((tryScan.upstream, tryScan.initialResult, try tryScan.nextPartialResult(1, 2)) == (source, 1, 3))
    let flatMap = Publishers.FlatMap(upstream: source, maxPublishers: .max(1), transform: { Just($0) })
    #expect((flatMap.upstream, flatMap.maxPublishers, flatMap.transform(1)) == (source, .max(1), Just(1)))
    expectKinds(flatMap, Int.self, Never.self)
    let latest = Publishers.SwitchToLatest(upstream: Just(Just(1)))
    #expect(latest.upstream == Just(Just(1)))
  }

  @Test func `filtering elements`() throws {
    let filter = Publishers.Filter(upstream: source, isIncluded: { $0 > 1 })
    #expect((filter.upstream, filter.isIncluded(1)) == (source, false))
    let tryFilter = Publishers.TryFilter(upstream: source, isIncluded: { $0 > 1 })
    #expect((tryFilter.upstream, try tryFilter.isIncluded(1)) == (source, false))
    let compactMap = Publishers.CompactMap(upstream: source, transform: { Int("\($0)") })
    #expect((compactMap.upstream, compactMap.transform(1)) == (source, 1))
    let tryCompactMap = Publishers.TryCompactMap(upstream: source, transform: { Int("\($0)") })
    #expect((tryCompactMap.upstream, try tryCompactMap.transform(1)) == (source, 1))
    let removeDuplicates = Publishers.RemoveDuplicates(upstream: source, predicate: ==)
    #expect((removeDuplicates.upstream, removeDuplicates.predicate(1, 1)) == (source, true))
    let tryRemoveDuplicates = Publishers.TryRemoveDuplicates(upstream: source, predicate: { $0 == $1 })
    #expect((tryRemoveDuplicates.upstream, try tryRemoveDuplicates.predicate(1, 1)) == (source, true))
    let replaceEmpty = Publishers.ReplaceEmpty(upstream: source, output: 1)
    #expect((replaceEmpty.upstream, replaceEmpty.output) == (source, 1))
    let replaceError = Publishers.ReplaceError(upstream: fallible, output: 1)
    #expect((replaceError.upstream, replaceError.output) == (fallible, 1))
    expectKinds(replaceError, Int.self, Never.self)
  }

  @Test func `reducing elements`() throws {
    let collect = Publishers.Collect(upstream: source)
    #expect(collect.upstream == source)
    expectKinds(collect, [Int].self, Never.self)
    let byCount = Publishers.CollectByCount(upstream: source, count: 2)
    #expect((byCount.upstream, byCount.count) == (source, 2))
    let byTime = Publishers.CollectByTime(
      upstream: source, strategy: .byTimeOrCount(scheduler, .seconds(1), 2), options: .init(qos: .utility))
    #expect((byTime.upstream, byTime.options?.qos) == (source, .utility))
    if case .byTimeOrCount(let scheduler, let interval, let count) = byTime.strategy {
      #expect(scheduler === self.scheduler && interval == 1 && count == 2)
    }
    expectKinds(byTime, [Int].self, Never.self)
    let ignoreOutput = Publishers.IgnoreOutput(upstream: source)
    #expect(ignoreOutput.upstream == source)
    expectKinds(ignoreOutput, Never.self, Never.self)
    let reduce = Publishers.Reduce(upstream: source, initial: 1, nextPartialResult: { $0 + $1 })
    #expect((reduce.upstream, reduce.initial, reduce.nextPartialResult(1, 2)) == (source, 1, 3))
    let tryReduce = Publishers.TryReduce(upstream: source, initial: 1, nextPartialResult: { $0 + $1 })
    #expect((tryReduce.upstream, tryReduce.initial, try tryReduce.nextPartialResult(1, 2)) == (source, 1, 3))
    #expect(Publishers.Count(upstream: source).upstream == source)
    let comparison = Publishers.Comparison(upstream: source, areInIncreasingOrder: <)
    #expect((comparison.upstream, comparison.areInIncreasingOrder(1, 2)) == (source, true))
    let tryComparison = Publishers.TryComparison(upstream: source, areInIncreasingOrder: { $0 < $1 })
    #expect((tryComparison.upstream, try tryComparison.areInIncreasingOrder(1, 2)) == (source, true))
  }

  @Test func `matching elements`() throws {
    let contains = Publishers.Contains(upstream: source, output: 1)
    #expect((contains.upstream, contains.output) == (source, 1))
    expectKinds(contains, Bool.self, Never.self)
    let containsWhere = Publishers.ContainsWhere(upstream: source, predicate: { $0 > 1 })
    #expect((containsWhere.upstream, containsWhere.predicate(1)) == (source, false))
    let tryContainsWhere = Publishers.TryContainsWhere(upstream: source, predicate: { $0 > 1 })
    #expect((tryContainsWhere.upstream, try tryContainsWhere.predicate(1)) == (source, false))
    let allSatisfy = Publishers.AllSatisfy(upstream: source, predicate: { $0 > 1 })
    #expect((allSatisfy.upstream, allSatisfy.predicate(1)) == (source, false))
    let tryAllSatisfy = Publishers.TryAllSatisfy(upstream: source, predicate: { $0 > 1 })
    #expect((tryAllSatisfy.upstream, try tryAllSatisfy.predicate(1)) == (source, false))
  }

  @Test func `sequence operations`() throws {
    let dropUntil = Publishers.DropUntilOutput(upstream: source, other: Just(1))
    #expect((dropUntil.upstream, dropUntil.other) == (source, Just(1)))
    let drop = Publishers.Drop(upstream: source, count: 2)
    #expect((drop.upstream, drop.count) == (source, 2))
    let dropWhile = Publishers.DropWhile(upstream: source, predicate: { $0 > 1 })
    #expect((dropWhile.upstream, dropWhile.predicate(1)) == (source, false))
    let tryDropWhile = Publishers.TryDropWhile(upstream: source, predicate: { $0 > 1 })
    #expect((tryDropWhile.upstream, try tryDropWhile.predicate(1)) == (source, false))
    let concatenate = Publishers.Concatenate(prefix: source, suffix: Just(1))
    #expect((concatenate.prefix, concatenate.suffix) == (source, Just(1)))
    let output = Publishers.Output(upstream: source, range: 1..<2)
    #expect((output.upstream, output.range) == (source, 1..<2))
    let prefixWhile = Publishers.PrefixWhile(upstream: source, predicate: { $0 > 1 })
    #expect((prefixWhile.upstream, prefixWhile.predicate(1)) == (source, false))
    let tryPrefixWhile = Publishers.TryPrefixWhile(upstream: source, predicate: { $0 > 1 })
    #expect((tryPrefixWhile.upstream, try tryPrefixWhile.predicate(1)) == (source, false))
    let prefixUntil = Publishers.PrefixUntilOutput(upstream: source, other: Just(1))
    #expect((prefixUntil.upstream, prefixUntil.other) == (source, Just(1)))
    #expect(Publishers.First(upstream: source).upstream == source)
    let firstWhere = Publishers.FirstWhere(upstream: source, predicate: { $0 > 1 })
    #expect((firstWhere.upstream, firstWhere.predicate(1)) == (source, false))
    let tryFirstWhere = Publishers.TryFirstWhere(upstream: source, predicate: { $0 > 1 })
    #expect((tryFirstWhere.upstream, try tryFirstWhere.predicate(1)) == (source, false))
    #expect(Publishers.Last(upstream: source).upstream == source)
    let lastWhere = Publishers.LastWhere(upstream: source, predicate: { $0 > 1 })
    #expect((lastWhere.upstream, lastWhere.predicate(1)) == (source, false))
    let tryLastWhere = Publishers.TryLastWhere(upstream: source, predicate: { $0 > 1 })
    #expect((tryLastWhere.upstream, try tryLastWhere.predicate(1)) == (source, false))
  }

  @Test func `combining publishers`() {
    let (a, b) = (source, Just(1))
    let latest = Publishers.CombineLatest(a, b)
    #expect((latest.a, latest.b) == (a, b))
    let latest3 = Publishers.CombineLatest3(a, b, a)
    #expect((latest3.a, latest3.b, latest3.c) == (a, b, a))
    let latest4 = Publishers.CombineLatest4(a, b, a, b)
    #expect((latest4.a, latest4.b, latest4.c, latest4.d) == (a, b, a, b))
    expectKinds(latest4, (Int, Int, Int, Int).self, Never.self)
    let zip = Publishers.Zip(a, b)
    #expect((zip.a, zip.b) == (a, b))
    let zip3 = Publishers.Zip3(a, b, a)
    #expect((zip3.a, zip3.b, zip3.c) == (a, b, a))
    let zip4 = Publishers.Zip4(a, b, a, b)
    #expect((zip4.a, zip4.b, zip4.c, zip4.d) == (a, b, a, b))
    let merge = Publishers.Merge(a, b)
    #expect((merge.a, merge.b) == (a, b))
    let merge3 = Publishers.Merge3(a, b, a)
    #expect((merge3.a, merge3.b, merge3.c) == (a, b, a))
    let merge4 = Publishers.Merge4(a, b, a, b)
    #expect((merge4.a, merge4.b, merge4.c, merge4.d) == (a, b, a, b))
    let merge5 = Publishers.Merge5(a, b, a, b, a)
    #expect((merge5.a, merge5.b, merge5.c, merge5.d, merge5.e) == (a, b, a, b, a))
    let merge6 = Publishers.Merge6(a, b, a, b, a, b)
    #expect((merge6.a, merge6.b, merge6.c, merge6.d, merge6.e, merge6.f) == (a, b, a, b, a, b))
    let merge7 = Publishers.Merge7(a, b, a, b, a, b, a)
    #expect((merge7.a, merge7.b, merge7.c, merge7.d, merge7.e, merge7.f) == (a, b, a, b, a, b))
    #expect(merge7.g == a)
    let merge8 = Publishers.Merge8(a, b, a, b, a, b, a, b)
    #expect((merge8.a, merge8.b, merge8.c, merge8.d, merge8.e, merge8.f) == (a, b, a, b, a, b))
    #expect((merge8.g, merge8.h) == (a, b))
    let many = Publishers.MergeMany(a, a)
    #expect(many.publishers == [a, a])
    #expect(Publishers.MergeMany(Set([1, 2]).map { Just($0) }).publishers.count == 2)
  }

  @Test func `handling errors`() throws {
    let assertion = Publishers.AssertNoFailure(upstream: fallible, prefix: "load", file: "File.swift", line: 7)
    #expect(
      (assertion.upstream, assertion.prefix, "\(assertion.file)", assertion.line) == (fallible, "load", "File.swift", 7)
    )
    expectKinds(assertion, Int.self, Never.self)
    let caught = Publishers.Catch(upstream: fallible, handler: { _ in Just(1) })
    #expect((caught.upstream, caught.handler(.first)) == (fallible, Just(1)))
    expectKinds(caught, Int.self, Never.self)
    let tryCatch = Publishers.TryCatch(upstream: fallible, handler: { _ in Just(1) })
    #expect((tryCatch.upstream, try tryCatch.handler(.first)) == (fallible, Just(1)))
    let retry = Publishers.Retry(upstream: fallible, retries: 2)
    #expect((retry.upstream, retry.retries) == (fallible, 2))
    #expect(Publishers.Retry(upstream: fallible, retries: nil).retries == nil)
  }

  @Test func `controlling time`() {
    let measured = Publishers.MeasureInterval(upstream: source, scheduler: scheduler)
    #expect(measured.upstream == source && measured.scheduler === scheduler)
    expectKinds(measured, DispatchQueue.SchedulerTimeType.Stride.self, Never.self)
    let debounce = Publishers.Debounce(upstream: source, dueTime: 1, scheduler: scheduler, options: nil)
    #expect(debounce.upstream == source && debounce.dueTime == 1 && debounce.scheduler === scheduler)
    #expect(debounce.options == nil)
    let delay = Publishers.Delay(upstream: source, interval: 1, tolerance: 2, scheduler: scheduler)
    #expect(delay.upstream == source && delay.interval == 1 && delay.tolerance == 2 && delay.scheduler === scheduler)
    #expect(delay.options == nil)
    _ = Publishers.Delay(upstream: source, interval: 1, tolerance: 2, scheduler: scheduler, options: nil)
    let throttle = Publishers.Throttle(upstream: source, interval: 1, scheduler: scheduler, latest: true)
    #expect(
      throttle.upstream == source && throttle.interval == 1 && throttle.scheduler === scheduler && throttle.latest)
    let timeout = Publishers.Timeout(
      upstream: fallible, interval: 1, scheduler: scheduler, options: nil, customError: { .second })
    #expect(timeout.upstream == fallible && timeout.interval == 1 && timeout.scheduler === scheduler)
    #expect(timeout.options == nil && timeout.customError?() == .second)
    let receiveOn = Publishers.ReceiveOn(upstream: source, scheduler: scheduler, options: nil)
    #expect(receiveOn.upstream == source && receiveOn.scheduler === scheduler && receiveOn.options == nil)
    let subscribeOn = Publishers.SubscribeOn(upstream: source, scheduler: scheduler, options: nil)
    #expect(subscribeOn.upstream == source && subscribeOn.scheduler === scheduler && subscribeOn.options == nil)
  }

  @Test func `buffering, debugging and coding`() {
    let buffer = Publishers.Buffer(upstream: source, size: 1, prefetch: .keepFull, whenFull: .dropNewest)
    #expect((buffer.upstream, buffer.size, buffer.prefetch) == (source, 1, .keepFull))
    if case .dropNewest = buffer.whenFull {} else { Issue.record("another strategy") }
    var events = Publishers.HandleEvents(
      upstream: source, receiveSubscription: nil, receiveOutput: nil, receiveCompletion: nil, receiveCancel: nil,
      receiveRequest: nil)
    #expect(events.upstream == source)
    events.receiveSubscription = { _ in }
    events.receiveOutput = { _ in }
    events.receiveCompletion = { _ in }
    events.receiveCancel = {}
    events.receiveRequest = { _ in }
    let printed = Publishers.Print(upstream: source, prefix: "numbers", to: nil)
    #expect((printed.upstream, printed.prefix) == (source, "numbers"))
    #expect(printed.stream == nil)
    _ = Publishers.Print(upstream: source, prefix: "numbers")
    let breakpoint = Publishers.Breakpoint(
      upstream: source, receiveSubscription: { _ in false }, receiveOutput: { $0 > 1 },
      receiveCompletion: { _ in false })
    #expect(breakpoint.upstream == source)
    #expect(breakpoint.receiveSubscription?(Subscriptions.empty) == false)
    #expect(breakpoint.receiveOutput?(2) == true)
    #expect(breakpoint.receiveCompletion?(.finished) == false)
    #expect(Publishers.Breakpoint(upstream: source).receiveOutput == nil)
    let encode = Publishers.Encode(upstream: source, encoder: Coder())
    #expect(encode.upstream == source)
    expectKinds(encode, Data.self, (any Error).self)
    let data = Just(Data())
    let decode = Publishers.Decode<Just<Data>, Point, Coder>(upstream: data, decoder: Coder())
    #expect(decode.upstream == data)
    expectKinds(decode, Point.self, (any Error).self)
  }

  @Test func `sharing`() {
    typealias Sub = PassthroughSubject<Int, Never>
    #expect(Publishers.Share(upstream: source).upstream == source)
    let multicast = Publishers.Multicast(upstream: source, createSubject: { Sub() })
    #expect(multicast.upstream == source)
    expectType(multicast.createSubject(), is: Sub.self)
    let connectable = Publishers.MakeConnectable(upstream: source)
    connectable.connect().cancel()
    expectType(Publishers.Autoconnect(upstream: connectable).upstream, is: type(of: connectable))
  }
}

/// Equatable, hashable and sendable types.
struct ConformanceTests {
  @Test func `operators are equatable where their components are`() {
    let a = [1, 2].publisher
    let b = Just(1)
    expectEqual { Empty<Int, Never>() }
    expectEqual { Fail<Int, TestError>(error: .first) }
    expectEqual { Just(1) }
    expectEqual { Optional(1).publisher }
    expectEqual { Result<Int, TestError>.success(1).publisher }
    expectEqual { a }
    expectEqual { Publishers.Collect(upstream: a) }
    expectEqual { Publishers.CollectByCount(upstream: a, count: 1) }
    expectEqual { Publishers.Concatenate(prefix: a, suffix: b) }
    expectEqual { Publishers.Contains(upstream: a, output: 1) }
    expectEqual { Publishers.Count(upstream: a) }
    expectEqual { Publishers.Drop(upstream: a, count: 1) }
    expectEqual { Publishers.DropUntilOutput(upstream: a, other: b) }
    expectEqual { Publishers.First(upstream: a) }
    expectEqual { Publishers.IgnoreOutput(upstream: a) }
    expectEqual { Publishers.Last(upstream: a) }
    expectEqual { Publishers.Output(upstream: a, range: 0..<1) }
    expectEqual { Publishers.PrefetchStrategy.keepFull }
    expectEqual { Publishers.ReplaceEmpty(upstream: a, output: 1) }
    expectEqual { Publishers.ReplaceError(upstream: a, output: 1) }
    expectEqual { Publishers.Retry(upstream: a, retries: 1) }
    expectEqual { Publishers.SetFailureType<Just<Int>, TestError>(upstream: b) }
    expectEqual { Publishers.CombineLatest(a, b) }
    expectEqual { Publishers.CombineLatest3(a, b, a) }
    expectEqual { Publishers.CombineLatest4(a, b, a, b) }
    expectEqual { Publishers.Zip(a, b) }
    expectEqual { Publishers.Zip3(a, b, a) }
    expectEqual { Publishers.Zip4(a, b, a, b) }
    expectEqual { Publishers.Merge(a, b) }
    expectEqual { Publishers.Merge3(a, b, a) }
    expectEqual { Publishers.Merge4(a, b, a, b) }
    expectEqual { Publishers.Merge5(a, b, a, b, a) }
    expectEqual { Publishers.Merge6(a, b, a, b, a, b) }
    expectEqual { Publishers.Merge7(a, b, a, b, a, b, a) }
    expectEqual { Publishers.Merge8(a, b, a, b, a, b, a, b) }
    expectEqual { Publishers.MergeMany(a, a) }
    let share = a.share()
    #expect(share == share)
    #expect(share != a.share())
  }

  @Test func `operators are sendable where their components are`() {
    func check<T: Sendable>(_ value: T) {}
    check(Just(1))
    check([1].publisher)
    check(Empty<Int, Never>())
    check(Fail<Int, TestError>(error: .first))
    check(Record<Int, TestError>(output: [1], completion: .finished))
    check(PassthroughSubject<Int, Never>())
    check(CurrentValueSubject<Int, Never>(1))
    check(Future<Int, Never> { _ in })
    check(AnyCancellable {})
    check(Subscribers.Demand.unlimited)
    check(Subscribers.Completion<TestError>.finished)
    check(Just(1).eraseToAnySendablePublisher())
    check([1].publisher.collect(.byTime(DispatchQueue.main, 1)))
  }
}
