import Combine
import Foundation
import Testing

struct SourcePublisherTests {
  @Test func `Just, Empty and Fail`() {
    #expect(Just(1).output == 1)
    #expect(Empty<Int, Never>().completeImmediately)
    #expect(!Empty<Int, Never>(completeImmediately: false).completeImmediately)
    expectType(Empty(outputType: Int.self, failureType: TestError.self), is: Empty<Int, TestError>.self)
    expectType(
      Empty(completeImmediately: true, outputType: Int.self, failureType: TestError.self),
      is: Empty<Int, TestError>.self)
    #expect(Fail<Int, TestError>(error: .first).error == .first)
    expectType(Fail(outputType: Int.self, failure: TestError.first), is: Fail<Int, TestError>.self)
  }

  @Test func `Deferred has Combine's members`() {
    let deferred = Deferred { Just(1) }
    expectType(deferred, is: Deferred<Just<Int>>.self)
    expectType(type(of: deferred).Output.self, is: Int.Type.self)
    #expect(deferred.createPublisher().output == 1)
  }

  @Test func `Future has Combine's members`() {
    let future = Future<Int, TestError> { promise in promise(.success(1)) }
    #expect(run(future) == ["1", "finished"])
    var kept: Future<Int, Never>.Promise?
    let later = Future<Int, Never> { promise in kept = promise }
    kept?(.success(2))
    #expect(run(later) == ["2", "finished"])
    func load(_ completion: @escaping (Result<Int, TestError>) -> Void) { completion(.failure(.first)) }
    #expect(run(Deferred { Future<Int, TestError> { promise in load(promise) } }) == ["first"])
    let attempt: (@escaping Future<Int, Never>.Promise) -> Void = { $0(.success(3)) }
    #expect(run(Future(attempt)) == ["3", "finished"])
  }

  @Test func `Record has Combine's members`() throws {
    var recording = Record<Int, TestError>.Recording()
    recording.receive(1)
    recording.receive(completion: .failure(.first))
    #expect(recording.output == [1])
    #expect(recording.completion == .failure(.first))
    let records = [
      Record(recording: recording), Record(output: [1], completion: .failure(.first)),
      Record<Int, TestError> { recording in
        recording.receive(1)
        recording.receive(completion: .failure(.first))
      },
      Record(recording: .init(output: [1], completion: .failure(.first))),
    ]
    for record in records {
      #expect(run(record) == ["1", "first"])
      let data = try JSONEncoder().encode(record)
      let decoded = try JSONDecoder().decode(Record<Int, TestError>.self, from: data)
      #expect(decoded.recording.output == record.recording.output)
    }
    let data = try JSONEncoder().encode(recording)
    #expect(try JSONDecoder().decode(Record<Int, TestError>.Recording.self, from: data).output == [1])
    #expect(Record<Int, Never>.Recording(output: [1]).completion == .finished)
  }

  @Test func `publishers of optionals, results and sequences`() {
    let optional: Int? = 1
    expectType(optional.publisher, is: Optional<Int>.Publisher.self)
    #expect(optional.publisher.output == 1)
    #expect(Optional<Int>.Publisher(nil).output == nil)
    let result = Result<Int, TestError>.success(1)
    expectType(result.publisher, is: Result<Int, TestError>.Publisher.self)
    #expect(Result<Int, TestError>.Publisher(1) == Result<Int, TestError>.Publisher(result))
    #expect(Result<Int, TestError>.Publisher(.first).result == .failure(.first))
    expectType([1, 2].publisher, is: Publishers.Sequence<[Int], Never>.self)
    expectType((1...3).publisher, is: Publishers.Sequence<ClosedRange<Int>, Never>.self)
    expectType("ab".publisher, is: Publishers.Sequence<String, Never>.self)
    expectType(stride(from: 0, to: 4, by: 2).publisher, is: Publishers.Sequence<StrideTo<Int>, Never>.self)
    #expect(Publishers.Sequence<[Int], TestError>(sequence: [1]).sequence == [1])
  }
}
