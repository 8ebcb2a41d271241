import Workloads

#if OPENCOMBINE
  import OpenCombine
#else
  import StreamSchedulers
  import Streams
#endif

/// Operators with several sources or subscribers, with buffers or with time, and publishers without a source.
extension DemandScenarios {
  mutating func addCombining() {
    add("zip", "a1 a2 b1 ? b2 a3 b3 a| b| ?") { p in p.observe(p["a"].zip(p["b"])) }
    add("zip, in turn", "a1 b1 a2 b2 ? a3 b3 a| ?") { p in p.observe(p["a"].zip(p["b"])) }
    add("zip of three", "a1 b1 c1 ? a2 b2 c2 a| ?") { p in p.observe(p["a"].zip(p["b"], p["c"])) }
    add("drop(untilOutputFrom:)", "a1 b1 a2 a3 ? a4 b2 a5 a| ?") { p in
      p.observe(p["a"].drop(untilOutputFrom: p["b"]))
    }
    add("prefix(untilOutputFrom:)", "a1 a2 ? a3 b1 a4") { p in p.observe(p["a"].prefix(untilOutputFrom: p["b"])) }
    add("append of a publisher", "a1 a2 ? a| b1 ? b2 b3 b|") { p in p.observe(p["a"].append(p["b"])) }
    add("append of values", "1 2 ? | ? ?") { p in p.observe(p.up.append(8, 9)) }
    add("prepend of a publisher", "a1 a2 ? a| b1 ? b2 b3 b|") { p in p.observe(p["b"].prepend(p["a"])) }
    add("prepend of values", "1 2 ? 3 | ?") { p in p.observe(p.up.prepend(8, 9)) }
  }

  mutating func addFlattening() {
    let events = "o1 a1 a2 o2 b1 a3 b2 ? a4 ? b3 a| b| o3 c1 o| c| ?"
    let inner = { (p: Probe) in { (value: Int) in p[["a", "b", "c"][value - 1]] } }
    add("flatMap", events) { p in p.observe(p["o"].flatMap(inner(p))) }
    add("flatMap(maxPublishers: .max(1))", events) { p in
      p.observe(p["o"].flatMap(maxPublishers: .max(1), inner(p)))
    }
    add("flatMap(maxPublishers: .max(2))", "o1 o2 a1 b1 ? a2 a| o3 c1 ? b| c2 c| o| ?") { p in
      p.observe(p["o"].flatMap(maxPublishers: .max(2), inner(p)))
    }
    add("flatMap of values", "1 2 ? 3 | ?") { p in
      p.observe(p.up.flatMap { Just($0 * 10).setFailureType(to: ProbeError.self) })
    }
    add("flatMap of sequences", "1 2 ? 3 | ?") { p in
      p.observe(p.up.flatMap { [$0, $0 * 10].publisher.setFailureType(to: ProbeError.self) })
    }
    add("switchToLatest", "o1 a1 a2 ? o2 a3 b1 ? b2 b3 o| b| ?") { p in
      p.observe(p["o"].map(inner(p)).switchToLatest())
    }
  }

  mutating func addRecovering() {
    add("catch", "a1 ? a# b1 b2 ? b3 b|") { p in p.observe(p["a"].catch { _ in p["b"] }) }
    add("tryCatch", "a1 ? a# b1 b2 ? b3 b|") { p in p.observe(p["a"].tryCatch { _ in p["b"] }) }
    add("retry", "1 ? # 2 3 ? 4 # ?") { p in p.observe(p.up.retry(1)) }
    add("replaceError", "1 2 ? # ?") { p in p.observe(p.up.replaceError(with: 0)) }
    add("replaceError of none", "# ?") { p in p.observe(p.up.replaceError(with: 0)) }
    add("assertNoFailure") { p in p.observe(p.up.assertNoFailure()) }
  }

