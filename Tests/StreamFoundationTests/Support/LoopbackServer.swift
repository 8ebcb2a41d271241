import Foundation

/// A local HTTP server whose responses a test determines.
///
/// It has a thread of its own, and stops when it is released. Connections are kept alive.
final class LoopbackServer: Sendable {
  struct Request: Sendable {
    /// The number of the request, unique for this server.
    let number: Int
    let method: String
    /// The path, with the query.
    let target: String
    /// The values of the header fields, by their lowercase names.
    let fields: [String: String]
    fileprivate let connection: CInt
  }

  /// A response to a client.
  struct Answer: Sendable {
    fileprivate let text: String
    fileprivate let isWhole: Bool

    static func text(_ body: String, status: String = "200 OK", fields: [String] = []) -> Answer {
      Answer(text: head(status, fields, body.utf8.count) + body, isWhole: true)
    }

    static func notFound(_ body: String) -> Answer { .text(body, status: "404 Not Found") }

    static func redirect(to target: String) -> Answer {
      .text("", status: "302 Found", fields: ["Location: \(target)"])
    }

    /// The beginning of a body of a given length; the test sends the rest later.
    static func beginning(_ part: String, of length: Int) -> Answer {
      Answer(text: head("200 OK", [], length) + part, isWhole: false)
    }

    /// The rest of a response.
    static func rest(_ part: String) -> Answer { Answer(text: part, isWhole: true) }

    /// No response until the test sends one.
    static let later = Answer(text: "", isWhole: false)

    private static func head(_ status: String, _ fields: [String], _ length: Int) -> String {
      let fields = ["Content-Type: text/plain; charset=utf-8", "Content-Length: \(length)"] + fields
      return "HTTP/1.1 \(status)\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
    }
  }

  /// The requests, in the order of their arrival.
  let requests = Log<Request>()
  /// The targets of the requests whose clients disconnected before the end of the response.
  let abandoned = Log<String>()
  /// The connections that clients have made.
  let connections = Log<CInt>()

  let port: UInt16
  private let core: ServerCore

  init(_ answer: @escaping @Sendable (Request) -> Answer) {
    let listener = LoopbackSocket()
    port = listener.port
    core = ServerCore(listener, requests, abandoned, connections, answer)
    core.start()
  }

  deinit { core.stop() }

  func url(_ target: String) -> URL { URL(string: "http://127.0.0.1:\(port)\(target)")! }

  /// Sends more to the client of a request.
  func send(_ answer: Answer, to request: Request) { core.send(answer, to: request) }
}

/// A socket with a port of its own. Until it listens, it refuses connections.
final class LoopbackSocket: Sendable {
  let descriptor: CInt
  let port: UInt16

  init() {
    #if canImport(Darwin)
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
      descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        _ = bind(descriptor, address, length)
        _ = getsockname(descriptor, address, &length)
      }
    }
    port = UInt16(bigEndian: address.sin_port)
  }

  deinit { close(descriptor) }
}

/// The state of the server's thread, which retains it while it runs.
private final class ServerCore: @unchecked Sendable {
  // `Sendable` is unchecked because the lock protects everything that changes. Connections are made and closed by the thread
  // of the server alone, under the lock.
  private let lock = NSLock()
  private var clients: [CInt: Client] = [:]
  private var isStopped = false

  private let listener: LoopbackSocket
  private let alarm = Pipe()
  private let requests: Log<LoopbackServer.Request>
  private let abandoned: Log<String>
  private let connections: Log<CInt>
  private let answer: @Sendable (LoopbackServer.Request) -> LoopbackServer.Answer
  private var count = 0

  private struct Client {
    var received = ""
    /// The request that has not been answered in full.
    var request: LoopbackServer.Request?
  }

  init(
    _ listener: LoopbackSocket, _ requests: Log<LoopbackServer.Request>, _ abandoned: Log<String>,
    _ connections: Log<CInt>, _ answer: @escaping @Sendable (LoopbackServer.Request) -> LoopbackServer.Answer
  ) {
    self.listener = listener
    self.requests = requests
    self.abandoned = abandoned
    self.connections = connections
    self.answer = answer
  }

  func start() {
    _ = listen(listener.descriptor, 128)
    Thread { self.run() }.start()
  }

  func stop() {
    lock.withLock { isStopped = true }
    alarm.fileHandleForWriting.write(Data([0]))
  }

  private func run() {
    while !lock.withLock({ isStopped }) {
      let watched = lock.withLock { [alarm.fileHandleForReading.fileDescriptor, listener.descriptor] + clients.keys }
      var entries = watched.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard poll(&entries, nfds_t(entries.count), -1) > 0 else { continue }
      for entry in entries.dropFirst(2) where entry.revents != 0 { receive(entry.fd) }
      if entries[1].revents != 0 { acceptClient() }
    }
    lock.withLock {
      for client in clients.keys { close(client) }
      clients = [:]
    }
  }

  private func acceptClient() {
    let client = accept(listener.descriptor, nil, nil)
    guard client >= 0 else { return }
    lock.withLock { clients[client] = Client() }
    connections.append(client)
  }

  private func receive(_ client: CInt) {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = recv(client, &bytes, bytes.count, 0)
    guard count > 0 else {
      let unanswered = lock.withLock {
        close(client)
        return clients.removeValue(forKey: client)?.request
      }
      if let unanswered { abandoned.append(unanswered.target) }
      return
    }
    lock.withLock { clients[client]?.received += String(decoding: bytes[..<count], as: UTF8.self) }
    while let request = takeRequest(of: client) {
      let answer = answer(request)
      // In one critical section: an observer of the request may send the rest of a response, which must follow its beginning.
      lock.withLock {
        requests.append(request)
        write(answer, to: request)
      }
    }
  }

  /// Parses a complete request, which has no body.
  private func takeRequest(of client: CInt) -> LoopbackServer.Request? {
    lock.withLock {
      guard let received = clients[client]?.received, let end = received.range(of: "\r\n\r\n") else { return nil }
      let lines = received[..<end.lowerBound].components(separatedBy: "\r\n")
      let words = lines[0].split(separator: " ").map(String.init)
      let fields = lines.dropFirst().map { $0.split(separator: ":", maxSplits: 1) }.filter { $0.count == 2 }
        .map { ($0[0].lowercased(), $0[1].trimmingCharacters(in: .whitespaces)) }
      count += 1
      let request = LoopbackServer.Request(
        number: count, method: words[0], target: words[1], fields: Dictionary(fields) { _, last in last },
        connection: client)
      clients[client]?.received = String(received[end.upperBound...])
      clients[client]?.request = request
      return request
    }
  }

  func send(_ answer: LoopbackServer.Answer, to request: LoopbackServer.Request) {
    lock.withLock { write(answer, to: request) }
  }

  /// Called under the lock.
  private func write(_ answer: LoopbackServer.Answer, to request: LoopbackServer.Request) {
    // Its client may have disconnected, and another may have taken its place.
    guard clients[request.connection]?.request?.number == request.number else { return }
    if answer.isWhole { clients[request.connection]?.request = nil }
    var rest = Array(answer.text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { bytes in
        #if canImport(Darwin)
          Foundation.send(request.connection, bytes.baseAddress, bytes.count, 0)
        #else
          Foundation.send(request.connection, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
        #endif
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
