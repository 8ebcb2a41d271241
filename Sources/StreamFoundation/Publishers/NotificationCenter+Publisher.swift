public import Foundation
internal import StreamSchedulers
public import Streams

extension NotificationCenter {
  /// Publishes the notifications with a name that are posted to this center.
  ///
  /// ```swift
  /// NotificationCenter.default.publisher(for: .NSSystemTimeZoneDidChange)
  ///   .sink { _ in print("somewhere else") }
  ///   .store(in: &cancellables)
  /// ```
  ///
  /// ``NotificationCenter/Publisher`` says the rest.
  ///
  /// - Parameters:
  ///   - name: The name of the notifications.
  ///   - object: The sender of the notifications; `nil` for those of all senders.
  public func publisher(for name: Notification.Name, object: AnyObject? = nil) -> Publisher {
    Publisher(center: self, name: name, object: object)
  }

  /// A publisher of the notifications that are posted to a center. It never ends.
  ///
  /// - Demand: each subscriber has its own. A notification for which a subscriber has not asked is dropped for that
  ///   subscriber; nothing is kept.
  /// - Delivery: on the thread that posts, before `post` returns. One that is posted from inside a delivery, or from
  ///   another thread meanwhile, is delivered next.
  /// - Cancellation: the observer has been removed from the center when `cancel()` returns.
  /// - Cost: an observer of the center for each subscriber. The publisher and the observers keep the object.
  public struct Publisher: Streams.Publisher, Equatable {
    /// A notification.
    public typealias Output = Notification

    /// A center does not fail.
    public typealias Failure = Never

    /// The center to which notifications are posted.
    public let center: NotificationCenter

    /// The name of the notifications.
    public let name: Notification.Name

    /// The sender of the notifications; `nil` for those of all senders.
    public let object: AnyObject?

    /// Makes a publisher of the notifications of a center.
    public init(center: NotificationCenter, name: Notification.Name, object: AnyObject? = nil) {
      self.center = center
      self.name = name
      self.object = object
    }

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Notification, S.Failure == Never {
      let subject = PassthroughSubject<Notification, Never>()
      // The center knows the object by its address, which another one may get when that is gone.
      let handedOver = HandedOver((subject: subject, object: object))
      let observer = center.addObserver(forName: name, object: object, queue: nil) { notification in
        withExtendedLifetime(handedOver.value.object) { handedOver.value.subject.send(notification) }
      }
      let observation = Observation { [center] in center.removeObserver(observer) }
      observation.publisher(subject).receive(subscriber: subscriber)
    }

    /// Whether both are publishers of the same notifications: of one center, with one name, from one object.
    public static func == (lhs: Self, rhs: Self) -> Bool {
      lhs.center === rhs.center && lhs.name == rhs.name && lhs.object === rhs.object
    }
  }
}
