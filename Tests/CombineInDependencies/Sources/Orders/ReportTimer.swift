import Foundation

/// Ticks when a report is due. This file imports Foundation alone, and has its publishers because another file of the module imports
/// Combine.
func reportTimer() -> Timer.TimerPublisher {
  Timer.publish(every: 60, on: .main, in: .common)
}
