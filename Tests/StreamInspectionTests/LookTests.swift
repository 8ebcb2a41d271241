import Dispatch
import StreamInspection
import StreamSchedulers
import Streams
import Testing

@Suite struct LookTests {
  @Test func look() {
    let query = PassthroughSubject<String, Never>()
    let scheduler = DispatchQueue.test
    let answers = query
      .removeDuplicates()
      .map { $0 + "!" }
      .debounce(for: .milliseconds(300), scheduler: scheduler)
      .map { text in Just(text).delay(for: .milliseconds(600), scheduler: scheduler).filter { $0 != "" } }
      .switchToLatest()
      .eraseToAnyPublisher()
    let c = answers.map { $0.count }.scan(0, +).filter { $0 > 0 }.sink { _ in }
    query.send("a")
    print(c)
    print(c.inspection.diagnosis)
    scheduler.advance(by: .milliseconds(300))
    query.send("b")
    scheduler.advance(by: .milliseconds(100))
    print(c)
    print(c.inspection.diagnosis)
    let other = CurrentValueSubject<Int, Never>(1)
    let z = query.compactMap { Int($0) }.zip(other.map { $0 * 2 }).combineLatest(other).first().sink { _ in }
    print(z); print(z.inspection.diagnosis)
    let shared = query.share()
    let s = shared.merge(with: shared.map { $0 + "2" }).count().sink { _ in }
    print(s); print(s.inspection.diagnosis)
    let conn = query.multicast { PassthroughSubject() }
    let m = conn.map { $0 }.sink { _ in }
    print(m); print(m.inspection.diagnosis)
    let f = Future<Int, Never> { _ in }
    let fs = f.map { $0 + 1 }.sink { _ in }
    print(fs); print(fs.inspection.diagnosis)
    let fm = (1...3).publisher.flatMap(maxPublishers: .max(1)) { _ in query }.receive(on: DispatchQueue.main).sink { _ in }
    print(fm); print(fm.inspection.diagnosis)
    dump(fm)
  }
}
