import Dispatch
import StreamSchedulers
import Streams
import Testing

/// What a transition displaces is released after its lock: an optimizer may release a value as soon as nothing uses it.
@Suite struct ReleaseOutsideLockTests {
  private final class OnRelease {
    private let action: () -> Void
    init(_ action: @escaping () -> Void) { self.action = action }
    deinit { action() }
    func touch() {}
  }

  private final class Actions {
    var armed: [any Cancellable] = []
    var released = 0
  }

  private func armThree(on scheduler: TestSchedulerOf<DispatchQueue>, _ actions: Actions) {
    for seconds in 1...3 {
      let object = OnRelease {
        actions.released += 1
        for one in actions.armed { one.cancel() }
      }
      let date = scheduler.now.advanced(by: .seconds(seconds))
      actions.armed.append(scheduler.schedule(after: date, interval: .seconds(1)) { object.touch() })
    }
  }

  @Test(.timeLimit(.minutes(10))) func `captures of actions cancel others while the scheduler is released`() {
    let actions = Actions()
    do { armThree(on: DispatchQueue.test, actions) }
    #expect(actions.released == 3)
    actions.armed = []
  }

  @Test(.timeLimit(.minutes(10))) func `a capture of a cancelled action cancels others`() {
    let actions = Actions()
    let scheduler = DispatchQueue.test
    armThree(on: scheduler, actions)
    actions.armed[1].cancel()
    #expect(actions.released == 3)
    actions.armed = []
  }
}
