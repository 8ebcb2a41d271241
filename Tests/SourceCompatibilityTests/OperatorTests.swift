import Foundation
import StreamFoundation
import Testing

private struct Coder: TopLevelEncoder, TopLevelDecoder {
  func encode<T: Encodable>(_ value: T) throws -> Data { try JSONEncoder().encode(value) }
  func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T { try JSONDecoder().decode(type, from: data) }
}

private final class Lines: TextOutputStream {
  var text = ""

  func write(_ string: String) { text += string }
}

private final class Label {
  var number = 0
  @Published var text = ""
}

private typealias Source = Deferred<Publishers.Sequence<[Int], Never>>
private typealias Failing = Deferred<Publishers.Sequence<[Int], TestError>>

/// Every operator of a publisher type without operators of its own, with the type of the result.
struct OperatorTests {
  private let source = numbers(3, 1, 2)
  private let fallible = failing(3, 1, 2)
  private let points = Deferred { Just(Point()) }
  private let optionals = Deferred { [1, nil].publisher }

  @Test func `mapping elements`() {
    expectType(source.map { "\($0)" }, is: Publishers.Map<Source, String>.self)
    expectType(source.map(String.init), is: Publishers.Map<Source, String>.self)
    expectType(source.tryMap { "\($0)" }, is: Publishers.TryMap<Source, String>.self)
    expectType(points.map(\.x), is: Publishers.MapKeyPath<Deferred<Just<Point>>, Int>.self)
    expectType(points.map(\.x, \.y), is: Publishers.MapKeyPath2<Deferred<Just<Point>>, Int, Int>.self)
    expectType(points.map(\.x, \.y, \.z), is: Publishers.MapKeyPath3<Deferred<Just<Point>>, Int, Int, Int>.self)
    expectType(fallible.mapError { $0 as NSError }, is: Publishers.MapError<Failing, NSError>.self)
    expectType(
      optionals.replaceNil(with: 0), is: Publishers.Map<Deferred<Publishers.Sequence<[Int?], Never>>, Int>.self)
    expectType(source.scan("") { "\($0)\($1)" }, is: Publishers.Scan<Source, String>.self)
    expectType(source.tryScan("") { "\($0)\($1)" }, is: Publishers.TryScan<Source, String>.self)
    expectType(source.setFailureType(to: TestError.self), is: Publishers.SetFailureType<Source, TestError>.self)
    #expect(run(source.scan(0, +)) == ["3", "4", "6", "finished"])
    #expect(run(points.map(\.x, \.y, \.z)) == ["(1, 2, 3)", "finished"])
  }

  @Test func `flatMap and switchToLatest`() {
    expectType(fallible.flatMap { failing($0) }, is: Publishers.FlatMap<Failing, Failing>.self)
    expectType(
      fallible.flatMap { numbers($0) },
      is: Publishers.FlatMap<Publishers.SetFailureType<Source, TestError>, Failing>.self)
    expectType(
      source.flatMap { failing($0) },
      is: Publishers.FlatMap<Failing, Publishers.SetFailureType<Source, TestError>>.self)
    expectType(source.flatMap { numbers($0) }, is: Publishers.FlatMap<Source, Source>.self)
    expectType(
      source.flatMap(maxPublishers: .max(1)) { numbers($0, $0) }, is: Publishers.FlatMap<Source, Source>.self)
    #expect(run(source.flatMap(maxPublishers: .max(1)) { numbers($0) }) == ["3", "1", "2", "finished"])
    #expect(run(fallible.flatMap { numbers($0) }) == ["3", "1", "2", "finished"])
    #expect(run(fallible.map { failing($0) }.switchToLatest()).last == "finished")
    #expect(run(fallible.map { numbers($0) }.switchToLatest()).last == "finished")
    #expect(run(source.map { failing($0) }.switchToLatest()).last == "finished")
    expectType(
      source.map { numbers($0) }.switchToLatest(),
      is: Publishers.SwitchToLatest<Source, Publishers.Map<Source, Source>>.self)
    expectType(
      source.map { failing($0) }.switchToLatest(),
      is: Publishers.SwitchToLatest<Failing, Publishers.SetFailureType<Publishers.Map<Source, Failing>, TestError>>.self
    )
    typealias Raised = Publishers.SetFailureType<Source, TestError>
    expectType(
      fallible.map { numbers($0) }.switchToLatest(),
      is: Publishers.SwitchToLatest<Raised, Publishers.Map<Publishers.Map<Failing, Source>, Raised>>.self)
    expectType(
      fallible.map { failing($0) }.switchToLatest(),
      is: Publishers.SwitchToLatest<Failing, Publishers.Map<Failing, Failing>>.self)
  }

