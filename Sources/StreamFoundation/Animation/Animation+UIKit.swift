#if canImport(UIKit) && !os(watchOS)
  public import StreamSchedulers
  public import Streams
  public import UIKit

  extension Scheduler where Self: Sendable {
    /// Returns a scheduler that runs each action of this one in a UIKit animation.
    ///
    /// The scheduler must run its actions on the main actor, like `DispatchQueue.main` and ``MainQueueScheduler``. Elsewhere, an
    /// action stops the program.
    ///
    /// - Parameters:
    ///   - duration: The animation's duration in seconds.
    ///   - delay: The seconds before it begins.
    ///   - options: The animation options.
    public func animate(
      withDuration duration: TimeInterval, delay: TimeInterval = 0, options: UIView.AnimationOptions = []
    ) -> AnySchedulerOf<Self> {
      wrappingActions { action in
        let action = UnsafeTransfer(action)
        MainActor.assumeIsolated {
          UIView.animate(withDuration: duration, delay: delay, options: options, animations: { action.value() })
        }
      }
    }

    /// Returns a scheduler that runs each action of this one in a UIKit spring animation.
    ///
    /// The scheduler must run its actions on the main actor, like `DispatchQueue.main` and ``MainQueueScheduler``. Elsewhere, an
    /// action stops the program.
    ///
    /// - Parameters:
    ///   - duration: The animation's duration in seconds.
    ///   - delay: The seconds before it begins.
    ///   - dampingRatio: The spring's damping ratio.
    ///   - velocity: The initial velocity of the spring.
    ///   - options: The animation options.
    public func animate(
      withDuration duration: TimeInterval, delay: TimeInterval = 0, usingSpringWithDamping dampingRatio: CGFloat,
      initialSpringVelocity velocity: CGFloat, options: UIView.AnimationOptions = []
    ) -> AnySchedulerOf<Self> {
      wrappingActions { action in
        let action = UnsafeTransfer(action)
        MainActor.assumeIsolated {
          UIView.animate(
            withDuration: duration, delay: delay, usingSpringWithDamping: dampingRatio,
            initialSpringVelocity: velocity, options: options, animations: { action.value() })
        }
      }
    }
  }
#endif
