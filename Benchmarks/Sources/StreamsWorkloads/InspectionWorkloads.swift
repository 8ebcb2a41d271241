import Dispatch
import StreamInspection
import StreamSchedulers
import Streams
import Workloads

extension StreamsWorkloads {
  /// Sends values through a stream that is inspected, or through the same one that is not.
  ///
  /// Streams are inspected only while the stream is subscribed: values are counted until it ends, but the timer of the
  /// inspection, which would be measured as well, has stopped.
  package static func inspected(_ workload: InspectionWorkload, _ count: Int, isInspected: Bool) -> Int {
    let sum = Sum()
    let (subject, other) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
    if isInspected { StreamInspector.start() }
    let cancellable: AnyCancellable
    switch workload {
    case .sink:
      // The sink is made before the sequence, which sends all values at once.
      cancellable = Deferred {
        StreamInspector.stop()
        return (0..<count).publisher
      }
      .sink { sum.add($0) }
      return sum.value
    case .subscriber:
      cancellable = AnyCancellable {}
      subject.subscribe(
        AnySubscriber(
          receiveSubscription: { $0.request(.unlimited) },
          receiveValue: {
            sum.add($0)
            return .none
          }))
    case .subject: cancellable = subject.sink { sum.add($0) }
    case .operators: cancellable = subject.map { $0 &+ 1 }.filter { $0 > 0 }.sink { sum.add($0) }
    case .merge: cancellable = subject.merge(with: other).sink { sum.add($0) }
    }
    StreamInspector.stop()
    for value in 0..<count { (workload == .merge && value & 1 == 1 ? other : subject).send(value) }
    cancellable.cancel()
    subject.send(completion: .finished)
    return sum.value
  }

  /// Makes a number of streams that live at the same time, or one with that number of inner ones, and reads what is live.
  package static func reading(_ workload: ReadingWorkload, _ count: Int, isInspected: Bool) -> Int {
    if workload != .madeSinks, workload != .madeStreams, isInspected { exhaustPlaces() }
    return switch workload {
    case .madeSinks: withLiveStreams(.sink, count, isInspected: isInspected, sharesSubject: true) { 0 }
    case .madeStreams: withLiveStreams(.map, count, isInspected: isInspected) { 0 }
    case .mapAlone: withLiveStreams(.map, count, isInspected: isInspected) { 0 }
    case .mapStreams: withLiveStreams(.map, count, isInspected: isInspected) { StreamInspector.streams.streams.count }
    case .mapInspections: withLiveStreams(.map, count, isInspected: isInspected) { StreamInspector.inspections.count }
    case .debounceAlone: withLiveStreams(.debounce, count, isInspected: isInspected) { 0 }
    case .debounceStreams:
      withLiveStreams(.debounce, count, isInspected: isInspected) { StreamInspector.streams.streams.count }
    case .debounceInspections:
      withLiveStreams(.debounce, count, isInspected: isInspected) { StreamInspector.inspections.count }
    case .oneDebounce: partsOfDebounce()
    case .oneZip: partsOfZip()
    case .oneFlatMap: partsOfFlatMap(inners: count, left: count)
    case .oneEmptiedFlatMap: partsOfFlatMap(inners: count, left: 1)
    }
  }

  /// Fills the table of places, so that those of other sinks are not known: looking a place up makes a program crash under
  /// valgrind.
  private static func exhaustPlaces() {
    StreamInspector.start()
    makeSinks(depth: 15)
    StreamInspector.stop()
  }

  /// Makes 2ⁿ sinks, each with another stack.
  @inline(never) @_optimize(none)
  private static func makeSinks(depth: Int) {
    if depth == 0 {
      _ = Empty<Int, Never>().sink { _ in }
    } else {
      makeSinks(depth: depth - 1)
      makeSinks(depth: depth - 1)
    }
  }