  @Test func `filtering elements`() {
    expectType(source.filter { $0 > 1 }, is: Publishers.Filter<Source>.self)
    expectType(source.tryFilter { $0 > 1 }, is: Publishers.TryFilter<Source>.self)
    expectType(source.compactMap { Int("\($0)") }, is: Publishers.CompactMap<Source, Int>.self)
    expectType(source.tryCompactMap { Int("\($0)") }, is: Publishers.TryCompactMap<Source, Int>.self)
    expectType(source.removeDuplicates(), is: Publishers.RemoveDuplicates<Source>.self)
    expectType(source.removeDuplicates { $0 == $1 }, is: Publishers.RemoveDuplicates<Source>.self)
    expectType(source.removeDuplicates(by: ==), is: Publishers.RemoveDuplicates<Source>.self)
    expectType(source.tryRemoveDuplicates { $0 == $1 }, is: Publishers.TryRemoveDuplicates<Source>.self)
    expectType(source.replaceEmpty(with: 0), is: Publishers.ReplaceEmpty<Source>.self)
    expectType(fallible.replaceError(with: 0), is: Publishers.ReplaceError<Failing>.self)
    #expect(run(source.filter { $0 > 1 }.compactMap { Int("\($0)") }) == ["3", "2", "finished"])
  }

  @Test func `reducing elements`() {
    expectType(source.collect(), is: Publishers.Collect<Source>.self)
    expectType(source.collect(2), is: Publishers.CollectByCount<Source>.self)
    let queue = DispatchQueue.test
    expectType(
      source.collect(.byTime(queue, .seconds(1))),
      is: Publishers.CollectByTime<Source, TestSchedulerOf<DispatchQueue>>.self)
    expectType(
      source.collect(.byTimeOrCount(DispatchQueue.main, .seconds(1), 2), options: .init(qos: .utility)),
      is: Publishers.CollectByTime<Source, DispatchQueue>.self)
    expectType(source.ignoreOutput(), is: Publishers.IgnoreOutput<Source>.self)
    expectType(source.reduce("") { "\($0)\($1)" }, is: Publishers.Reduce<Source, String>.self)
    expectType(source.tryReduce("") { "\($0)\($1)" }, is: Publishers.TryReduce<Source, String>.self)
    expectType(source.count(), is: Publishers.Count<Source>.self)
    expectType(source.max(), is: Publishers.Comparison<Source>.self)
    expectType(source.max(by: >), is: Publishers.Comparison<Source>.self)
    expectType(source.tryMax(by: >), is: Publishers.TryComparison<Source>.self)
    expectType(source.min(), is: Publishers.Comparison<Source>.self)
    expectType(source.min { $0 > $1 }, is: Publishers.Comparison<Source>.self)
    expectType(source.tryMin { $0 > $1 }, is: Publishers.TryComparison<Source>.self)
    #expect(run(source.collect(.byTime(ImmediateScheduler.shared, .seconds(1)))).last == "finished")
    #expect(run(source.collect(2)) == ["[3, 1]", "[2]", "finished"])
    #expect(run(source.reduce(0, +).zip(source.max(), source.count())) == ["(6, 3, 3)", "finished"])
  }

