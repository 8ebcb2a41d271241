import ArgumentParser
import AsyncAlgorithms
import Dispatch
import StreamAlgorithms
import Streams

/// A way to send each message to all connections.
enum Broadcast: String, CaseIterable, ExpressibleByArgument {
  case streams
  case asyncStreams
  case asyncStreamsNewest
  case sharedSequence

  private static let bound = 64

  var title: String {
    switch self {
    case .streams: "share(bounded: 64, whenFull: .cancel)"
    case .asyncStreams: "AsyncStream, as it is by default"
    case .asyncStreamsNewest: "AsyncStream, bufferingNewest(64)"
    case .sharedSequence: "AsyncAlgorithms share, bounded(64)"
    }
  }

  /// Returns a function that sends a message to all.
  func start(_ connections: [Connection]) -> ([UInt8]) -> Void {
    switch self {
    case .streams: startStreams(connections)
    case .asyncStreams: startAsyncStreams(connections, .unbounded)
    case .asyncStreamsNewest: startAsyncStreams(connections, .bufferingNewest(Self.bound))
    case .sharedSequence: startSharedSequence(connections)
    }
  }

  private func startStreams(_ connections: [Connection]) -> ([UInt8]) -> Void {
    let queue = DispatchQueue(label: "server")
    let messages = PassthroughSubject<[UInt8], Never>()
    let clients = messages.share(bounded: Self.bound, whenFull: .cancel)
    queue.sync {
      for connection in connections { clients.subscribe(Writer(connection, queue)) }
    }
    return { message in queue.async { messages.send(message) } }
  }

  private func startAsyncStreams(
    _ connections: [Connection], _ policy: AsyncStream<[UInt8]>.Continuation.BufferingPolicy
  ) -> ([UInt8]) -> Void {
    let queue = DispatchQueue(label: "server")
    let continuations = connections.map { connection in
      let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self, bufferingPolicy: policy)
      Task {
        for await message in stream where await !connection.write(message, on: queue) { break }
      }
      return continuation
    }
    return { message in for continuation in continuations { continuation.yield(message) } }
  }

  private func startSharedSequence(_ connections: [Connection]) -> ([UInt8]) -> Void {
    let queue = DispatchQueue(label: "server")
    let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
    let shared = stream.share(bufferingPolicy: .bounded(Self.bound))
    for connection in connections {
      Task {
        for await message in shared where await !connection.write(message, on: queue) { break }
      }
    }
    return { message in continuation.yield(message) }
  }
}

/// Writes messages to a connection, each when the one before it has been written. It is used on its queue.
private final class Writer: Subscriber, @unchecked Sendable {
  private let connection: Connection
  private let queue: DispatchQueue
  private var subscription: (any Subscription)?

  init(_ connection: Connection, _ queue: DispatchQueue) {
    self.connection = connection
    self.queue = queue
  }

  func receive(subscription: any Subscription) {
    self.subscription = subscription
    subscription.request(.max(1))
  }

  func receive(_ message: [UInt8]) -> Subscribers.Demand {
    let isWritten = connection.write(message, on: queue) { [self] in
      if $0 { subscription?.request(.max(1)) } else { cancel() }
    }
    if isWritten == false { cancel() }
    return isWritten == true ? .max(1) : .none
  }

  func receive(completion: Subscribers.Completion<Never>) {
    subscription = nil
    connection.end()
  }

  private func cancel() {
    subscription?.cancel()
    subscription = nil
  }
}