  mutating func addSharing() {
    add("share") { p in p.observe(p.up.share()) }
    add("share, with a second subscriber with unlimited demand") { p in
      let shared = p.up.share()
      p.observe(shared)
      p.observe(shared, as: "down2", .unlimited)
    }
    add("share, after a first subscriber with unlimited demand") { p in
      let shared = p.up.share()
      p.observe(shared, as: "down2", .unlimited)
      p.observe(shared)
    }
    add("share, connected again", "1 ! 2 3 ? 4 5 | ?") { p in
      let shared = p.up.share()
      let cancel = p.observe(shared, as: "down2", .unlimited)
      p.action = { [unowned p] in
        cancel()
        p.observe(shared)
      }
    }
    add("multicast, autoconnect, connected again", "1 ! 2 3 ? 4 5 | ?") { p in
      let shared = p.up.multicast { PassthroughSubject() }.autoconnect()
      let cancel = p.observe(shared, as: "down2", .unlimited)
      p.action = { [unowned p] in
        cancel()
        p.observe(shared)
      }
    }
    add("multicast", "! 1 2 3 ? 4 5 | ?") { p in
      let shared = p.up.multicast(subject: PassthroughSubject())
      p.observe(shared)
      p.action = { [unowned p] in p.kept.append(shared.connect()) }
    }
    add("multicast of a CurrentValueSubject", "? ! 1 2 3 ? 4 5 | ?") { p in
      let shared = p.up.multicast(subject: CurrentValueSubject(0))
      p.observe(shared)
      p.action = { [unowned p] in p.kept.append(shared.connect()) }
    }
    add("multicast, autoconnect") { p in p.observe(p.up.multicast { PassthroughSubject() }.autoconnect()) }
    add("makeConnectable", "! 1 2 3 ? 4 5 | ?") { p in
      let connectable = p.safe.makeConnectable()
      p.observe(connectable)
      p.action = { [unowned p] in p.kept.append(connectable.connect()) }
    }
    add("makeConnectable, autoconnect") { p in p.observe(p.safe.makeConnectable().autoconnect()) }
    for (name, prefetch) in [("keepFull", Publishers.PrefetchStrategy.keepFull), ("byRequest", .byRequest)] {
      add("buffer(size: 2), \(name), dropNewest", "1 2 3 ? 4 5 ? | ? ?") { p in
        p.observe(p.up.buffer(size: 2, prefetch: prefetch, whenFull: .dropNewest))
      }
      add("buffer(size: 2), \(name), dropOldest", "1 2 3 ? 4 5 ? | ? ?") { p in
        p.observe(p.up.buffer(size: 2, prefetch: prefetch, whenFull: .dropOldest))
      }
      add("buffer(size: 2), \(name), customError", "1 2 3 ? 4 5 ? | ? ?") { p in
        p.observe(p.up.buffer(size: 2, prefetch: prefetch, whenFull: .customError { ProbeError() }))
      }
      add("buffer(size: 2), \(name), failure", "1 2 ? # ? ?") { p in
        p.observe(p.up.buffer(size: 2, prefetch: prefetch, whenFull: .dropNewest))
      }
    }
  }

  mutating func addTiming() {
    let (each, last) = ("1 +5 2 +20 3 +20 ? 4 +20 5 +5 | +20 ?", "1 +20 2 +20 3 +20 ? +20 4 +20 | +20 ?")
    add("delay", each) { p in p.observe(p.up.delay(for: .milliseconds(10), scheduler: p.time.scheduler)) }
    add("debounce", each) { p in p.observe(p.up.debounce(for: .milliseconds(10), scheduler: p.time.scheduler)) }
    add("debounce, finished when idle", last) { p in
      p.observe(p.up.debounce(for: .milliseconds(10), scheduler: p.time.scheduler))
    }
    for isLatest in [true, false] {
      add("throttle, latest: \(isLatest)", "1 +3 2 +3 3 +9 ? 4 +3 5 +20 6 +3 | +20 ?") { p in
        p.observe(p.up.throttle(for: .milliseconds(10), scheduler: p.time.scheduler, latest: isLatest))
      }
    }
    add("timeout", "1 +5 2 +5 3 ? +5 4 | ?") { p in
      p.observe(p.up.timeout(.milliseconds(10), scheduler: p.time.scheduler))
    }
    add("timeout, expires", "1 +5 2 ? +20 3 ?") { p in
      p.observe(p.up.timeout(.milliseconds(10), scheduler: p.time.scheduler))
    }
    add("timeout with an error, expires", "1 +5 2 ? +20 3 ?") { p in
      p.observe(p.up.timeout(.milliseconds(10), scheduler: p.time.scheduler, customError: { ProbeError() }))
    }
    add("measureInterval", each) { p in
      p.observe(p.up.measureInterval(using: p.time.scheduler).map { _ in "interval" })
    }
    add("receive(on:)") { p in p.observe(p.up.receive(on: p.time.scheduler)) }
    add("subscribe(on:)") { p in p.observe(p.up.subscribe(on: p.time.scheduler)) }
  }

