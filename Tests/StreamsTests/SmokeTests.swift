import Streams
import Testing

@Suite struct Smoke {
  func collect<P: Publisher>(_ p: P) -> [P.Output] {
    var out: [P.Output] = []
    _ = p.sink { if case .failure = $0 { print("failed") } } receiveValue: { out.append($0) }
    return out
  }
  @Test func linear() {
    #expect(collect([1, 2, 3].publisher.map { $0 * 2 }.filter { $0 > 2 }) == [4, 6])
    #expect(collect([1, 1, 2].publisher.removeDuplicates()) == [1, 2])
    #expect(collect([1, 2, 3].publisher.prefix(2)) == [1, 2])
    #expect(collect([1, 2, 3].publisher.scan(0, +)) == [1, 3, 6])
    #expect(collect([1, 2, 3].publisher.collect()) == [[1, 2, 3]])
    #expect(collect([1, 2, 3].publisher.collect(2)) == [[1, 2], [3]])
    #expect(collect((1...).publisher.first()) == [1])
    #expect(collect([1, 2, 3].publisher.dropFirst()) == [2, 3])
    #expect(collect([1, 2, 3].publisher.tryMap { $0 }.replaceError(with: 1)) == [1, 2, 3])
  }
  @Test func multi() {
    #expect(collect([1, 2].publisher.merge(with: [3, 4].publisher)) == [1, 2, 3, 4])
    #expect(collect([1, 2, 3].publisher.flatMap { [$0, $0 * 10].publisher }) == [1, 10, 2, 20, 3, 30])
    #expect(collect([1, 2].publisher.zip(["a", "b", "c"].publisher).map { "\($0)\($1)" }) == ["1a", "2b"])
    #expect(collect([1, 2].publisher.combineLatest(["a", "b"].publisher).map { "\($0)\($1)" }) == ["2a", "2b"])
    #expect(collect([1].publisher.append(2, 3).prepend(0)) == [0, 1, 2, 3])
    struct E: Error {}
    #expect(collect(Fail<Int, E>(error: E()).catch { _ in Just(3) }) == [3])
    #expect(collect([1, 2].publisher.map { [$0, $0].publisher }.switchToLatest()) == [1, 1, 2, 2])
    var n = 0
    #expect(collect(Deferred { () -> Fail<Int, E> in n += 1; return Fail(error: E()) }.retry(100_000).replaceError(with: 9)) == [9])
    #expect(n == 100_001)
  }
  @Test func subjects() {
    let s = PassthroughSubject<Int, Never>()
    var a: [Int] = [], b: [Int] = []
    let c = s.sink { a.append($0); if $0 == 1 { s.send(2) } }
    let d = s.sink { b.append($0) }
    s.send(1)
    #expect(a == [1, 2]); #expect(b == [1, 2])
    c.cancel(); s.send(3)
    #expect(a == [1, 2]); #expect(b == [1, 2, 3])
    d.cancel()
    let v = CurrentValueSubject<Int, Never>(5)
    var e: [Int] = []
    let f = v.sink { e.append($0) }
    v.value = 6
    #expect(e == [5, 6])
    f.cancel()
    let shared = s.share()
    var g: [Int] = []
    let h = shared.sink { g.append($0) }
    s.send(8)
    #expect(g == [8])
    h.cancel()
  }
  final class Model: ObservableObject { @Published var x = 1 }
  @Test func published() {
    let m = Model()
    var seen: [(Int, Int)] = []
    var changes = 0
    let c = m.$x.sink { seen.append(($0, m.x)) }
    let d = m.objectWillChange.sink { changes += 1 }
    m.x = 2
    #expect(seen.map(\.0) == [1, 2]); #expect(seen.map(\.1) == [1, 1]); #expect(m.x == 2)
    #expect(changes == 1)
    let s = PassthroughSubject<Int, Never>()
    s.assign(to: &m.$x)
    s.send(7)
    #expect(m.x == 7); #expect(changes == 2)
    c.cancel(); d.cancel()
  }
  func nested(_ n: Int) -> AnyPublisher<Int, Never> {
    Just(n).flatMap { n in n == 0 ? Just(42).eraseToAnyPublisher() : self.nested(n - 1) }.eraseToAnyPublisher()
  }
  @Test func deep() {
    #expect(collect(nested(100_000)) == [42])
    var p = Just(0).eraseToAnyPublisher()
    for i in 1...100_000 { _ = i; p = p.append(Empty()).eraseToAnyPublisher() }
    #expect(collect(p) == [0])
  }
}
import StreamSchedulers
import Foundation
import Dispatch
@Suite struct TimedSmoke {
  let s = DispatchQueue.test
  @Test func throttle() {
    for (latest, expected) in [(true, ["1@0", "3@10", "5@20", "6@40"]), (false, ["1@0", "2@10", "4@20", "6@40"])] {
      let s = DispatchQueue.test
      let p = PassthroughSubject<Int, Never>()
      let start = s.now
      var out: [String] = []
      let c = p.throttle(for: .seconds(10), scheduler: s, latest: latest).sink { out.append("\($0)@\(Int(start.distance(to: s.now).timeInterval.seconds))") }
      for (v, t) in [(1, 0), (2, 1), (3, 4), (4, 11), (5, 12), (6, 40)] { s.schedule(after: start.advanced(by: .seconds(t))) { p.send(v) } }
      s.run()
      #expect(out == expected)
      c.cancel()
    }
  }
  @Test func debounceDelayTimeout() {
    let p = PassthroughSubject<Int, Never>()
    var out: [Int] = []
    let c = p.debounce(for: 1, scheduler: s).sink { out.append($0) }
    p.send(1); s.advance(by: 0.5); p.send(2); s.advance(by: 0.5); #expect(out == []); #expect(s.pendingCount == 1)
    s.advance(by: 0.5); #expect(out == [2])
    p.send(3); #expect(s.pendingCount == 1); c.cancel(); #expect(s.pendingCount == 0)
    var d: [Int] = []
    let e = p.delay(for: 2, scheduler: s).sink(receiveCompletion: { _ in d.append(-1) }, receiveValue: { d.append($0) })
    p.send(1); s.advance(by: 1); p.send(2); p.send(completion: .finished); s.advance(by: 1); #expect(d == [1]); s.advance(by: 1); #expect(d == [1, 2, -1])
    e.cancel()
    let q = PassthroughSubject<Int, Never>()
    var t: [Int] = []
    let f = q.timeout(.seconds(1), scheduler: s).sink(receiveCompletion: { _ in t.append(-1) }, receiveValue: { t.append($0) })
    s.advance(by: 0.9); q.send(1); s.advance(by: 0.9); q.send(2); s.advance(by: 1); #expect(t == [1, 2, -1])
    f.cancel()
    #expect(s.pendingCount == 0)
    let r = [1, 2, 3].publisher.receive(on: s).collect()
    var got: [[Int]] = []
    let g = r.sink { got.append($0) }
    #expect(got == []); s.advance(); #expect(got == [[1, 2, 3]])
    g.cancel()
    var im: [Int] = []
    _ = [1, 2].publisher.receive(on: DispatchQueue.immediate).timeout(1, scheduler: DispatchQueue.immediate).delay(for: 1, scheduler: DispatchQueue.immediate).throttle(for: 1, scheduler: DispatchQueue.immediate, latest: true).subscribe(on: DispatchQueue.immediate).sink { im.append($0) }
    #expect(im == [1, 2])
    var any: [Int] = []
    let h = [1].publisher.delay(for: 1, scheduler: DispatchQueue.test.eraseToAnyScheduler()).sink { any.append($0) }
    h.cancel()
  }
}
extension DispatchTimeInterval { var seconds: Double { switch self { case .nanoseconds(let n): Double(n) / 1e9; default: .nan } } }
