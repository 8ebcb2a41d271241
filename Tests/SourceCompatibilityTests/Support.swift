import Combine
import Testing

// These tests compile as with Combine; each line stands for code that a program may contain. Its behavior is tested
// elsewhere, so these tests run it only once.

enum TestError: Error, Equatable, Hashable, Codable {
  case first
  case second
}

struct Point: Codable, Equatable {
  var x = 1
  var y = 2
  var z = 3
}

/// Expects that the compiler has given an expression a type, of its own accord: nothing here helps it to choose.
func expectType<Value, Expected>(
  _ value: Value, is type: Expected.Type, sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(ObjectIdentifier(Value.self) == ObjectIdentifier(type), "\(Value.self)", sourceLocation: sourceLocation)
}

/// Expects that a type conforms, and that two values made alike are equal.
func expectEqual<Value: Equatable>(_ make: () -> Value, sourceLocation: SourceLocation = #_sourceLocation) {
  #expect(make() == make(), sourceLocation: sourceLocation)
}

/// The values that a publisher sends immediately, and its completion.
func run<P: Publisher>(_ publisher: P) -> [String] {
  var log: [String] = []
  let cancellable = publisher.sink { completion in
    switch completion {
    case .finished: log.append("finished")
    case .failure(let error): log.append("\(error)")
    }
  } receiveValue: {
    log.append("\($0)")
  }
  cancellable.cancel()
  return log
}

/// Numbers, as a publisher type without operators of its own.
func numbers(_ values: Int...) -> Deferred<Publishers.Sequence<[Int], Never>> { Deferred { values.publisher } }

/// Numbers of a publisher that may fail.
func failing(_ values: Int...) -> Deferred<Publishers.Sequence<[Int], TestError>> {
  Deferred { Publishers.Sequence(sequence: values) }
}
