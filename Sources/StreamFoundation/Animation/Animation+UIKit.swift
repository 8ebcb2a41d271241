#if canImport(UIKit) && !os(watchOS)
  public import StreamSchedulers
  public import Streams
  public import UIKit

  extension Scheduler where Self: Sendable {
    /// Returns this scheduler with all of its work done in an animation of UIKit.
    ///
    /// The scheduler has to run its work on the main actor, as `DispatchQueue.main` and ``MainQueueScheduler`` do.
    public func animate(
      withDuration duration: TimeInterval, delay: TimeInterval = 0, options: UIView.AnimationOptions = []
    ) -> AnySchedulerOf<Self> {
      wrappingActions { action in
        let action = HandedOver(action)
        MainActor.assumeIsolated {
          UIView.animate(withDuration: duration, delay: delay, options: options, animations: { action.value() })
        }
      }
    }

    /// Returns this scheduler with all of its work done in a spring animation of UIKit.
    ///
    /// The scheduler has to run its work on the main actor, as `DispatchQueue.main` and ``MainQueueScheduler`` do.
    public func animate(
      withDuration duration: TimeInterval, delay: TimeInterval = 0, usingSpringWithDamping dampingRatio: CGFloat,
      initialSpringVelocity velocity: CGFloat, options: UIView.AnimationOptions = []
    ) -> AnySchedulerOf<Self> {
      wrappingActions { action in
        let action = HandedOver(action)
        MainActor.assumeIsolated {
          UIView.animate(
            withDuration: duration, delay: delay, usingSpringWithDamping: dampingRatio,
            initialSpringVelocity: velocity, options: options, animations: { action.value() })
        }
      }
    }
  }
#endif
