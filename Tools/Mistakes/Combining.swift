// Expected diagnostics stand in the line of the mistake, regardless of its length.
// swift-format-ignore-file
import StreamAlgorithms
import Streams

struct One: Error {}
struct Two: Error {}

typealias Ones = PassthroughSubject<Int, One>
typealias Twos = PassthroughSubject<Int, Two>
typealias Texts = AnyPublisher<String, One>

func literals() {
  _ = Just(1).merge(with: Just("x"))  // expect: the two publishers send values of different types; use map(_:)
  _ = Just(1).merge(with: Just(2), Just("x"))  // expect: cannot convert value of type 'String' to expected argument type 'Int'
  _ = Just(1).merge(with: Just(2)).merge(with: Just("x"))  // expect: the two publishers send values of different types
  _ = Just(1).merge(with: 3)  // expect: cannot convert value of type 'Int' to expected argument type 'Just<Int>'
  _ = Just(1).append(Just("x"))  // expect: no exact matches in call to instance method 'append'
  _ = Just(1).append("x")  // expect: cannot convert value of type 'String' to expected argument type 'Int'
  _ = Just(1).append(2, "x")  // expect: cannot convert value of type 'String' to expected argument type 'Int'
  _ = Just(1).prepend(Just("x"))  // expect: no exact matches in call to instance method 'prepend'
  _ = Just(1).prepend("x")  // expect: cannot convert value of type 'String' to expected argument type 'Int'
}

func variables(_ ones: Ones, _ twos: Twos, _ texts: Texts) {
  _ = ones.merge(with: texts)  // expect: the two publishers send values of different types
  _ = ones.merge(with: twos)  // expect: the two publishers have different failure types; use setFailureType(to:)
  _ = ones.merge(with: Just(1))  // expect: the two publishers have different failure types
  _ = ones.map { $0 + 1 }.merge(with: texts).filter { $0 > 1 }.count()  // expect: the two publishers send values of different
  _ = ones.append(texts)  // expect: no exact matches in call to instance method 'append'
  _ = ones.append(twos)  // expect: no exact matches in call to instance method 'append'
  _ = ones.prepend(texts)  // expect: no exact matches in call to instance method 'prepend'
  _ = ones.prepend(twos)  // expect: no exact matches in call to instance method 'prepend'
  _ = ones.zip(twos)  // expect: instance method 'zip' requires the types
  _ = ones.zip(twos) { $0 + $1 }  // expect: instance method 'zip' requires the types
  _ = ones.zip(ones, twos)  // expect: instance method 'zip' requires the types
  _ = ones.zip(3)  // expect: instance method 'zip' requires that 'Int' conform to 'Publisher'
  _ = ones.combineLatest(twos)  // expect: the publishers have different failure types; use setFailureType(to:)
  _ = ones.combineLatest(twos) { $0 + $1 }  // expect: the publishers have different failure types; use setFailureType(to:)
}

func correct(_ ones: Ones, _ texts: Texts) {
  _ = ones.merge(with: texts.map(\.count), Just(1).setFailureType(to: One.self)).append(2, 3).append(ones).prepend([1])
  let same: Publishers.MergeMany<Ones> = ones.merge(with: ones)
  _ = same.merge(with: ones)
  _ = ones.zip(texts, ones) { $0 + $1.count + $2 }.combineLatest(ones)
}

func failures(_ ints: AnyPublisher<Int, Never>, _ strings: AnyPublisher<String, Never>, _ failing: AnyPublisher<Int, FailureOfOne>) {
  _ = ints.combineLatest(failing)  // expect: the publishers have different failure types; use setFailureType(to:)
  _ = ints.combineLatest(failing) { $0 + $1 }  // expect: the publishers have different failure types; use setFailureType(to:)
  _ = ints.combineLatest(strings, failing)  // expect: the publishers have different failure types; use setFailureType(to:)
  _ = ints.zip(failing)  // expect: instance method 'zip' requires the types
  _ = ints.zip(strings, failing) { "\($0)\($1)\($2)" }  // expect: instance method 'zip' requires the types
  _ = ints.withLatest(from: failing)  // expect: the publishers have different failure types; use setFailureType(to:)
  _ = ints.race(with: strings)  // expect: the two publishers send values of different types
  _ = ints.race(with: failing)  // expect: the publishers have different failure types; use setFailureType(to:)
  _ = ints.sample(by: failing)  // expect: the publishers have different failure types; use setFailureType(to:)
  _ = ints.combineLatest(strings) { first in first }  // expect: expects 2 arguments, but 1 was used
  _ = ints.zip(strings) { $2 }  // expect: expects 2 arguments, but 3 were used
}

struct FailureOfOne: Error {}

/// The context requires the failure type of the other publisher.
func inContext(_ ints: AnyPublisher<Int, Never>, _ ones: AnyPublisher<Int, One>, _ twos: AnyPublisher<Int, Two>) {
  let _: AnyPublisher<Int, One> = ints.combineLatest(ones).map { $0 + $1 }.eraseToAnyPublisher()  // expect: the publishers have different failure types
  let _: AnyPublisher<Int, One> = ints.zip(ones).map { $0 + $1 }.eraseToAnyPublisher()  // expect: instance method 'zip' requires the types
  let _: AnyPublisher<Int, One> = ints.merge(with: ones).eraseToAnyPublisher()  // expect: the publishers have different failure types
  let _: AnyPublisher<Int, One> = ints.append(ones).eraseToAnyPublisher()  // expect: instance method 'append' requires the types
  let _: AnyPublisher<Int, One> = ints.prepend(ones).eraseToAnyPublisher()  // expect: no exact matches in call to instance method 'prepend'
  let _: AnyPublisher<Int, One> = ints.race(with: ones).eraseToAnyPublisher()  // expect: the publishers have different failure types
  let _: AnyPublisher<Int, One> = twos.flatMap { _ in ones }.eraseToAnyPublisher()  // expect: cannot assign value of type 'AnyPublisher<Int, Two>' to type 'AnyPublisher<Int, One>'
  let _: AnyPublisher<Int, One> = twos.flatMapFirst { _ in ones }.eraseToAnyPublisher()  // expect: the closure returns a publisher with a different failure type
}

func others(_ ints: AnyPublisher<Int, Never>, _ subject: PassthroughSubject<Int, Never>) {
  _ = ints.combineLatest(ints).removeDuplicates()  // expect: the values are not Equatable, as tuples never are
  subject.send(completion: .failure(One()))  // expect: the subject cannot fail
  subject.send(completion: .finished)
}