  /// Returns the times in seconds that are spent on reading live streams: `StreamInspector.streams`, and then
  /// `StreamInspector.inspections`.
  package static func timesOfReading(_ shape: LiveShape, _ count: Int) -> (streams: Double, inspections: Double) {
    withLiveStreams(shape, count, isInspected: true) {
      // The place is looked up when it is first needed.
      _ = StreamInspector.streams
      func seconds(_ read: () -> Int) -> Double {
        let time = ContinuousClock().measure { precondition(read() == count) }
        return time / .seconds(1)
      }
      return (seconds { StreamInspector.streams.streams.count }, seconds { StreamInspector.inspections.count })
    }
  }

  /// A stream of which there are many.
  package enum LiveShape: Sendable {
    /// A sink whose publisher never sends a value: it has no subject.
    case sink
    /// A subject, map and a sink.
    case map
    /// A subject, map, filter and a sink.
    case chain
    /// Two subjects, merge and a sink.
    case merge
    /// A subject, debounce and a sink, with a value that waits.
    case debounce
  }

  /// Makes streams, each of which has received a value, and runs a closure while they live. Each stream has a subject of its
  /// own if it has one at all, except for those whose memory is counted.
  package static func withLiveStreams<Result>(
    _ shape: LiveShape, _ count: Int, isInspected: Bool, sharesSubject: Bool = false, _ body: () -> Result
  ) -> Result {
    let sum = Sum()
    let scheduler = DispatchQueue.test
    scheduler.maximumActions = .max
    let (shared, other) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
    if isInspected { StreamInspector.start() }
    defer { if isInspected { StreamInspector.stop() } }
    var (cancellables, subjects): ([AnyCancellable], [PassthroughSubject<Int, Never>]) = ([], [])
    cancellables.reserveCapacity(count)
    subjects.reserveCapacity(count)
    for _ in 0..<count {
      let subject = sharesSubject ? shared : PassthroughSubject()
      if !sharesSubject { subjects.append(subject) }
      let cancellable =
        switch shape {
        case .sink: Empty<Int, Never>(completeImmediately: false).sink { sum.add($0) }
        case .map: subject.map { $0 &+ 1 }.sink { sum.add($0) }
        case .chain: subject.map { $0 &+ 1 }.filter { $0 & 1 == 0 }.sink { sum.add($0) }
        case .merge: subject.merge(with: other).sink { sum.add($0) }
        case .debounce: subject.debounce(for: .seconds(1), scheduler: scheduler).sink { sum.add($0) }
        }
      cancellables.append(cancellable)
    }
    for subject in subjects { subject.send(1) }
    let result = body()
    for cancellable in cancellables { cancellable.cancel() }
    return result
  }

  // MARK: One stream

  /// Inspects a stream twice: the first time, the runtime looks up types.
  private static func partsTwice(_ cancellable: AnyCancellable) -> Int {
    Inspection(of: cancellable).parts.count + Inspection(of: cancellable).parts.count
  }

  private static func partsOfDebounce() -> Int {
    let scheduler = DispatchQueue.test
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject.debounce(for: .seconds(1), scheduler: scheduler).sink { _ in }
    subject.send(1)
    return partsTwice(cancellable)
  }

  /// As many sources as an operator with a fixed number may have.
  private static func partsOfZip() -> Int {
    let subjects = (0..<63).map { _ in PassthroughSubject<Int, Never>() }
    let cancellable = subjects.zip().sink { _ in }
    for subject in subjects.dropLast() { subject.send(1) }
    return partsTwice(cancellable)
  }

  private static func partsOfFlatMap(inners: Int, left: Int) -> Int {
    let inners = (0..<inners).map { _ in PassthroughSubject<Int, Never>() }
    let outer = PassthroughSubject<Int, Never>()
    let cancellable = outer.flatMap { inners[$0] }.sink { _ in }
    for number in inners.indices { outer.send(number) }
    for inner in inners.dropLast(left) { inner.send(completion: .finished) }
    return partsTwice(cancellable)
  }
}
