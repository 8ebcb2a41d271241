import Foundation

// On Apple's platforms, Foundation itself declares these publishers, so a file that only names them needs no other import.

extension Notification.Name {
  static let basketChanged = Notification.Name("basketChanged")
}

func basketChanges(in center: NotificationCenter) -> NotificationCenter.Publisher {
  center.publisher(for: .basketChanged)
}

func ticks(every interval: TimeInterval) -> Timer.TimerPublisher {
  Timer.publish(every: interval, on: .main, in: .common)
}
