/// Cases for which the library and the specification once differed, made as simple as possible.
extension Case {
  static var found: [(reason: String, test: Case)] {
    [
      (
        "a failure dropped a full array that had been requested, while an earlier one was being delivered",
        Case(
          chain: .apply(CollectByTime(interval: 3, count: 1, clock: .second), to: .source(0)),
          sources: [.sequence([0, 10], .failed)], demand: 1, more: 1)
      ),
      (
        "a boundary without demand kept the completion waiting, though no value was left",
        Case(
          chain: .combine(
            BufferByBoundary(maxCount: 2), .combine(Merge(isOfMany: false), .source(0), .source(0)), .source(0)),
          sources: [.subject(.current(7))], demand: 1, script: [.init(0, .end(.finished, source: 0))])
      ),
      (
        "a future that is fulfilled again during its delivery",
        Case(
          chain: .source(0), sources: [.future], reactions: [.init(1, .send(5, to: 0))],
          script: [.init(0, .send(1, to: 0))])
      ),
      (
        "a trigger that is the source itself",
        Case(
          chain: .combine(DropUntilOutput(), .source(0), .source(0)), sources: [.subject(.passthrough)],
          script: [.init(0, .send(10, to: 0)), .init(0, .send(11, to: 0))])
      ),
      (
        "a subscriber that cancels with the only value of a reduction",
        Case(
          chain: .apply(Reduce(tries: false), to: .source(0)), sources: [.sequence([], .finished)],
          reactions: [.init(1, .cancel)])
      ),
      (
        "inner publishers of a sequence that take turns",
        Case(
          chain: .apply(FlatMap(maxPublishers: 2, inner: .source(0)), to: .source(0)),
          sources: [.sequence([10, 8, 0], .finished)], demand: 0, more: 2, script: [.init(0, .request(1))])
      ),
      (
        "a failure among inner publishers whose values wait",
        Case(
          chain: .combine(
            Merge(isOfMany: false), .apply(FlatMap(maxPublishers: 2, inner: .source(0)), to: .source(0)), .source(0)),
          sources: [.sequence([12, 12, 9], .failed)], demand: 0, more: 1, script: [.init(0, .request(2))])
      ),
      (
        "a subject that is subscribed to by what its own value starts, and sent to meanwhile",
        Case(
          chain: .apply(FlatMap(maxPublishers: 2, inner: .source(0)), to: .source(0)), sources: [.subject(.replay(2))],
          reactions: [.init(2, .send(8, to: 0)), .init(2, .send(10, to: 0))],
          script: [.init(0, .send(10, to: 0)), .init(0, .send(11, to: 0))])
      ),
      (
        "two subscribers of a debounce whose actions are due at the same date",
        Case(
          chain: .apply(Debounce(duration: 4, clock: .first), to: .source(0)), sources: [.subject(.replay(3))],
          script: [.init(0, .send(4, to: 0)), .init(1, .send(5, to: 0)), .init(1, .subscribe)])
      ),
      (
        "a shared stream that is left and subscribed to again during its first value",
        Case(
          chain: .apply(
            FlatMapFirst(inner: .shared(0)), to: .apply(First(tries: false, multipleOf: 3), to: .shared(0))),
          sources: [.never],
          shared: [.init(.current(9), .apply(Probe(number: 1), to: .source(0)))])
      ),
      (
        "attempts that fail while they are being subscribed to",
        Case(
          chain: .apply(
            Retry(count: 2),
            to: .apply(
              Filter(tries: true, multiplesOf: 2),
              to: .apply(BufferOperator(size: 1, keepsFull: true, whenFull: .dropOldest), to: .source(0)))),
          sources: [.sequence([7], .finished)])
      ),
      (
        "a replacement for a failure that comes while upstream is being subscribed to",
        Case(
          chain: .apply(
            FlatMap(maxPublishers: 2, inner: .shared(0)),
            to: .apply(ReplaceError(with: 6), to: .apply(TryMap(), to: .shared(0)))),
          sources: [.just(0)], shared: [.init(.current(6), .source(0))])
      ),
      (
        "a dropped value of one of two sequences, while everything is being requested from the other",
        Case(
          chain: .apply(
            BufferOperator(size: 1, keepsFull: true, whenFull: .fail),
            to: .apply(
              Distinct(modulo: 5, remembering: 1),
              to: .combine(CombineLatest(isOfMany: false), .source(0), .source(0)))),
          sources: [.sequence([12, 3, 8, 10], .finished)])
      ),
      (
        "a limited time that is over before upstream is subscribed to",
        Case(
          chain: .apply(PrefixDuration(duration: 2, clock: .immediate), to: .apply(Probe(number: 1), to: .source(0))),
          sources: [.never])
      ),
      (
        "groups of a sequence, which were displaced before they could be requested",
        Case(chain: .apply(GroupBy(modulo: 3, maxGroups: 1), to: .source(0)), sources: [.sequence([5, 1], .finished)])
      ),
      (
        "a window of a sequence, whose first values were displaced",
        Case(chain: .combine(Window(), .source(0), .source(1)), sources: [.sequence([2, 3], .finished), .never])
      ),
      (
        "a value that is sent while an open gate delivers what it has kept",
        Case(
          chain: .combine(
            PausableBuffer(size: 3, whenFull: .dropNewest), .source(0),
            .apply(Delay(duration: 3, clock: .second), to: .source(0))),
          sources: [.subject(.passthrough)], reactions: [.init(1, .send(2, to: 0))],
          script: [.init(0, .send(5, to: 0)), .init(0, .send(7, to: 0))])
      ),
      (
        "results that wait for demand, which a delivery returns",
        Case(
          chain: .apply(
            MapTasks(maxTasks: 2, clock: .second, tries: true),
            to: .combine(Merge(isOfMany: false), .source(0), .source(0))),
          sources: [.subject(.passthrough)], demand: 0, more: 1, reactions: [.init(2, .cancel)],
          script: [.init(0, .send(8, to: 0)), .init(0, .send(3, to: 0)), .init(1, .request(3))])
      ),
    ]
  }
}