  @Test func `matching elements`() {
    expectType(source.contains(1), is: Publishers.Contains<Source>.self)
    expectType(source.contains { $0 > 1 }, is: Publishers.ContainsWhere<Source>.self)
    expectType(source.contains(where: { $0 > 1 }), is: Publishers.ContainsWhere<Source>.self)
    expectType(source.tryContains { $0 > 1 }, is: Publishers.TryContainsWhere<Source>.self)
    expectType(source.allSatisfy { $0 > 1 }, is: Publishers.AllSatisfy<Source>.self)
    expectType(source.tryAllSatisfy { $0 > 1 }, is: Publishers.TryAllSatisfy<Source>.self)
    #expect(run(source.contains(1).zip(source.allSatisfy { $0 > 1 })) == ["(true, false)", "finished"])
  }

  @Test func `sequence operations`() {
    let trigger = PassthroughSubject<Void, Never>()
    expectType(
      source.drop(untilOutputFrom: trigger),
      is: Publishers.DropUntilOutput<Source, PassthroughSubject<Void, Never>>.self)
    expectType(source.dropFirst(), is: Publishers.Drop<Source>.self)
    expectType(source.dropFirst(2), is: Publishers.Drop<Source>.self)
    expectType(source.drop { $0 > 1 }, is: Publishers.DropWhile<Source>.self)
    expectType(source.drop(while: { $0 > 1 }), is: Publishers.DropWhile<Source>.self)
    expectType(source.tryDrop { $0 > 1 }, is: Publishers.TryDropWhile<Source>.self)
    typealias Numbers = Publishers.Sequence<[Int], Never>
    expectType(source.append(1), is: Publishers.Concatenate<Source, Numbers>.self)
    expectType(source.append(1, 2), is: Publishers.Concatenate<Source, Numbers>.self)
    expectType(source.append([1, 2]), is: Publishers.Concatenate<Source, Numbers>.self)
    expectType(
      source.append(1...2), is: Publishers.Concatenate<Source, Publishers.Sequence<ClosedRange<Int>, Never>>.self)
    expectType(source.append(source), is: Publishers.Concatenate<Source, Source>.self)
    expectType(source.prepend(1), is: Publishers.Concatenate<Numbers, Source>.self)
    expectType(source.prepend(1, 2), is: Publishers.Concatenate<Numbers, Source>.self)
    expectType(source.prepend([1, 2]), is: Publishers.Concatenate<Numbers, Source>.self)
    expectType(source.prepend(source), is: Publishers.Concatenate<Source, Source>.self)
    expectType(source.prefix(2), is: Publishers.Output<Source>.self)
    expectType(source.prefix { $0 > 1 }, is: Publishers.PrefixWhile<Source>.self)
    expectType(source.prefix(while: { $0 > 1 }), is: Publishers.PrefixWhile<Source>.self)
    expectType(source.tryPrefix { $0 > 1 }, is: Publishers.TryPrefixWhile<Source>.self)
    expectType(
      source.prefix(untilOutputFrom: trigger),
      is: Publishers.PrefixUntilOutput<Source, PassthroughSubject<Void, Never>>.self)
    #expect(run(source.prepend(7).append(8, 9).dropFirst()) == ["3", "1", "2", "8", "9", "finished"])
  }

  @Test func `selecting elements`() {
    expectType(source.first(), is: Publishers.First<Source>.self)
    expectType(source.first { $0 > 1 }, is: Publishers.FirstWhere<Source>.self)
    expectType(source.tryFirst { $0 > 1 }, is: Publishers.TryFirstWhere<Source>.self)
    expectType(source.last(), is: Publishers.Last<Source>.self)
    expectType(source.last { $0 > 1 }, is: Publishers.LastWhere<Source>.self)
    expectType(source.tryLast { $0 > 1 }, is: Publishers.TryLastWhere<Source>.self)
    expectType(source.output(at: 1), is: Publishers.Output<Source>.self)
    expectType(source.output(in: 1...2), is: Publishers.Output<Source>.self)
    expectType(source.output(in: 1...), is: Publishers.Output<Source>.self)
    expectType(source.output(in: ..<2), is: Publishers.Output<Source>.self)
    #expect(run(source.first().append(source.last(where: { $0 < 3 }))) == ["3", "2", "finished"])
  }

