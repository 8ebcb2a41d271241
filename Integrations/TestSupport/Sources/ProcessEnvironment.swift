import Foundation

package enum ProcessEnvironment {
  /// The number of messages that are sent over a socket.
  package static let messages = ProcessInfo.processInfo.environment["STREAMS_MESSAGES"].flatMap { Int($0) } ?? 50_000
}
