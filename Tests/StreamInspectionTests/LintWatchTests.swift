import Dispatch
import Foundation
import StreamSchedulers
import Streams
import Testing

@testable import StreamInspection

// `@testable`: when streams are looked at, which a program leaves to a timer.

/// What is found in streams that are looked at again and again.
@Suite struct LintWatchTests {
  @Test func `a queue that grows for ten seconds is found once`() {
    let scheduler = DispatchQueue.test
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject.delay(for: .seconds(100), scheduler: scheduler).sink(isolation: nil) { _ in }
    var watch = LintWatch(Inspection.Thresholds())
    var found: [Double: [Inspection.Cause]] = [:]
    for second in 0...14 {
      subject.send(second)
      let time = Double(second)
      found[time] = watch.findings(in: [cancellable.inspection], at: time).map(\.kind)
    }
    #expect(found.filter { !$0.value.isEmpty } == [11: [.queueBlocked]])
    // It has been emptied, and begins anew.
    scheduler.advance(by: .seconds(200))
    #expect(watch.findings(in: [cancellable.inspection], at: 15).isEmpty)
  }

  @Test func `values for which there is no demand for half a minute are found`() throws {
    let subject = PassthroughSubject<Int, Never>()
    var subscription: (any Subscription)?
    subject.buffer(size: 10, prefetch: .byRequest, whenFull: .dropOldest)
      .subscribe(AnySubscriber(receiveSubscription: { subscription = $0 }))
    subject.send(1)
    let held = try #require(subscription)
    var watch = LintWatch(Inspection.Thresholds())
    #expect(watch.findings(in: [Inspection(of: held)], at: 0).isEmpty)
    #expect(watch.findings(in: [Inspection(of: held)], at: 29).isEmpty)
    #expect(watch.findings(in: [Inspection(of: held)], at: 30).map(\.kind) == [.noDemand])
    held.cancel()
  }

  @Test func `a delivery that does not return is found`() {
    let subject = PassthroughSubject<Int, Never>()
    var watch = LintWatch(Inspection.Thresholds())
    var inspections: [Inspection] = []
    var cancellable: AnyCancellable?
    cancellable = subject.merge(with: subject).sink(isolation: nil) { _ in
      // Looked at from within the delivery.
      if let cancellable { inspections.append(cancellable.inspection) }
    }
    subject.send(1)
    let first = inspections[0]
    #expect(watch.findings(in: [first], at: 0).isEmpty)
    #expect(watch.findings(in: [first], at: 0.2).contains { $0.kind == .delivering })
    cancellable?.cancel()
  }

  @Test func `an inspection is encoded as a JSON encoder would encode it`() throws {
    let scheduler = DispatchQueue.test
    let subject = PassthroughSubject<String, Never>()
    let cancellable = subject.zip(subject.debounce(for: 1, scheduler: scheduler)).map { "\"\($0)\\\n\u{1}" }
      .sink(isolation: nil) { _ in }
    subject.send("a")
    let inspection = cancellable.inspection
    let decoded = try JSONDecoder().decode(Inspection.self, from: Data(inspection.json.utf8))
    #expect(decoded == inspection)
    let encoded = try JSONDecoder().decode(Inspection.self, from: JSONEncoder().encode(inspection))
    #expect(encoded == inspection)
  }
}
