import Dispatch
import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams
import Testing

// The features that the article on async sequences and tasks shows.

struct AsyncSequencesAndTasksArticleTests {
  private let scheduler = DispatchQueue.test

  @Test func aPublisherIsAnAsynchronousSequence() async {
    var sum = 0
    for await number in (1...3).publisher.map({ $0 * 10 }).values {
      sum += number
    }
    #expect(sum == 60)
  }

  @Test func valuesAreKept() async {
    let sensor = PassthroughSubject<Int, Never>()
    let readings = sensor.values(bounded: 1, whenFull: .dropOldest)
    var iterator = readings.makeAsyncIterator()
    for reading in 1...3 { sensor.send(reading) }
    #expect(await iterator.next() == 3)
  }

  @Test func anAsynchronousSequenceIsAPublisher() {
    scheduler.withVirtualWorld {
      var received: [Int] = []
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      let cancellable = stream.publisher.sink { received.append($0) }
      scheduler.advance()
      for number in 1...3 { continuation.yield(number) }
      scheduler.advance()
      #expect(received == [1, 2, 3])
      cancellable.cancel()
      scheduler.advance()
    }
  }

  @Test func asynchronousWorkIsAPublisher() async throws {
    struct Unknown: Error {}
    let name = "ada"
    func loadProfile(_ name: String) async throws -> Int {
      if name.isEmpty { throw Unknown() }
      return name.count
    }
    let profile = Deferred { try await loadProfile(name) }
    let legacy = Future<Int, Never> { promise in
      DispatchQueue.global().async { promise(.success(1)) }
    }
    var sizes: [Int] = []
    for try await size in profile.values { sizes.append(size) }
    #expect(sizes == [3])
    #expect(await legacy.value == 1)
  }

  @Test func aTaskRunsForEachValue() {
    scheduler.withVirtualWorld {
      let queries = PassthroughSubject<String, Never>()
      let names = ["a", "b", "c"].publisher
      func search(_ query: String) async -> String { query.uppercased() }
      func loadThumbnail(_ name: String) async -> String {
        try? await scheduler.sleep(for: name == "a" ? 2 : 1)
        return name + ".png"
      }
      let results = queries.flatMapLatest { query in await search(query) }
      let thumbnails = names.map(maxTasks: 4) { name in await loadThumbnail(name) }
      var (found, loaded): ([String], [String]) = ([], [])
      let cancellables = [results.sink { found.append($0) }, thumbnails.sink { loaded.append($0) }]
      queries.send("s")
      queries.send("swift")
      scheduler.advance(by: 1)
      #expect(found == ["SWIFT"])
      #expect(loaded == [])
      scheduler.advance(by: 1)
      #expect(loaded == ["a.png", "b.png", "c.png"])
      for cancellable in cancellables { cancellable.cancel() }
    }
  }
}
