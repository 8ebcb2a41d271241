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

  /// A publisher of the notifications that are posted to a center. It never finishes.
  ///
  /// - Demand: each subscriber has its own. A notification that a subscriber hasn't requested is dropped for it.
  ///   Nothing is buffered.
  /// - Delivery: on the thread that posts, before `post` returns. A notification that's posted from inside a delivery,
  ///   or by another thread during one, is delivered after it.
  /// - Cancellation: `cancel()` removes the observer from the center before it returns.
  /// - Cost: an observer of the center for each subscriber. The publisher and the observers retain the object.
  public struct Publisher: Streams.Publisher, Equatable {
    /// A notification.
    public typealias Output = Notification

    /// A notification center never fails.
    public typealias Failure = Never

    public let center: NotificationCenter
    public let name: Notification.Name
    public let object: AnyObject?

    /// Creates a publisher of the notifications of a center.
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

    /// Returns whether both publish notifications of the same center, with the same name, from the same sender.
    public static func == (lhs: Self, rhs: Self) -> Bool {
      lhs.center === rhs.center && lhs.name == rhs.name && lhs.object === rhs.object
    }
  }
}
