import Workloads

/// The two sizes whose difference a measurement takes.
struct Sizes {
  let small: Int
  let large: Int

  /// Creates sizes at which a run takes at most a few seconds under valgrind, and the cost of an element no longer
  /// depends on their number.
  init(_ workload: Workload, _ implementation: ImplementationName) {
    let (small, elements) =
      switch workload {
      case .sequence, .scan, .removeDuplicates, .prefix, .pairwise, .distinct, .opaqueSequence: (1_000, 100_000)
      // Several complete inner sequences.
      case .flatMap: (10_000, 100_000)
      case .subject, .currentValue, .replaySubject, .erasedMaps, .receiveOnImmediate: (1_000, 20_000)
      case .subject10, .share10, .subscribeCancel, .mergeSubscribeCancel, .mergeJoins, .shareJoins: (1_000, 5_000)
      case .flatMapJust, .flatMapOne, .merge8, .zip, .combineLatest, .debounce, .collectByTime: (1_000, 10_000)
      // The small size is large enough that as many values leave the delay as enter it.
      case .delay, .delayDates: (2_000, 10_000)
      case .receiveOnQueue: (10_000, 50_000)
      // The cost of an action is promised for a hundred thousand of them.
      case .testScheduler, .scheduleCancel: (100, 100_000)
      case .testSchedulerTimers: (2_000, 20_000)
      // The small size is a round of all tasks, so that each of them has slept.
      case .wakeTask, .wakeTaskWorld: (1_000, 20_000)
      case .values, .valuesKept, .valuesBounded, .asyncPublisher: (1_000, 20_000)
      case .carriedNone, .carriedEach, .carriedRun: (1_000, 10_000)
      case .withLatest, .sample, .race, .zipMany, .pausableBuffer, .rateLimit, .bufferBy, .groupBy: (1_000, 10_000)
      case .sink, .isolatedSink, .isolatedSinkActor, .isolatedSinkHop: (1_000, 20_000)
      case .opaqueSubject, .opaqueCurrentValue, .opaqueErasedMaps, .chain6, .chain8, .chain12: (1_000, 20_000)
      case .opaqueSubject10, .opaqueSubscribeCancel: (1_000, 5_000)
      case .engines2, .engines4: (1_000, 10_000)
      }
    self.small = small
    // At least five inner sequences of a thousand.
    large = small + max(elements / Self.divisor(implementation), 5_000)
  }

  /// Creates sizes at which the threads of a timer no longer matter.
  init(_ workload: InspectionWorkload) { (small, large) = (1_000, Build.isDebug ? 11_000 : 101_000) }

  /// Other implementations, and unoptimized code, cost more for each element.
  private static func divisor(_ implementation: ImplementationName) -> Int {
    let peer =
      switch implementation {
      case .streams, .limit: 1
      case .openCombine, .async: 5
      }
    return Build.isDebug ? peer * 10 : peer
  }
}
