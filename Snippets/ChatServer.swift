// A chat server on TCP sockets, with two clients.
//
//     swift run ChatServer           prints a conversation, during which the server stops and another one replaces it
//     swift run ChatServer serve     runs a server until SIGTERM and prints its port
//
// This is the program of the article "A chat server", which explains it and tests it in virtual time. Every client
// receives the lines of all clients. A slow client doesn't slow down the others. When its connection ends, a client
// reconnects.

import Dispatch
import Foundation
import StreamAlgorithms
import StreamFoundation

/// The lines in one direction of a connection.
typealias Lines = AnyPublisher<String, Disconnection>

/// The reason why a connection ended.
enum Disconnection: Error, Equatable {
  case closed, idle, tooSlow
  case failed(String)
}

/// The number of the current connection, for the log.
enum Connection {
  @TaskLocal static var number = 0
}

/// A room in which every client receives the lines of all clients. Use it only on its scheduler.
struct Room: @unchecked Sendable {
  let scheduler: AnySchedulerOf<DispatchQueue>
  var linesPerSecond = 5
  var bound = 16
  var whenFull: OverflowStrategy<Disconnection> = .dropOldest
  var log: (String) -> Void = { _ in }

  private let messages = PassthroughSubject<String, Disconnection>()
  private let closing = PassthroughSubject<Void, Never>()
}

extension Room {
  /// Takes the lines that a client sends and returns the lines to send to that client.
  func join(_ lines: Lines) -> Lines {
    Deferred { [messages, closing, scheduler, linesPerSecond, bound, whenFull, log] in
      var name: String?
      let leave = {
        guard let name = name.take() else { return }
        log("\(name) leaves")
        messages.send("\(name) leaves")
      }
      let input =
        lines
        .append(Fail(error: .closed))
        .timeout(.seconds(60), scheduler: scheduler, customError: { .idle })
        .flatMap(maxPublishers: .max(linesPerSecond)) { line in
          Just(line).append(Empty().delay(for: .seconds(1), scheduler: scheduler))
        }
        .finish(when: closing)
        .handleEvents(
          receiveOutput: { line in
            if name == nil { log("\(line) joins") }
            messages.send(name.map { "\($0): \(line)" } ?? "\(line) joins")
            name = name ?? line
          },
          receiveCompletion: { if case .failure = $0 { leave() } },
          receiveCancel: leave)
      return
        messages
        .finish(when: closing)
        .buffer(bounded: bound, whenFull: whenFull)
        .merge(with: input.ignoreOutput().setOutputType(to: String.self))
        .handleEvents(receiveCompletion: { log("disconnected: \($0)") })
    }
    .eraseToAnyPublisher()
  }

  /// Takes no further lines. Disconnects each client once it has received all earlier ones.
  func close() { closing.send() }
}

/// A client that reconnects whenever its connection ends.
struct Client {
  /// The lines that the user types.
  let typing = PassthroughSubject<String, Never>()

  /// A report for each connection that has ended.
  let reports = PassthroughSubject<String, Disconnection>()

  /// The lines that the client receives.
  let lines: Lines

  init(
    name: String, policy: RetryPolicy, scheduler: AnySchedulerOf<DispatchQueue>,
    connect: (Lines) -> Lines
  ) {
    let outgoing = Just(name)
      .append(typing.buffer(size: 16, prefetch: .byRequest, whenFull: .dropNewest))
      .setFailureType(to: Disconnection.self)
    lines = connect(outgoing.eraseToAnyPublisher())
      .append(Fail(error: .closed))
      .handleEvents(receiveCompletion: { [reports] in
        if case .failure(let reason) = $0 { reports.send("disconnected: \(reason)") }
      })
      .retry(policy, scheduler: scheduler)
      .eraseToAnyPublisher()
  }
}

/// Writes lines to a socket, one at a time. Use it only on its queue.
final class LineWriter: Subscriber, @unchecked Sendable {
  private let socket: FileHandle
  private let queue: DispatchQueue
  private var onClose: (() -> Void)?
  private var subscription: (any Subscription)?
  private var bytes: ArraySlice<UInt8> = []
  private var isEnding = false
  private var rest: AnyCancellable?