  mutating func addSubscribers() {
    add("sink", scripts: [.unlimited]) { p in
      p.kept.append(
        p.up.sink {
          p.note("\($0)", of: "down")
        } receiveValue: { [unowned p] in
          p.note("\($0)", of: "down")
        })
    }
    add("assign(to:on:)", scripts: [.unlimited]) { p in
      let target = Target(p)
      p.kept.append(p.safe.assign(to: \.value, on: target))
    }
    add("assign(to:)", scripts: [.unlimited]) { p in
      let model = Model()
      p.safe.assign(to: &model.$value)
      p.kept.append(model)
    }
    add("PassthroughSubject, attached") { p in
      let subject = PassthroughSubject<Int, ProbeError>()
      p.observe(subject)
      p.kept.append(p.up.subscribe(subject))
    }
    add("PassthroughSubject, attached before its subscriber") { p in
      let subject = PassthroughSubject<Int, ProbeError>()
      p.kept.append(p.up.subscribe(subject))
      p.observe(subject)
    }
    add("PassthroughSubject, attached without a subscriber", "1 2 |", scripts: [.none]) { p in
      p.kept.append(p.up.subscribe(PassthroughSubject<Int, ProbeError>()))
    }
    add("CurrentValueSubject, attached") { p in
      let subject = CurrentValueSubject<Int, ProbeError>(0)
      p.observe(subject)
      p.kept.append(p.up.subscribe(subject))
    }
    add("CurrentValueSubject, attached before its subscriber") { p in
      let subject = CurrentValueSubject<Int, ProbeError>(0)
      p.kept.append(p.up.subscribe(subject))
      p.observe(subject)
    }
    add("CurrentValueSubject, attached without a subscriber", "1 2 |", scripts: [.none]) { p in
      p.kept.append(p.up.subscribe(CurrentValueSubject<Int, ProbeError>(0)))
    }
    add("CurrentValueSubject, sent to", "! ? ! ! ? ?") { p in
      let subject = CurrentValueSubject<Int, Never>(0)
      p.action = { subject.value += 1 }
      p.observe(subject)
    }
    add("PassthroughSubject, sent to", "! ? ! ! ? ! ?") { p in
      let subject = PassthroughSubject<Int, Never>()
      var value = 0
      p.action = {
        value += 1
        subject.send(value)
      }
      p.observe(subject)
    }
    add("@Published", "! ? ! ! ? ?") { p in
      let model = Model()
      p.action = { model.value += 1 }
      p.observe(model.$value)
    }
    add("AnySubscriber of a subject") { p in
      let subject = PassthroughSubject<Int, ProbeError>()
      p.observe(subject)
      p.up.subscribe(AnySubscriber(subject))
    }
    add("AnySubscriber of closures", scripts: [.one]) { p in
      p.up.subscribe(
        AnySubscriber<Int, ProbeError>(
          receiveSubscription: { $0.request(.max(1)) }, receiveValue: { $0 < 3 ? .max(1) : .none }))
    }
  }

