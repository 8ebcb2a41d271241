// A file that imports Foundation, and neither Combine nor Streams, in a module whose other files do not either.
import Foundation

let center = NotificationCenter.default
_ = center.publisher(for: Notification.Name("x"))  // expect: has no member 'publisher'
_ = Timer.publish(every: 1, on: .main, in: .common)  // expect: has no member 'publish'
