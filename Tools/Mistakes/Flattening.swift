// Expected diagnostics stand in the line of the mistake, regardless of its length.
// swift-format-ignore-file
import StreamAlgorithms
import Streams

struct One: Error {}
struct Two: Error {}

func flattening(
  _ ones: AnyPublisher<Int, One>, _ twos: AnyPublisher<Int, Two>, _ texts: AnyPublisher<String, One>
) {
  _ = Just(1).flatMap { $0 + 1 }  // expect: the closure does not return a publisher; use map(_:) for values
  _ = ones.flatMap { $0 + 1 }.filter { $0 > 1 }  // expect: the closure does not return a publisher; use map(_:) for values
  _ = ones.flatMap { _ in twos }  // expect: the closure returns a publisher with a different failure type
  _ = texts.flatMap { Just($0.counted) }  // expect: value of type 'String' has no member 'counted'
  _ = ones.flatMapFirst { $0 + 1 }  // expect: the closure does not return a publisher; use map(_:) for values
  _ = ones.flatMapFirst { _ in twos }  // expect: the closure returns a publisher with a different failure type
  _ = Just(1).switchToLatest()  // expect: the values are not publishers; use map(_:) to turn each into a publisher
  _ = ones.switchToLatest()  // expect: the values are not publishers
  _ = ones.map { _ in twos }.switchToLatest()  // expect: the inner publishers have a different failure type
  _ = ones.catch { _ in Just("x") }  // expect: cannot convert value of type 'String' to expected argument type 'Int'
  _ = ones.catch { _ in texts }  // expect: instance method 'catch' requires the types 'Int' and 'String' be equivalent
  _ = ones.catch { _ in 3 }  // expect: instance method 'catch' requires that 'Int' conform to 'Publisher'
}

func correct(_ ones: AnyPublisher<Int, One>, _ twos: AnyPublisher<Int, Two>) {
  _ = ones.flatMap { Just($0) }.flatMap(maxPublishers: .max(1)) { _ in ones }.map { _ in ones }.switchToLatest()
  _ = ones.flatMapFirst { Just($0) }.flatMapFirst { _ in ones }
  _ = Just(1).flatMapFirst { _ in ones }.flatMapFirst { _ in Just(2) }
  _ = Just(1).flatMapFirst { _ in Just(2) }
  _ = ones.catch { _ in twos }.catch { _ in Just(1) }.flatMap { _ in twos }
}
