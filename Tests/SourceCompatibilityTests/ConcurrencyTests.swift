import Combine
import Testing

struct ConcurrencyTests {
  @Test func `values of a publisher that cannot fail`() async {
    var values: [Int] = []
    for await value in numbers(1, 2).values { values.append(value) }
    #expect(values == [1, 2])
    let sequence: AsyncPublisher = AsyncPublisher(numbers(1, 2))
    var iterator: AsyncPublisher.Iterator = sequence.makeAsyncIterator()
    #expect(await iterator.next() == 1)
    #expect(await numbers(1, 2).values.reduce(0, +) == 3)
  }

  @Test func `values of a publisher that may fail`() async throws {
    var values: [Int] = []
    for try await value in failing(1, 2).values { values.append(value) }
    #expect(values == [1, 2])
    let sequence: AsyncThrowingPublisher = AsyncThrowingPublisher(failing(1, 2))
    typealias Values = AsyncThrowingPublisher<Deferred<Publishers.Sequence<[Int], TestError>>>
    var iterator: Values.Iterator = sequence.makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    do {
      for try await _ in Fail<Int, TestError>(error: .first).values {}
      Issue.record("it did not fail")
    } catch {
      #expect(error == .first)
    }
  }

  @Test func `functions that rethrow take values that may fail`() async throws {
    let failed = Fail<Int, TestError>(error: .first)
    // Swift 6.3 crashes if the type of the error is inferred.
    do throws(any Error) {
      _ = try await failed.values.reduce(0, +)
      Issue.record("it did not fail")
    } catch {
      #expect(error as? TestError == .first)
    }
    #expect((try? await failed.mapError { $0 as any Error }.values.first { $0 > 1 }) == nil)
    #expect(try await failing(1, 2).values.reduce(0, +) == 3)
  }

  @Test func `the value of a future`() async throws {
    #expect(await Future<Int, Never> { $0(.success(1)) }.value == 1)
    #expect(try await Future<Int, TestError> { $0(.success(1)) }.value == 1)
    await #expect(throws: TestError.first) { _ = try await Future<Int, TestError> { $0(.failure(.first)) }.value }
  }
}
