import ArgumentParser
import Foundation
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import StreamAlgorithms
import Streams
import StreamsGRPC

/// Serves numbered values: plainly, as a publisher, and as a resumable stream.
struct BenchmarkServer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "server")

  func run() async throws {
    let streams = ResumableStreams(limits: ResumableStreamLimits(bytes: 1 << 30, sessionsPerClient: 1_000))
    for size in [1_024, 65_536] {
      streams.add("values of \(size)", serializer: BytesCoder()) {
        let value = [UInt8](repeating: 1, count: size)
        return (0...).publisher.map { _ in value }
      }
    }
    let transport = HTTP2ServerTransport.Posix(
      address: .ipv4(host: "127.0.0.1", port: 0), transportSecurity: .plaintext)
    let server = GRPCServer(transport: transport, services: [BenchmarkService(), streams])
    async let serving: Void = server.serve()
    guard let port = try await transport.listeningAddress.ipv4?.port else { throw ExitCode.failure }
    print(port)
    fflush(nil)
    try await serving
  }
}

/// What a server and a client have used.
struct Usage {
  var microseconds = 0
  var residentKilobytes = 0

  /// The usage of this process.
  static var current: Usage {
    var usage = rusage()
    #if canImport(Darwin)
      getrusage(RUSAGE_SELF, &usage)
    #else
      getrusage(RUSAGE_SELF.rawValue, &usage)
    #endif
    let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
    let microseconds = Int(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ").dropFirst()
      .first
    return Usage(
      microseconds: seconds * 1_000_000 + microseconds, residentKilobytes: pages.flatMap { Int($0) }.map { $0 * 4 } ?? 0
    )
  }
}

struct BenchmarkService: RegistrableRPCService {
  static func method(_ name: String) -> MethodDescriptor {
    MethodDescriptor(fullyQualifiedService: "benchmarks.Benchmarks", method: name)
  }

  func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
    router.registerHandler(forMethod: Self.method("Plain"), deserializer: BytesCoder(), serializer: BytesCoder()) {
      request, _ in
      let count = try await Self.count(request)
      return StreamingServerResponse { writer in
        let value = [UInt8](repeating: 1, count: 1_024)
        for _ in 0..<count { try await writer.write(value) }
        return [:]
      }
    }
    router.registerHandler(forMethod: Self.method("Streams"), deserializer: BytesCoder(), serializer: BytesCoder()) {
      request, _ in
      let count = try await Self.count(request)
      return StreamingServerResponse {
        let value = [UInt8](repeating: 1, count: 1_024)
        return (0..<count).publisher.map { _ in value }
      }
    }
    router.registerHandler(forMethod: Self.method("Usage"), deserializer: BytesCoder(), serializer: BytesCoder()) {
      _, _ in
      StreamingServerResponse {
        let usage = Usage.current
        return Just(Array("\(usage.microseconds) \(usage.residentKilobytes)".utf8))
      }
    }
  }

  private static func count(_ request: StreamingServerRequest<[UInt8]>) async throws -> Int {
    let bytes = try await request.messages.first { _ in true } ?? []
    return Int(String(decoding: bytes, as: UTF8.self)) ?? 0
  }
}
