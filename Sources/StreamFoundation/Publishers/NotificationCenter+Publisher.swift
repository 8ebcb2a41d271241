public import Foundation
internal import StreamSchedulers
public import Streams

extension NotificationCenter {
  /// Publishes the notifications with a given name that are posted to this center.
  ///
  /// ```swift
  /// NotificationCenter.default.publisher(for: .NSSystemTimeZoneDidChange)
  ///   .sink { _ in print("somewhere else") }
  ///   .store(in: &cancellables)
  /// ```
  ///
  /// See ``NotificationCenter/Publisher`` for demand, delivery and cancellation. The publisher never finishes.
  ///
  /// - Parameters:
  ///   - name: The name of the notifications.
  ///   - object: The sender of the notifications, or `nil` for all senders.
  /// - Complexity: One observer for each subscriber, and O(1) for each notification.
  public func publisher(for name: Notification.Name, object: AnyObject? = nil) -> Publisher {
    Publisher(center: self, name: name, object: object)
  }

  /// A publisher that sends the notifications that are posted to a center. It never finishes.
  ///
  /// - Demand: each subscriber has its own. A subscriber misses a notification that it hasn't requested.
  /// - Delivery: on the thread that posts, before `post` returns. A notification that's posted during another delivery, on the
  ///   same or another thread, is delivered after the earlier one. In that case, `post` may return first.
  /// - Cancellation: `cancel()` removes the observer from the center before returning.
  /// - Cost: an observer of the center for each subscriber. The publisher and its observers retain `object`.
  public struct Publisher: Streams.Publisher, Equatable {
    /// A notification.
    public typealias Output = Notification

    /// A notification center never fails.
    public typealias Failure = Never

    public let center: NotificationCenter
    public let name: Notification.Name
    public let object: AnyObject?

    /// Creates a publisher that sends a center's notifications.
    ///
    /// - Parameters:
    ///   - center: The center to which notifications are posted.
    ///   - name: The name of the notifications.
    ///   - object: The sender of the notifications, or `nil` for all senders.
    public init(center: NotificationCenter, name: Notification.Name, object: AnyObject? = nil) {
      self.center = center
      self.name = name
      self.object = object
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Notification, S.Failure == Never {
      let subject = PassthroughSubject<Notification, Never>()
      let sender = object.map { ", object: \(type(of: $0))" } ?? ""
      // The center identifies the object by its address, which could be reused if the object were released.
      let handedOver = UnsafeTransfer((subject: subject, object: object))
      let observer = center.addObserver(forName: name, object: object, queue: nil) { notification in
        withExtendedLifetime(handedOver.value.object) { handedOver.value.subject.send(notification) }
      }
      subject.subscribe(
        ExternalSourceSubscriber("NotificationCenter.publisher(for: \(name.rawValue)\(sender))", subscriber) {
          [center] in
          center.removeObserver(observer)
        })
    }

    /// Returns whether both publishers send the same center's notifications with the same name and from the same
    /// sender.
    public static func == (lhs: Self, rhs: Self) -> Bool {
      lhs.center === rhs.center && lhs.name == rhs.name && lhs.object === rhs.object
    }
  }
}
