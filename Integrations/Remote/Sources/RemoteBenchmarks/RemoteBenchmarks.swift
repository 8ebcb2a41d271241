import ArgumentParser
import Dispatch
import Foundation
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import StreamAlgorithms
import StreamSchedulers
import Streams
import StreamsGRPC

/// Compares streams with plain grpc-swift, over sockets of the loopback interface.
@main struct RemoteBenchmarks: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    subcommands: [Compare.self, BenchmarkServer.self], defaultSubcommand: Compare.self)
}

/// Prints medians, alternating between the ways.
struct Compare: AsyncParsableCommand {
  @Option(help: "The number of values of each run.") var count = 100_000
  @Option(help: "The number of runs of each way.") var rounds = 5

  private typealias Client = GRPCClient<HTTP2ClientTransport.Posix>

  private struct Cost {
    var rate = 0.0
    var client = 0.0
    var server = 0.0
  }

  func run() async throws {
    try await withServer(compare)
    // Its memory isn't that of the runs before.
    try await withServer(measureMemory)
  }

  /// Runs a closure with a client of a server in a process of its own.
  private func withServer(_ body: (Client) async throws -> Void) async throws {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["server"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    defer { process.terminate() }
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard let port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) else { throw ExitCode.failure }
    let transport = try HTTP2ClientTransport.Posix(
      target: .ipv4(address: "127.0.0.1", port: port), transportSecurity: .plaintext)
    try await withGRPCClient(transport: transport, stoppingWithin: .seconds(5), body)
  }

  private func compare(_ client: Client) async throws {
    let ways: [(String, @Sendable (Client, Int) async throws -> Int)] = [
      ("plain grpc-swift", plain), ("adapters", adapters), ("frames, 256 requested", frames),
      ("frames, a loop over 256", framesInLoop),
    ]
    var costs = [[Cost]](repeating: [], count: ways.count)
    for round in 0...rounds {
      for (index, (_, way)) in ways.enumerated() {
        let cost = try await measure(client) { try await way(client, $0) }
        // The first round warms up.
        if round > 0 { costs[index].append(cost) }
      }
    }
    let medians = costs.map { runs in
      Cost(
        rate: median(runs.map(\.rate)), client: median(runs.map(\.client)), server: median(runs.map(\.server)))
    }
    print("| 1 KB, medians of \(rounds) | values/s | × plain | client, µs | × plain | server, µs | × plain |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for ((name, _), cost) in zip(ways, medians) {
      let columns: [(Double, Double, String)] = [
        (cost.rate, medians[0].rate, "%.0f"), (cost.client, medians[0].client, "%.2f"),
        (cost.server, medians[0].server, "%.2f"),
      ]
      let text = columns.map { value, plain, format in
        "\(String(format: format, value)) | \(String(format: "%.2f", value / plain))"
      }
      print("| \(name) | \(text.joined(separator: " | ")) |")
    }
  }

  private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  private func measure(_ client: Client, _ body: (Int) async throws -> Int) async throws -> Cost {
    let (server, own, start) = (try await usage(of: client), Usage.current, ContinuousClock.now)
    let received = try await body(count)
    let interval = ContinuousClock.now - start
    guard received == count else { throw ExitCode.failure }
    let spent = Double(Usage.current.microseconds - own.microseconds)
    let spentByServer = Double(try await usage(of: client).microseconds - server.microseconds)
    return Cost(
      rate: Double(count) / (interval / .seconds(1)), client: spent / Double(count),
      server: spentByServer / Double(count))
  }

  private func messages(_ client: Client, _ name: String, _ count: Int) -> RPCPublisher<[UInt8]> {
    RPCPublisher { receive in
      try await client.serverStreaming(
        request: ClientRequest(message: Array("\(count)".utf8)), descriptor: BenchmarkService.method(name),
        serializer: BytesCoder(), deserializer: BytesCoder(), options: .defaults, onResponse: receive)
    }
  }

  private func usage(of client: Client) async throws -> Usage {
    let bytes = try await messages(client, "Usage", 0).values.first { _ in true } ?? []
    let numbers = String(decoding: bytes, as: UTF8.self).split(separator: " ").compactMap { Int($0) }
    return Usage(microseconds: numbers[0], residentKilobytes: numbers[1])
  }

  // MARK: The ways

  private func plain(_ client: Client, _ count: Int) async throws -> Int {
    try await client.serverStreaming(
      request: ClientRequest(message: Array("\(count)".utf8)), descriptor: BenchmarkService.method("Plain"),
      serializer: BytesCoder(), deserializer: BytesCoder(), options: .defaults
    ) { response in
      var received = 0
      for try await _ in response.messages { received += 1 }
      return received
    }
  }

  private func adapters(_ client: Client, _ count: Int) async throws -> Int {
    try await messages(client, "Streams", count).count().values.first { _ in true } ?? 0
  }

  private func frames(_ client: Client, _ count: Int) async throws -> Int {
    let stream = client.resumableStream(
      "values of 1024", deserializer: BytesCoder(), retry: .immediate(maxRetries: 0), scheduler: DispatchQueue.global())
    return await withCheckedContinuation { continuation in
      stream.prefix(count).subscribe(BatchCounter { continuation.resume(returning: $0) })
    }
  }

  private func framesInLoop(_ client: Client, _ count: Int) async throws -> Int {
    let stream = client.resumableStream(
      "values of 1024", deserializer: BytesCoder(), retry: .immediate(maxRetries: 0), scheduler: DispatchQueue.global())
    var received = 0
    for try await _ in stream.prefix(count).values(bounded: 256, whenFull: .wait) { received += 1 }
    return received
  }

  // MARK: Memory

  /// Reads 20 values of 64 KB and stops.
  private func measureMemory(_ client: Client) async throws {
    let before = try await usage(of: client).residentKilobytes
    let stream = client.resumableStream(
      "values of 65536", deserializer: BytesCoder(), retry: .immediate(maxRetries: 0), scheduler: DispatchQueue.global()
    )
    var iterator = stream.values(bounded: 20, whenFull: .wait).makeAsyncIterator()
    _ = try await iterator.next()
    var (most, last) = (0, 0)
    for _ in 0..<50 {
      try await Task.sleep(for: .milliseconds(100))
      last = try await usage(of: client).residentKilobytes
      most = max(most, last)
    }
    print(
      "\nA reader of 64 KB values stops: the server has \((last - before) / 1_024) MB more, at most \((most - before) / 1_024) MB, "
        + "with a window of 16 MB.")
    withExtendedLifetime(iterator) {}
  }
}

/// Counts values with a demand of 256, half of which it requests at a time.
private final class BatchCounter<Input, Failure: Error>: Subscriber {
  // Nobody else uses the counter, and values come one after the other.
  private var count = 0
  private let onEnd: (Int) -> Void

  init(_ onEnd: @escaping (Int) -> Void) { self.onEnd = onEnd }

  func receive(subscription: any Subscription) { subscription.request(.max(256)) }

  func receive(_ input: Input) -> Subscribers.Demand {
    count += 1
    return count.isMultiple(of: 128) ? .max(128) : .none
  }

  func receive(completion: Subscribers.Completion<Failure>) { onEnd(count) }
}
