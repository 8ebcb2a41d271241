import Foundation
import NIOCore
import ServiceLifecycle

/// The error of a board whose port is used by another program.
public struct PortIsTaken: Error, CustomStringConvertible {
  /// The port.
  public let port: Int

  /// The message.
  public var description: String { "Port \(port) is taken: another program listens there. Choose another one." }
}

/// A service that listens at a port. If that's taken, the error names it.
struct ListeningService<Base: Service>: Service, CustomStringConvertible {
  let port: Int
  let base: Base

  var description: String { "\(base)" }

  func run() async throws {
    do {
      try await base.run()
    } catch let error as IOError where error.errnoCode == EADDRINUSE {
      throw PortIsTaken(port: port)
    }
  }
}