  @Test func `combining publishers`() {
    let (b, c, d) = (numbers(4), numbers(5), numbers(6))
    expectType(source.combineLatest(b), is: Publishers.CombineLatest<Source, Source>.self)
    expectType(
      source.combineLatest(b) { $0 + $1 }, is: Publishers.Map<Publishers.CombineLatest<Source, Source>, Int>.self)
    expectType(source.combineLatest(b, c), is: Publishers.CombineLatest3<Source, Source, Source>.self)
    expectType(
      source.combineLatest(b, c) { $0 + $1 + $2 },
      is: Publishers.Map<Publishers.CombineLatest3<Source, Source, Source>, Int>.self)
    expectType(source.combineLatest(b, c, d), is: Publishers.CombineLatest4<Source, Source, Source, Source>.self)
    expectType(
      source.combineLatest(b, c, d) { $0 + $1 + $2 + $3 },
      is: Publishers.Map<Publishers.CombineLatest4<Source, Source, Source, Source>, Int>.self)
    expectType(source.zip(b), is: Publishers.Zip<Source, Source>.self)
    expectType(source.zip(b) { $0 + $1 }, is: Publishers.Map<Publishers.Zip<Source, Source>, Int>.self)
    expectType(source.zip(b, c), is: Publishers.Zip3<Source, Source, Source>.self)
    expectType(
      source.zip(b, c) { $0 + $1 + $2 }, is: Publishers.Map<Publishers.Zip3<Source, Source, Source>, Int>.self)
    expectType(source.zip(b, c, d), is: Publishers.Zip4<Source, Source, Source, Source>.self)
    expectType(
      source.zip(b, c, d) { $0 + $1 + $2 + $3 },
      is: Publishers.Map<Publishers.Zip4<Source, Source, Source, Source>, Int>.self)
    #expect(run(source.zip(b, c, d)) == ["(3, 4, 5, 6)", "finished"])
  }

  @Test func `merging publishers`() {
    typealias S = Source
    typealias J = Just<Int>
    let j = Just(1)
    expectType(source.merge(with: source), is: Publishers.MergeMany<S>.self)
    expectType(source.merge(with: j), is: Publishers.Merge<S, J>.self)
    expectType(source.merge(with: j, j), is: Publishers.Merge3<S, J, J>.self)
    expectType(source.merge(with: j, j, j), is: Publishers.Merge4<S, J, J, J>.self)
    expectType(source.merge(with: j, j, j, j), is: Publishers.Merge5<S, J, J, J, J>.self)
    expectType(source.merge(with: j, j, j, j, j), is: Publishers.Merge6<S, J, J, J, J, J>.self)
    expectType(source.merge(with: j, j, j, j, j, j), is: Publishers.Merge7<S, J, J, J, J, J, J>.self)
    expectType(source.merge(with: j, j, j, j, j, j, j), is: Publishers.Merge8<S, J, J, J, J, J, J, J>.self)
    expectType(Publishers.MergeMany(j, j).merge(with: j), is: Publishers.MergeMany<J>.self)
    expectType(Publishers.MergeMany([j, j]), is: Publishers.MergeMany<J>.self)
    #expect(run(source.merge(with: j)) == ["3", "1", "2", "1", "finished"])
  }

