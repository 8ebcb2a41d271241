import Combine
import Foundation
import StreamAlgorithms
import Testing

/// The compositions of the article on other libraries, with their numbers in the article.
struct MigrationTests {
  private let source = numbers(3, 1, 2)

  // MARK: Numbered compositions

  @Test func `1, the only value`() {
    struct CountError: Error {}
    func single(_ source: some Publisher<Int, Never>) -> some Publisher<Int, any Error> {
      source.prefix(2).collect().tryMap { values in
        guard values.count == 1 else { throw CountError() }
        return values[0]
      }
    }
    #expect(run(single(numbers(7))) == ["7", "finished"])
    #expect(run(single(source)) == ["CountError()"])
    #expect(run(single(numbers())) == ["CountError()"])
  }

  @Test func `2, create`() async {
    final class Listener: Sendable {
      init(_ receive: @Sendable (Int) -> Void) { for value in 1...2 { receive(value) } }
      func stop() {}
    }
    let values = Deferred {
      AsyncStream<Int> { continuation in
        let listener = Listener { continuation.yield($0) }
        continuation.onTermination = { _ in listener.stop() }
        continuation.finish()
      }.publisher
    }
    #expect(await values.values.reduce(into: []) { $0.append($1) } == [1, 2])
  }

  @Test func `3, generate`() {
    #expect(run(sequence(first: 1) { $0 < 8 ? $0 * 2 : nil }.publisher) == ["1", "2", "4", "8", "finished"])
  }

  @Test func `4, another publisher instead of an empty one`() {
    func orElse(_ source: some Publisher<Int, Never>, _ other: some Publisher<Int, Never>) -> AnyPublisher<Int, Never> {
      source.map(Optional.some).replaceEmpty(with: nil).flatMap { value in
        value.map { Just($0).eraseToAnyPublisher() } ?? other.eraseToAnyPublisher()
      }.eraseToAnyPublisher()
    }
    #expect(run(orElse(source, numbers(9))) == ["3", "1", "2", "finished"])
    #expect(run(orElse(numbers(), numbers(8, 9))) == ["8", "9", "finished"])
  }

  @Test func `5, drop for a duration`() {
    let scheduler = DispatchQueue.test
    let source = PassthroughSubject<Int, Never>()
    var log: [Int] = []
    let cancellable = source.drop(untilOutputFrom: Just(()).delay(for: .seconds(1), scheduler: scheduler))
      .sink { log.append($0) }
    source.send(1)
    scheduler.advance(by: .seconds(1))
    source.send(2)
    cancellable.cancel()
    #expect(log == [2])
  }

  @Test func `6, the last few`() {
    #expect(run(source.collect().flatMap { $0.suffix(2).publisher }) == ["1", "2", "finished"])
  }

  @Test func `7, using`() {
    final class Resource {
      var isOpen = true
      func close() { isOpen = false }
    }
    var resources: [Resource] = []
    let values = Deferred {
      let resource = Resource()
      resources.append(resource)
      return numbers(1, 2).handleEvents(
        receiveCompletion: { _ in resource.close() }, receiveCancel: { resource.close() })
    }
    _ = run(values)
    _ = run(values.first())
    #expect(resources.map(\.isOpen) == [false, false])
  }

  @Test func `8, a weak reference`() {
    final class Model {}
    var model: Model? = Model()
    let source = PassthroughSubject<Int, Never>()
    var log: [Int] = []
    let cancellable = source.compactMap { [weak model] value in model.map { (model: $0, value: value) } }
      .sink { log.append($0.value) }
    source.send(1)
    model = nil
    source.send(2)
    cancellable.cancel()
    #expect(log == [1])
  }

  @Test func `9, until it is replaced`() {
    let (source, replacement) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
    var log: [Int] = []
    let cancellable = source.prefix(untilOutputFrom: replacement).merge(with: replacement).sink { log.append($0) }
    source.send(1)
    replacement.send(2)
    source.send(3)
    replacement.send(4)
    cancellable.cancel()
    #expect(log == [1, 2, 4])
  }

  @Test func `10, then`() {
    let then = source.compactMap { _ -> String? in nil }.append("a", "b")
    #expect(run(then) == ["a", "b", "finished"])
  }

  @Test func `11, interspersed`() {
    let interspersed = source.flatMap(maxPublishers: .max(1)) { [0, $0].publisher }.dropFirst()
    #expect(run(interspersed) == ["3", "0", "1", "0", "2", "finished"])
  }

  @Test func `12, joined with a separator`() {
    let joined = [numbers(1, 2), numbers(3)].publisher.flatMap(maxPublishers: .max(1)) { $0.prepend(0) }.dropFirst()
    #expect(run(joined) == ["1", "2", "0", "3", "finished"])
  }

  // MARK: Compositions of the tables

  @Test func `compositions of the tables`() {
    let scheduler = DispatchQueue.immediate
    let (fallible, flags) = (failing(3, 1, 2), Deferred { [true, false].publisher })
    #expect(run(source.map { _ in 0 }) == ["0", "0", "0", "finished"])
    #expect(run(source.map { _ in }.count()) == ["3", "finished"])
    #expect(run(flags.map(!)) == ["false", "true", "finished"])
    #expect(run(flags.allSatisfy { $0 }) == ["false", "finished"])
    #expect(run(flags.combineLatest(flags) { $0 && $1 }.last()) == ["false", "finished"])
    #expect(run(Deferred { [1, nil].publisher }.compactMap { $0 }) == ["1", "finished"])
    #expect(run(Deferred { [1 as Any, "a"].publisher }.compactMap { $0 as? String }) == ["a", "finished"])
    #expect(run(source.collect().map { $0.sorted() }) == ["[1, 2, 3]", "finished"])
    #expect(run(Deferred { Just([3, 1]) }.map { $0.filter { $0 > 1 } }) == ["[3]", "finished"])
    #expect(run(Deferred { Just([3, 1]) }.map { $0.map { $0 * 2 } }) == ["[6, 2]", "finished"])
    #expect(
      run(Deferred { [Point(), Point()].publisher }.removeDuplicates { $0.x == $1.x }.count()) == ["1", "finished"])
    #expect(
      run(fallible.append(Fail(error: .first)).catch { _ in Empty<Int, Never>() }) == ["3", "1", "2", "finished"])
    #expect(run(fallible.append(Fail(error: .first))).last == "first")
    #expect(run(Publishers.Retry(upstream: fallible, retries: nil).count()) == ["3", "finished"])
    #expect(
      run(Deferred { [Result<Int, TestError>.success(1), .failure(.first)].publisher }.tryMap { try $0.get() }) == [
        "1", "first",
      ])
    #expect(
      run(source.scan((0, "")) { state, value in (state.0 + value, "\(state.0)") }.map(\.1)) == [
        "0", "3", "4", "finished",
      ])
    #expect(run(source.debounce(for: 0, scheduler: scheduler).map { "\($0)" }).last == "finished")
    #expect(run(Just(0).delay(for: .seconds(1), scheduler: scheduler)) == ["0", "finished"])
    #expect(run(source.multicast(subject: PassthroughSubject()).autoconnect().count()) == ["3", "finished"])
    #expect(run(source.flatMap(maxPublishers: .max(1)) { numbers($0) }) == ["3", "1", "2", "finished"])
    let shared = source.share()
    let (odd, even) = (shared.filter { !$0.isMultiple(of: 2) }, shared.filter { $0.isMultiple(of: 2) })
    #expect(run(odd) + run(even) == ["3", "1", "finished", "finished"])
  }
}
