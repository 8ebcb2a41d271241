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

/// Runs a closure that listens at a port. If that's taken, the error names it.
func naming<Result>(_ port: Int, _ listen: () async throws -> Result) async throws -> Result {
  do {
    return try await listen()
  } catch let error as IOError where error.errnoCode == EADDRINUSE {
    throw PortIsTaken(port: port)
  }
}

/// A service that listens at a port, which its error names.
struct PortNamingService<Base: Service>: Service {
  let port: Int
  let base: Base

  func run() async throws { try await naming(port) { try await base.run() } }
}