  @Test func `members of merge types that add upstreams`() {
    typealias J = Just<Int>
    let j = Just(1)
    let two = Publishers.Merge(j, j)
    expectType(two.merge(with: j), is: Publishers.Merge3<J, J, J>.self)
    expectType(two.merge(with: j, j), is: Publishers.Merge4<J, J, J, J>.self)
    expectType(two.merge(with: j, j, j), is: Publishers.Merge5<J, J, J, J, J>.self)
    expectType(two.merge(with: j, j, j, j), is: Publishers.Merge6<J, J, J, J, J, J>.self)
    expectType(two.merge(with: j, j, j, j, j), is: Publishers.Merge7<J, J, J, J, J, J, J>.self)
    expectType(two.merge(with: j, j, j, j, j, j), is: Publishers.Merge8<J, J, J, J, J, J, J, J>.self)
    let three = Publishers.Merge3(j, j, j)
    expectType(three.merge(with: j), is: Publishers.Merge4<J, J, J, J>.self)
    expectType(three.merge(with: j, j), is: Publishers.Merge5<J, J, J, J, J>.self)
    expectType(three.merge(with: j, j, j), is: Publishers.Merge6<J, J, J, J, J, J>.self)
    expectType(three.merge(with: j, j, j, j), is: Publishers.Merge7<J, J, J, J, J, J, J>.self)
    expectType(three.merge(with: j, j, j, j, j), is: Publishers.Merge8<J, J, J, J, J, J, J, J>.self)
    let four = Publishers.Merge4(j, j, j, j)
    expectType(four.merge(with: j), is: Publishers.Merge5<J, J, J, J, J>.self)
    expectType(four.merge(with: j, j), is: Publishers.Merge6<J, J, J, J, J, J>.self)
    expectType(four.merge(with: j, j, j), is: Publishers.Merge7<J, J, J, J, J, J, J>.self)
    expectType(four.merge(with: j, j, j, j), is: Publishers.Merge8<J, J, J, J, J, J, J, J>.self)
    let five = Publishers.Merge5(j, j, j, j, j)
    expectType(five.merge(with: j), is: Publishers.Merge6<J, J, J, J, J, J>.self)
    expectType(five.merge(with: j, j), is: Publishers.Merge7<J, J, J, J, J, J, J>.self)
    expectType(five.merge(with: j, j, j), is: Publishers.Merge8<J, J, J, J, J, J, J, J>.self)
    let six = Publishers.Merge6(j, j, j, j, j, j)
    expectType(six.merge(with: j), is: Publishers.Merge7<J, J, J, J, J, J, J>.self)
    expectType(six.merge(with: j, j), is: Publishers.Merge8<J, J, J, J, J, J, J, J>.self)
    let seven = Publishers.Merge7(j, j, j, j, j, j, j)
    expectType(seven.merge(with: j), is: Publishers.Merge8<J, J, J, J, J, J, J, J>.self)
    #expect(run(seven.merge(with: j)).count == 9)
  }

  @Test func `members that fuse`() {
    typealias Sub = PassthroughSubject<Int, Never>
    let subject = Sub()
    // Unlike with Combine, they fuse where their type is required.
    func fuse<Fused: Publisher>(_ publisher: Fused, into _: Fused.Type) {
      #expect(!(publisher is Publishers.Map<Publishers.Map<Sub, Int>, Int>))
    }
    fuse(subject.map { $0 }.map { $0 }, into: Publishers.Map<Sub, Int>.self)
    fuse(subject.map { $0 }.tryMap { $0 }, into: Publishers.TryMap<Sub, Int>.self)
    fuse(subject.tryMap { $0 }.map { $0 }, into: Publishers.TryMap<Sub, Int>.self)
    fuse(subject.tryMap { $0 }.tryMap { $0 }, into: Publishers.TryMap<Sub, Int>.self)
    fuse(subject.filter { $0 > 0 }.filter { $0 > 1 }, into: Publishers.Filter<Sub>.self)
    fuse(subject.filter { $0 > 0 }.tryFilter { $0 > 1 }, into: Publishers.TryFilter<Sub>.self)
    fuse(subject.tryFilter { $0 > 0 }.filter { $0 > 1 }, into: Publishers.TryFilter<Sub>.self)
    fuse(subject.tryFilter { $0 > 0 }.tryFilter { $0 > 1 }, into: Publishers.TryFilter<Sub>.self)
    fuse(subject.compactMap { $0 as Int? }.map { "\($0)" }, into: Publishers.CompactMap<Sub, String>.self)
    fuse(
      subject.compactMap { $0 as Int? }.compactMap { "\($0)" as String? }, into: Publishers.CompactMap<Sub, String>.self
    )
    fuse(
      subject.tryCompactMap { $0 as Int? }.compactMap { "\($0)" as String? },
      into: Publishers.TryCompactMap<Sub, String>.self)
    expectType(
      subject.setFailureType(to: TestError.self), is: Publishers.SetFailureType<Sub, TestError>.self)
    // As with Combine, only the member of the type itself fuses.
    expectType(
      Publishers.SetFailureType<Sub, Never>(upstream: subject).setFailureType(to: TestError.self),
      is: Publishers.SetFailureType<Sub, TestError>.self)
  }