  mutating func addCreating() {
    let requests = "? ? ?"
    add("Just", requests) { p in p.observe(Just(1)) }
    add("Optional", requests) { p in p.observe(Optional(1).publisher) }
    add("Optional, none", requests) { p in p.observe(Optional<Int>.none.publisher) }
    add("Result", requests) { p in p.observe(Result<Int, ProbeError>.success(1).publisher) }
    add("Result, failure", requests) { p in p.observe(Result<Int, ProbeError>.failure(ProbeError()).publisher) }
    add("Empty", requests) { p in p.observe(Empty<Int, Never>()) }
    add("Fail", requests) { p in p.observe(Fail<Int, ProbeError>(error: ProbeError())) }
    add("Deferred") { p in p.observe(Deferred { p.up }) }
    add("Future", requests) { p in p.observe(Future<Int, ProbeError> { $0(.success(1)) }) }
    add("Future, later", "? ! ?") { p in
      let future = Future<Int, ProbeError> { promise in p.action = { promise(.success(1)) } }
      p.observe(future)
    }
    add("Record", requests) { p in p.observe(Record<Int, ProbeError>(output: [1, 2, 3], completion: .finished)) }
    add("Record, failure", requests) { p in
      p.observe(Record<Int, ProbeError>(output: [1, 2], completion: .failure(ProbeError())))
    }
    add("Sequence", requests) { p in p.observe([1, 2, 3].publisher) }
    add("Sequence, empty", requests) { p in p.observe([Int]().publisher) }
    add("Sequence, map", requests) { p in p.observe([1, 2, 3].publisher.map { $0 * 10 }) }
    add("Sequence, filter", requests) { p in p.observe([1, 2, 3].publisher.filter { $0 > 1 }) }
    add("Sequence, compactMap", requests) { p in p.observe([1, 2, 3].publisher.compactMap { $0 > 1 ? $0 : nil }) }
    add("Sequence, removeDuplicates", requests) { p in p.observe([1, 1, 2].publisher.removeDuplicates()) }
    add("Sequence, scan", requests) { p in p.observe([1, 2, 3].publisher.scan(0) { $0 + $1 }) }
    add("Sequence, dropFirst", requests) { p in p.observe([1, 2, 3].publisher.dropFirst()) }
    add("Sequence, drop(while:)", requests) { p in p.observe([1, 2, 3].publisher.drop { $0 < 2 }) }
    add("Sequence, prefix", requests) { p in p.observe([1, 2, 3].publisher.prefix(2)) }
    add("Sequence, prefix(while:)", requests) { p in p.observe([1, 2, 3].publisher.prefix { $0 < 3 }) }
    add("Sequence, output(at:)", requests) { p in p.observe([1, 2, 3].publisher.output(at: 1)) }
    add("Sequence, output(in:)", requests) { p in p.observe([1, 2, 3].publisher.output(in: 1..<3)) }
    add("Sequence, first", requests) { p in p.observe([1, 2, 3].publisher.first()) }
    add("Sequence, first(where:)", requests) { p in p.observe([1, 2, 3].publisher.first { $0 > 1 }) }
    add("Sequence, last", requests) { p in p.observe([1, 2, 3].publisher.last()) }
    add("Sequence, count", requests) { p in p.observe([1, 2, 3].publisher.count()) }
    add("Sequence, collect", requests) { p in p.observe([1, 2, 3].publisher.collect()) }
    add("Sequence, reduce", requests) { p in p.observe([1, 2, 3].publisher.reduce(0) { $0 + $1 }) }
    add("Sequence, min", requests) { p in p.observe([1, 2, 3].publisher.min()) }
    add("Sequence, contains", requests) { p in p.observe([1, 2, 3].publisher.contains(2)) }
    add("Sequence, allSatisfy", requests) { p in p.observe([1, 2, 3].publisher.allSatisfy { $0 > 0 }) }
    add("Sequence, ignoreOutput", requests) { p in p.observe([1, 2, 3].publisher.ignoreOutput()) }
    add("Sequence, append", requests) { p in p.observe([1, 2].publisher.append(3)) }
    add("Sequence, prepend", requests) { p in p.observe([2, 3].publisher.prepend(1)) }
  }
}

/// An object to whose property values are assigned.
private final class Target {
  private unowned let probe: Probe
  var value = 0 { didSet { probe.note("\(value)", of: "down") } }

  init(_ probe: Probe) { self.probe = probe }
}

private final class Model {
  @Published var value = 0
}