  init(_ socket: FileHandle, queue: DispatchQueue, onClose: @escaping () -> Void = {}) {
    self.socket = socket
    self.queue = queue
    self.onClose = onClose
    _ = fcntl(socket.fileDescriptor, F_SETFL, O_NONBLOCK)
  }

  func receive(subscription: any Subscription) {
    if self.subscription != nil { return subscription.cancel() }
    self.subscription = subscription
    subscription.request(.max(1))
  }

  func receive(_ line: String) -> Subscribers.Demand {
    bytes = Array("\(line)\n".utf8)[...]
    return finishesLine() ? .max(1) : .none
  }

  func receive(completion: Subscribers.Completion<Disconnection>) {
    isEnding = true
    if bytes.isEmpty { hangUp() }
  }

  /// Ends both directions of the connection.
  func cancel() {
    queue.async { [self] in
      subscription?.cancel()
      disconnect()
    }
  }

  private func disconnect() {
    subscription = nil
    rest = nil
    shutdown(socket.fileDescriptor, Int32(SHUT_RDWR))
    onClose?()
    onClose = nil
  }
}

extension LineWriter {
  /// Writes as many bytes as the socket accepts. Returns `true` if they complete the line.
  private func finishesLine() -> Bool {
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes {
        write(socket.fileDescriptor, $0.baseAddress, $0.count)
      }
      if count < 0 {
        if errno == EAGAIN { continueWhenWritable() } else { cancel() }
        return false
      }
      bytes = bytes.dropFirst(count)
    }
    if isEnding { hangUp() }
    return !isEnding
  }

  /// Ends the outgoing direction. Ends the other one when the other end has read everything and hangs up.
  /// Closing a socket that has unread bytes would discard the bytes that it hasn't sent yet.
  private func hangUp() {
    if shutdown(socket.fileDescriptor, Int32(SHUT_WR)) < 0 { return disconnect() }
    rest = socket.lines(upTo: 1000, on: queue)
      .sink(receiveCompletion: { [self] _ in disconnect() }, receiveValue: { _ in })
  }

  private func continueWhenWritable() {
    let source = DispatchSource.makeWriteSource(
      fileDescriptor: socket.fileDescriptor, queue: queue)
    source.setEventHandler { [self] in
      source.cancel()
      if finishesLine() { subscription?.request(.max(1)) }
    }
    source.resume()
  }
}

extension FileHandle {
  /// Creates a TCP socket and calls `bind` or `connect` with a port of this host.
  convenience init(
    port: UInt16, _ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) throws(Disconnection) {
    #if canImport(Glibc)
      let type = Int32(SOCK_STREAM.rawValue)
    #else
      let type = SOCK_STREAM
    #endif
    self.init(fileDescriptor: socket(AF_INET, type, 0), closeOnDealloc: true)
    var yes: Int32 = 1
    setsockopt(fileDescriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(4))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    let result = withUnsafeBytes(of: &address) { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) {
        call(fileDescriptor, $0.baseAddress!, socklen_t(bytes.count))
      }
    }
    if result < 0 { throw .failed(String(cString: strerror(errno))) }
  }

  /// The port to which the socket is bound.
  var port: UInt16 {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withUnsafeMutableBytes(of: &address) { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) {
        getsockname(fileDescriptor, $0.baseAddress!, &size)
      }
    }
    return UInt16(bigEndian: address.sin_port)
  }

  /// The arriving lines, each of at most `length` bytes.
  func lines(upTo length: Int, on queue: DispatchQueue) -> Lines {
    linePublisher(maximumLength: length, on: queue)
      .mapError { .failed("\($0)") }
      .eraseToAnyPublisher()
  }
}

/// Accepts clients for a room, on the queue that is the room's scheduler.
final class Server {
  let port: UInt16
  /// The number of connected clients.
  let clients = CurrentValueSubject<Int, Never>(0)
  private let source: any DispatchSourceRead