  @Test func `handling errors`() {
    expectType(fallible.assertNoFailure(), is: Publishers.AssertNoFailure<Failing>.self)
    expectType(fallible.assertNoFailure("load", file: #file, line: #line), is: Publishers.AssertNoFailure<Failing>.self)
    expectType(fallible.catch { _ in Just(0) }, is: Publishers.Catch<Failing, Just<Int>>.self)
    expectType(fallible.tryCatch { _ in Just(0) }, is: Publishers.TryCatch<Failing, Just<Int>>.self)
    expectType(fallible.retry(1), is: Publishers.Retry<Failing>.self)
    let fails = Deferred { Fail<Int, TestError>(error: .first) }
    #expect(run(fails.retry(1).catch { error in Just(error == .first ? 1 : 2) }) == ["1", "finished"])
    #expect(run(fails.tryCatch { error -> Just<Int> in throw error }.replaceError(with: 3)) == ["3", "finished"])
  }

  @Test func `controlling time`() {
    let queue = DispatchQueue.test
    typealias Queue = TestSchedulerOf<DispatchQueue>
    expectType(source.measureInterval(using: queue), is: Publishers.MeasureInterval<Source, Queue>.self)
    expectType(source.measureInterval(using: queue, options: nil), is: Publishers.MeasureInterval<Source, Queue>.self)
    expectType(source.debounce(for: .seconds(1), scheduler: queue), is: Publishers.Debounce<Source, Queue>.self)
    expectType(source.debounce(for: 0.5, scheduler: queue, options: nil), is: Publishers.Debounce<Source, Queue>.self)
    expectType(source.delay(for: 1, scheduler: queue), is: Publishers.Delay<Source, Queue>.self)
    expectType(
      source.delay(for: 1, tolerance: 2, scheduler: queue, options: nil), is: Publishers.Delay<Source, Queue>.self)
    expectType(
      source.throttle(for: .milliseconds(10), scheduler: queue, latest: true),
      is: Publishers.Throttle<Source, Queue>.self)
    expectType(source.timeout(1, scheduler: queue), is: Publishers.Timeout<Source, Queue>.self)
    expectType(
      fallible.timeout(.seconds(1), scheduler: queue, options: nil, customError: { .first }),
      is: Publishers.Timeout<Failing, Queue>.self)
    expectType(source.receive(on: queue), is: Publishers.ReceiveOn<Source, Queue>.self)
    expectType(source.receive(on: queue, options: nil), is: Publishers.ReceiveOn<Source, Queue>.self)
    expectType(source.subscribe(on: queue), is: Publishers.SubscribeOn<Source, Queue>.self)
    expectType(source.subscribe(on: queue, options: nil), is: Publishers.SubscribeOn<Source, Queue>.self)
    #expect(run(source.throttle(for: 1, scheduler: DispatchQueue.immediate, latest: false)).last == "finished")
  }

  @Test func `buffering`() {
    expectType(
      source.buffer(size: 2, prefetch: .keepFull, whenFull: .dropNewest), is: Publishers.Buffer<Source>.self)
    expectType(
      source.buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest), is: Publishers.Buffer<Source>.self)
    expectType(
      fallible.buffer(size: 2, prefetch: .byRequest, whenFull: .customError { .first }),
      is: Publishers.Buffer<Failing>.self)
    #expect(run(source.buffer(size: 9, prefetch: .keepFull, whenFull: .dropNewest)) == ["3", "1", "2", "finished"])
  }

  @Test func `debugging`() {
    expectType(source.handleEvents(), is: Publishers.HandleEvents<Source>.self)
    expectType(
      source.handleEvents(
        receiveSubscription: { _ in }, receiveOutput: { _ in }, receiveCompletion: { _ in }, receiveCancel: {},
        receiveRequest: { _ in }), is: Publishers.HandleEvents<Source>.self)
    let lines = Lines()
    expectType(source.print(), is: Publishers.Print<Source>.self)
    expectType(source.print("numbers", to: lines), is: Publishers.Print<Source>.self)
    expectType(source.breakpoint(), is: Publishers.Breakpoint<Source>.self)
    expectType(
      source.breakpoint(
        receiveSubscription: { _ in false }, receiveOutput: { $0 < 0 }, receiveCompletion: { _ in false }),
      is: Publishers.Breakpoint<Source>.self)
    expectType(fallible.breakpointOnError(), is: Publishers.Breakpoint<Failing>.self)
    _ = run(source.print("numbers", to: lines).breakpointOnError())
    #expect(lines.text.contains("numbers: receive value: (3)"))
  }

  @Test func `coding`() {
    let data = Deferred { Just(Data("{\"x\":1,\"y\":2,\"z\":3}".utf8)) }
    expectType(points.encode(encoder: Coder()), is: Publishers.Encode<Deferred<Just<Point>>, Coder>.self)
    expectType(points.encode(encoder: JSONEncoder()), is: Publishers.Encode<Deferred<Just<Point>>, JSONEncoder>.self)
    expectType(
      data.decode(type: Point.self, decoder: Coder()), is: Publishers.Decode<Deferred<Just<Data>>, Point, Coder>.self)
    expectType(
      data.decode(type: Point.self, decoder: JSONDecoder()),
      is: Publishers.Decode<Deferred<Just<Data>>, Point, JSONDecoder>.self)
    #expect(run(data.decode(type: Point.self, decoder: JSONDecoder()).map(\.x)) == ["1", "finished"])
  }

  @Test func `sharing`() {
    typealias Sub = PassthroughSubject<Int, Never>
    expectType(source.share(), is: Publishers.Share<Source>.self)
    expectType(source.multicast { Sub() }, is: Publishers.Multicast<Source, Sub>.self)
    expectType(source.multicast(subject: Sub()), is: Publishers.Multicast<Source, Sub>.self)
    expectType(source.makeConnectable(), is: Publishers.MakeConnectable<Source>.self)
    expectType(
      source.makeConnectable().autoconnect(), is: Publishers.Autoconnect<Publishers.MakeConnectable<Source>>.self)
    #expect(run(source.multicast(subject: Sub()).autoconnect()) == ["3", "1", "2", "finished"])
  }

  @Test func `subscribing`() {
    let label = Label()
    var log: [String] = []
    let cancellables: [AnyCancellable] = [
      source.sink { log.append("\($0)") },
      source.sink(receiveValue: { log.append("\($0)") }),
      fallible.sink(receiveCompletion: { log.append("\($0)") }, receiveValue: { log.append("\($0)") }),
      fallible.sink {
        log.append("\($0)")
      } receiveValue: {
        log.append("\($0)")
      },
      source.assign(to: \.number, on: label),
    ]
    source.map { "\($0)" }.assign(to: &label.$text)
    for cancellable in cancellables { cancellable.cancel() }
    #expect(log == ["3", "1", "2", "3", "1", "2", "3", "1", "2", "finished", "3", "1", "2", "finished"])
    #expect(label.number == 2)
    #expect(label.text == "2")
    expectType(source.eraseToAnyPublisher(), is: AnyPublisher<Int, Never>.self)
  }
}
