import ArgumentParser
import Foundation

/// Measures a Hummingbird server that sends server-sent events to many clients, some of which stop reading.
@main
struct Load: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measures a server that sends events to many clients, some of which stop reading.",
    subcommands: [Compare.self, Serve.self, Read.self])
}

struct Options: ParsableArguments {
  @Option(help: "The number of clients.") var clients = 2_000
  @Option(help: "The number of clients that stop reading, in every other case.") var stalled = 20
  @Option(help: "The number of messages.") var messages = 300
  @Option(help: "The number of bytes of a message.") var size = 1_024
  @Option(help: "The number of messages in a second, in the runs that measure latency.") var rate = 15

  func validate() throws {
    guard clients > 0, messages > 0, rate > 0 else { throw ValidationError("Every number has to be above zero.") }
    guard size >= Message.minimumSize else {
      throw ValidationError("A message has \(Message.minimumSize) bytes at least.")
    }
    guard 0..<clients ~= stalled else { throw ValidationError("At least one client has to read.") }
  }
}

extension ParsableArguments {
  /// Allows this process as many open files as the system does, and ensures that it's enough for a number of clients.
  func raiseFileLimit(for clients: Int) throws {
    #if canImport(Darwin)
      let files = RLIMIT_NOFILE
    #else
      let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif
    var limit = rlimit()
    guard getrlimit(files, &limit) == 0 else { throw ValidationError("The limit of open files is unknown.") }
    let needed = rlim_t(clients + 100)
    guard limit.rlim_max >= needed else {
      throw ValidationError("\(needed) files have to be open. The system's limit is \(limit.rlim_max).")
    }
    limit.rlim_cur = max(limit.rlim_cur, needed)
    guard setrlimit(files, &limit) == 0 else { throw ValidationError("The limit of open files can't be raised.") }
  }
}

/// Writes a line to the process that started this one.
func report(_ numbers: Int...) {
  let line = numbers.map(String.init).joined(separator: " ") + "\n"
  FileHandle.standardOutput.write(Data(line.utf8))
}
