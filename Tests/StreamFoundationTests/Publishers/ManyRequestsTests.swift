import Foundation
import StreamFoundation
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.ownThread)
struct ManyRequestsTests {
  @Test func `ten thousand requests leak no objects or file descriptors`() async throws {
    let count = 10_000
    let server = LoopbackServer { .text($0.target) }
    let session = URLSession(configuration: .ephemeral)
    let before = openDescriptors()
    let log = Log<Int>()
    let cancellable = (0..<count).publisher
      .flatMap(maxPublishers: .max(4)) { number in
        let witness = Witness()
        return session.dataTaskPublisher(for: server.url("/\(number)"))
          .map { answer in witness.knows(answer.data == Data("/\(number)".utf8)) ? 1 : 0 }
          .replaceError(with: 0)
      }
      .reduce(0, +)
      .sink { log.append($0) }
    #expect(await log.first(1) == [count])
    #expect(server.requests.all.count == count)
    #expect(server.connections.all.count < count / 10, "connections are not kept alive")
    cancellable.cancel()
    // The last one may still be retained by the caller that has delivered its response.
    let isQuiet = Log<Int>()
    session.delegateQueue.addBarrierBlock { isQuiet.append(1) }
    _ = await isQuiet.first(1)
    #expect(Witness.living.load(ordering: .relaxed) == 0)
    // Other tests open descriptors meanwhile.
    #expect(openDescriptors() - before < count / 4)
  }

  /// The number of file descriptors that this process has open.
  private func openDescriptors() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
  }
}

/// An object that a stream retains, whose living instances are counted.
private final class Witness: Sendable {
  static let living = Atomic<Int>(0)

  init() { Self.living.wrappingAdd(1, ordering: .relaxed) }
  deinit { Self.living.wrappingSubtract(1, ordering: .relaxed) }

  func knows(_ condition: Bool) -> Bool { condition }
}
