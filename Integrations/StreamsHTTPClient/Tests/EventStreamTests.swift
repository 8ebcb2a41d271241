import Dispatch
import NIOCore
import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams
import Synchronization
import Testing

@testable import StreamsHTTPClient

/// Connections without a network, in virtual time.
@Suite struct EventStreamTests {
  private let scheduler = DispatchQueue.test
  private let connections = Connections()

  /// What a client sees of its server.
  private final class Connections: Sendable {
    private struct State {
      var ids: [String?] = []
      var open: PassthroughSubject<ByteBuffer, any Error>?
    }
    private let state = Mutex(State())

    var ids: [String?] { state.withLock { $0.ids } }
    var count: Int { ids.count }

    func connect(_ id: String?) -> AnyPublisher<ByteBuffer, any Error> {
      let subject = PassthroughSubject<ByteBuffer, any Error>()
      state.withLock { state in
        state.ids.append(id)
        state.open = subject
      }
      return subject.buffer(size: .max, prefetch: .keepFull, whenFull: .dropOldest).eraseToAnyPublisher()
    }

    func send(_ text: String) { state.withLock { $0.open }?.send(ByteBuffer(string: text)) }
    func send(completion: Subscribers.Completion<any Error>) {
      state.withLock { $0.open }?.send(completion: completion)
    }
    func end() { send(completion: .finished) }
  }

  private func events(
    after id: String? = nil, _ policy: RetryPolicy = .delay(.seconds(3), maxRetries: .max, resetsAfterValue: true),
    silence: Duration? = nil, maximumSize: Int = 1_000
  ) -> AnyPublisher<ServerSentEvent, any Error> {
    EventStream(after: id, policy, silence, maximumSize, scheduler).events(connections.connect)
  }

  @Test func `a lost connection is opened again after a while, with the last ID`() {
    let recorder = events(after: "5").record()
    connections.send("id: 7\ndata: a\n\ndata: b\n\nid: 8\nda")
    connections.send(completion: .failure(EventStreamLost()))
    scheduler.advance(by: .milliseconds(2_999))
    #expect(connections.ids == ["5"])
    scheduler.advance(by: .milliseconds(1))
    // The event with the ID 8 hasn't arrived.
    #expect(connections.ids == ["5", "7"])
    connections.send("id\n\ndata: c\n\n")
    connections.send(completion: .failure(EventStreamLost()))
    scheduler.advance(by: .seconds(3))
    #expect(connections.ids == ["5", "7", ""])
    #expect(recorder.values.map(\.data) == ["a", "b", "c"])
    #expect(recorder.values.map(\.id) == ["7", "7", ""])
    recorder.cancel()
  }

  @Test func `the server chooses when to connect again, and the policy how often`() {
    let recorder = events(
      .exponentialBackoff(first: .seconds(1), longest: .seconds(8), maxRetries: 3, resetsAfterValue: true)
    )
    .record()
    connections.send("retry: 500\ndata: a\n\n")
    for (delay, count) in [(500, 2), (1_000, 3), (2_000, 4)] {
      connections.send(completion: .failure(EventStreamLost()))
      scheduler.advance(by: .milliseconds(delay - 1))
      #expect(connections.count == count - 1)
      scheduler.advance(by: .milliseconds(1))
      #expect(connections.count == count)
    }
    // An event begins the policy anew.
    connections.send("data: b\n\n")
    connections.send(completion: .failure(EventStreamLost()))
    scheduler.advance(by: .milliseconds(500))
    #expect(connections.count == 5)
    for _ in 0..<3 {
      connections.send(completion: .failure(EventStreamLost()))
      scheduler.advance(by: .seconds(8))
    }
    #expect(connections.count == 7)
    guard case .failure(is EventStreamLost)? = recorder.completion else {
      Issue.record("\(String(describing: recorder.completion))")
      return
    }
  }

  @Test func `a server that is silent for too long counts as lost, and comments aren't silence`() {
    let recorder = events(silence: .seconds(20)).record()
    for _ in 0..<5 {
      scheduler.advance(by: .seconds(19))
      connections.send(": keep-alive\n\n")
    }
    #expect(connections.count == 1)
    scheduler.advance(by: .seconds(20))
    #expect(connections.count == 1)
    scheduler.advance(by: .seconds(3))
    #expect(connections.count == 2)
    #expect(recorder.values.isEmpty && recorder.completion == nil)
    recorder.cancel()
  }

  @Test func `no content ends the stream`() {
    let recorder = events().record()
    connections.send("data: a\n\n")
    connections.end()
    scheduler.advance(by: .seconds(60))
    #expect(recorder.values.count == 1)
    guard case .finished? = recorder.completion else {
      Issue.record("\(String(describing: recorder.completion))")
      return
    }
    #expect(connections.count == 1)
  }

  @Test func `a refused request and an event that is too large aren't tried again`() {
    for status in [200, 404] {
      let recorder = events().record()
      connections.send(completion: .failure(EventStreamRefused(status: status, contentType: "text/html")))
      #expect(recorder.completion.failure is EventStreamRefused)
    }
    let recorder = events().record()
    connections.send("data: " + String(repeating: "a", count: 600) + "\n")
    #expect(recorder.completion == nil)
    connections.send("data: " + String(repeating: "a", count: 600) + "\n")
    #expect(recorder.completion.failure is EventTooLarge)
    scheduler.advance(by: .seconds(60))
    #expect(connections.count == 3)
  }

  @Test func `a proxy whose server restarts is tried again`() {
    let recorder = events().record()
    connections.send(completion: .failure(EventStreamRefused(status: 503, contentType: "")))
    scheduler.advance(by: .seconds(3))
    #expect(connections.count == 2)
    recorder.cancel()
  }
}

extension Subscribers.Completion<any Error>? {
  fileprivate var failure: (any Error)? { if case .failure(let error)? = self { error } else { nil } }
}
