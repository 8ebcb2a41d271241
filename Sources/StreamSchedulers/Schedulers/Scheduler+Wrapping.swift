package import Streams

extension Scheduler where Self: Sendable {
  /// Returns a type-erased copy of this scheduler that passes every action to a closure, which runs it.
  package func wrappingActions(_ wrap: @escaping @Sendable (@escaping () -> Void) -> Void) -> AnySchedulerOf<Self> {
    AnySchedulerOf<Self>(
      members: AnySchedulerMembers(
        minimumTolerance: { minimumTolerance },
        now: { now },
        immediately: { options, action in schedule(options: options) { wrap(action) } },
        delayed: { date, tolerance, options, action in
          schedule(after: date, tolerance: tolerance, options: options) { wrap(action) }
        },
        interval: { date, interval, tolerance, options, action in
          schedule(after: date, interval: interval, tolerance: tolerance, options: options) { wrap(action) }
        },
        once: { date, tolerance, options, action in
          scheduleOnce(after: date, tolerance: tolerance, options: options) { wrap(action) }
        },
        taskExecutor: { taskExecutor }))
  }
}