  init(room: Room, port: UInt16 = 0, queue: DispatchQueue) throws(Disconnection) {
    let socket = try FileHandle(port: port) { bind($0, $1, $2) < 0 ? -1 : listen($0, 16) }
    let number = socket.fileDescriptor
    self.port = socket.port
    source = DispatchSource.makeReadSource(fileDescriptor: number, queue: queue)
    var count = 0
    source.setEventHandler { [clients] in
      let accepted = accept(number, nil, nil)
      if accepted < 0 { return }
      // A small buffer keeps waiting lines out of the system and in the room, which has a bound.
      var size: Int32 = 65_536
      setsockopt(accepted, SOL_SOCKET, SO_SNDBUF, &size, 4)
      let client = FileHandle(fileDescriptor: accepted, closeOnDealloc: true)
      clients.value += 1
      count += 1
      Connection.$number.withValue(count) {
        room.join(client.lines(upTo: 1000, on: queue))
          .subscribe(LineWriter(client, queue: queue) { clients.value -= 1 })
      }
    }
    source.setCancelHandler {
      try? socket.close()
      room.close()
    }
    source.resume()
  }

  func stop() { source.cancel() }
}

/// Runs a server until SIGTERM, then until its clients have received everything.
func serve(on queue: DispatchQueue) throws(Disconnection) -> Never {
  let scheduler = queue.eraseToAnyScheduler()
  var room = Room(scheduler: scheduler, linesPerSecond: 10_000, bound: 10_000, whenFull: .fail(.tooSlow))
  StreamContext.carry(Connection.$number)
  room.log = { text in
    FileHandle.standardError.write(Data("connection \(Connection.number): \(text)\n".utf8))
  }
  let server = try Server(room: room, queue: queue)
  signal(SIGTERM, SIG_IGN)
  let termination = DispatchSource.makeSignalSource(signal: SIGTERM, queue: queue)
  var stop: AnyCancellable?
  termination.setEventHandler {
    server.stop()
    stop = server.clients.first { $0 == 0 }
      .timeout(.seconds(5), scheduler: scheduler)
      .sink { _ in
        print("stopped; \(server.clients.value) clients did not receive everything")
        exit(0)
      } receiveValue: { _ in
      }
  }
  termination.resume()
  FileHandle.standardOutput.write(Data("port \(server.port)\n".utf8))
  withExtendedLifetime(stop) { dispatchMain() }
}

/// Connects each subscriber to a server and publishes the server's lines.
func connection(to port: UInt16, sending outgoing: Lines, queue: DispatchQueue) -> Lines {
  Deferred {
    do throws(Disconnection) {
      let socket = try FileHandle(port: port, connect)
      let writer = LineWriter(socket, queue: queue)
      outgoing.receive(on: queue).subscribe(writer)
      return socket.lines(upTo: 4000, on: queue)
        .handleEvents(
          receiveCompletion: { _ in writer.cancel() }, receiveCancel: writer.cancel
        )
        .eraseToAnyPublisher()
    } catch {
      return Fail(error: error).eraseToAnyPublisher()
    }
  }
  .eraseToAnyPublisher()
}

signal(SIGPIPE, SIG_IGN)
let queue = DispatchQueue(label: "chat")
if CommandLine.arguments.last == "serve" { try serve(on: queue) }
let scheduler = queue.eraseToAnyScheduler()
var server = try Server(room: Room(scheduler: scheduler), queue: queue)
let port = server.port

let policy = RetryPolicy.exponentialBackoff(
  first: .milliseconds(1), longest: .milliseconds(8), maxRetries: .max,
  jitter: .full, resetsAfterValue: true)
let ada = Client(name: "ada", policy: policy, scheduler: scheduler) {
  connection(to: port, sending: $0, queue: queue)
}
let bob = Client(name: "bob", policy: policy, scheduler: scheduler) {
  connection(to: port, sending: $0, queue: queue)
}
var bobListens: AnyCancellable?

let events = ada.lines.merge(with: ada.reports).removeDuplicates()
for try await event in events.values(bounded: 16, whenFull: .wait) {
  print(event)
  if event == "ada joins", bobListens != nil { break }
  switch event {
  case "ada joins":
    bobListens = bob.lines.sink(receiveCompletion: { _ in }) { line in
      if line == "ada: hello" { bob.typing.send("hello, ada") }
    }
  case "bob joins": ada.typing.send("hello")
  case "bob: hello, ada": bobListens?.cancel()
  case "bob leaves": server.stop()
  case "disconnected: failed(\"Connection refused\")":
    server = try Server(room: Room(scheduler: scheduler), port: port, queue: queue)
  default: break
  }
}
// Prints ada joins
// Prints bob joins
// Prints ada: hello
// Prints bob: hello, ada
// Prints bob leaves
// Prints disconnected: closed
// Prints disconnected: failed("Connection refused")
// Prints ada joins
