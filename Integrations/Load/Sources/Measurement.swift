import ArgumentParser

/// The result of one run of a server and its clients.
struct Measurement {
  /// The share of the messages that the reading clients have received.
  var received: Double
  /// Messages that reached clients in a second.
  var throughput: Double
  /// The latencies at percentiles, in milliseconds.
  var median: Double
  var percentile99: Double
  /// The peak of the server's resident memory, in bytes.
  var memory: Double
  /// The time that the server's processors took for a message to a client, in microseconds.
  var processorTime: Double
  /// The number of stalled clients that the server has disconnected.
  var disconnected: Int
  /// The share of the messages that the stalled clients received once they read again.
  var receivedByStalled: Double

  /// The share of the machine's processors that other processes took.
  var others: Double

  /// The number of messages that may be on their way in a run without a rate. The buffers have room for twice as many.
  private static let window = 32

  /// Runs a server and its clients.
  ///
  /// With a pace, messages are sent at the rate of the options. Without, each is sent once all reading clients have received the
  /// one that's `window` messages older, so that the server is busy all the time but no buffer of a reading client is ever full.
  init(_ broadcast: Broadcast, stalled: Int, isPaced: Bool, _ options: Options) throws {
    let arguments = [
      "--clients", "\(options.clients)", "--stalled", "\(stalled)", "--messages", "\(options.messages)",
      "--size", "\(options.size)", "--rate", "\(options.rate)",
    ]
    let server = try Program(["serve", broadcast.rawValue] + (isPaced ? ["--is-paced"] : []) + arguments)
    defer { server.end() }
    guard let port = try server.nextNumbers().first else { throw ValidationError("The server has no port.") }
    let clients = try Program(["read", "\(port)"] + (isPaced ? [] : ["--acknowledges"]) + arguments)
    defer { clients.end() }
    _ = try clients.nextNumbers()
    let (time, clientsTime, machineTime) = try (server.processorTime, clients.processorTime, Program.machineTime)
    try server.send(isPaced ? options.messages : min(options.messages, Self.window))

    var numbers = try clients.nextNumbers()
    while let count = numbers.first, count > 0 {
      try server.send(min(options.messages, count + Self.window))
      numbers = try clients.nextNumbers()
    }
    guard numbers.count == 5 else { throw ValidationError("The clients have no result.") }
    memory = Double(try server.peakMemory)
    let count = Double(numbers[1])
    let (end, clientsEnd, machineEnd) = try (server.processorTime, clients.processorTime, Program.machineTime)
    processorTime = count == 0 ? .nan : (end.user + end.system - time.user - time.system) * 1e6 / count
    let ownTime = end.user - time.user + clientsEnd.user - clientsTime.user
    others = max(0, machineEnd.user - machineTime.user - ownTime) / (machineEnd.all - machineTime.all)
    received = count / Double(options.messages * (options.clients - stalled))
    throughput = numbers[2] == 0 ? 0 : count * 1e9 / Double(numbers[2])
    median = Double(numbers[3]) / 1_000
    percentile99 = Double(numbers[4]) / 1_000

    try clients.send(0)
    // If the stalled clients had stopped the others, those continue now.
    repeat { numbers = try clients.nextNumbers() } while numbers.first != -2
    guard numbers.count == 3 else { throw ValidationError("The stalled clients have no result.") }
    disconnected = numbers[1]
    receivedByStalled = stalled == 0 ? .nan : Double(numbers[2]) / Double(options.messages * stalled)
  }
}
