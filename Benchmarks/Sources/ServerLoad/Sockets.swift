import ArgumentParser
import Dispatch
import Foundation

/// The time in seconds, of a clock that all processes share.
func now() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The peak of the resident memory of a process, in bytes.
func peakMemory(of process: Int32) throws -> Int {
  let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
  let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
  guard let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) }) else {
    throw ValidationError("the memory of the server is not known")
  }
  return kilobytes * 1024
}

func raiseFileLimit() {
  var limit = rlimit()
  getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  limit.rlim_cur = limit.rlim_max
  setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}

private func makeSocket(
  port: UInt16, _ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
) throws -> Int32 {
  let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
  let result = withUnsafeBytes(of: &address) {
    $0.withMemoryRebound(to: sockaddr.self) { call(number, $0.baseAddress!, socklen_t(MemoryLayout<sockaddr_in>.size)) }
  }
  if result < 0 { throw ValidationError("a socket has failed: \(String(cString: strerror(errno)))") }
  return number
}

func listeningSocket() throws -> Int32 {
  try makeSocket(port: 0) { bind($0, $1, $2) < 0 ? -1 : listen($0, 4_096) }
}

func connectedSocket(port: UInt16) throws -> Int32 {
  try makeSocket(port: port) { number, address, size in
    var bytes: Int32 = 65_536
    setsockopt(number, SOL_SOCKET, SO_RCVBUF, &bytes, 4)
    return connect(number, address, size)
  }
}

func port(of socket: Int32) -> UInt16 {
  var address = sockaddr_in()
  var size = socklen_t(MemoryLayout<sockaddr_in>.size)
  _ = withUnsafeMutableBytes(of: &address) {
    $0.withMemoryRebound(to: sockaddr.self) { getsockname(socket, $0.baseAddress!, &size) }
  }
  return UInt16(bigEndian: address.sin_port)
}

/// The server's end of a connection. One message is written at a time.
// Unchecked: whoever writes a message waits for its end before the next.
final class Connection: @unchecked Sendable {
  private let socket: Int32
  private var bytes: ArraySlice<UInt8> = []

  init(_ socket: Int32) {
    self.socket = socket
    _ = fcntl(socket, F_SETFL, O_NONBLOCK)
    var size: Int32 = 65_536
    setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &size, 4)
  }

  /// Writes a message. Returns true if that is done; otherwise calls a closure later, with whether the connection lives.
  func write(_ message: [UInt8], on queue: DispatchQueue, then done: @escaping @Sendable (Bool) -> Void) -> Bool? {
    bytes = message[...]
    if let isWritten = writeRest() { return isWritten }
    let source = DispatchSource.makeWriteSource(fileDescriptor: socket, queue: queue)
    source.setEventHandler {
      guard let isWritten = self.writeRest() else { return }
      source.cancel()
      done(isWritten)
    }
    source.resume()
    return nil
  }

  /// Returns `nil` if the socket accepts no more bytes, and false if the connection has ended.
  private func writeRest() -> Bool? {
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Foundation.write(socket, $0.baseAddress, $0.count) }
      if count < 0 { return errno == EAGAIN ? nil : false }
      bytes = bytes.dropFirst(count)
    }
    return true
  }

  /// Writes a message, and waits until that is done. Returns whether the connection lives.
  func write(_ message: [UInt8], on queue: DispatchQueue) async -> Bool {
    await withCheckedContinuation { continuation in
      if let isWritten = write(message, on: queue, then: { continuation.resume(returning: $0) }) {
        continuation.resume(returning: isWritten)
      }
    }
  }

  func end() { shutdown(socket, Int32(SHUT_RDWR)) }
}
