// Expected diagnostics stand in the line of the mistake, regardless of its length.
// swift-format-ignore-file
import StreamAlgorithms
import Streams

struct One: Error {}

final class Model {
  @Published var published = 0
  var number = 0
  var text = ""
  let constant = 0
}

struct Structure {
  var number = 0
}

func subscribing(_ ones: AnyPublisher<Int, One>, _ numbers: AnyPublisher<Int, Never>, _ model: Model) {
  _ = ones.sink { print($0) }  // expect: on 'Publisher' requires the types 'One' and 'Never' be equivalent
  _ = ones.sink(receiveValue: { print($0) })  // expect: on 'Publisher' requires the types 'One' and 'Never' be equivalent
  _ = numbers.map { "\($0)" }.sink { (number: Int) in print(number) }  // expect: cannot convert value of type 'String'
  _ = ones.assign(to: \.number, on: model)  // expect: the publisher may fail; use catch(_:) or replaceError(with:) before it
  ones.assign(to: &model.$published)  // expect: the publisher may fail; use catch(_:) or replaceError(with:) before it
  _ = Just(1).assign(to: \.text, on: model)  // expect: cannot convert value of type 'Int' to expected argument type 'String'
  _ = numbers.assign(to: \.text, on: model)  // expect: cannot convert value of type 'ReferenceWritableKeyPath<Model, String>'
  _ = Just(1).assign(to: \.constant, on: model)  // expect: to expected argument type 'ReferenceWritableKeyPath<Model, Int>'
  _ = Just(1).assign(to: \.number, on: Structure())  // expect: the property belongs to a structure
  Just("x").assign(to: &model.$published)  // expect: cannot convert value of type 'String' to expected argument type 'Int'
  _ = numbers.subscribe(PassthroughSubject<String, Never>())  // expect: the subject has a different output type or failure type
}

func correct(_ ones: AnyPublisher<Int, One>, _ numbers: AnyPublisher<Int, Never>, _ model: Model) {
  _ = ones.sink(receiveCompletion: { _ in }, receiveValue: { print($0) })
  _ = numbers.sink { print($0) }
  _ = ones.replaceError(with: 0).assign(to: \.number, on: model)
  numbers.assign(to: &model.$published)
  _ = numbers.subscribe(PassthroughSubject<Int, Never>())
}

/// A publisher of an app, whose generic method has no constraints.
struct Unconstrained: Publisher {
  typealias Output = Int
  typealias Failure = Never
  let upstream: AnyPublisher<Int, Never>

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never { upstream.subscribe(subscriber) }
  func pass<S: Subscriber>(_ subscriber: S) { upstream.subscribe(subscriber) }  // expect: the subscriber receives other types
  func pass(_ sink: Subscribers.Sink<String, Never>) { upstream.subscribe(sink) }  // expect: the subscriber receives other types
  func pass(_ subject: PassthroughSubject<Int, Never>) { _ = upstream.subscribe(subject) }
}
