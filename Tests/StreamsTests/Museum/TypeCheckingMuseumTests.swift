import Streams
import Testing

/// Bugs of other reactive libraries: type checking.
struct TypeCheckingMuseumTests {
  /// DeclarativeHub/ReactiveKit#282, ReactiveX/RxSwift#1404, #2520
  @Test func `overloads for streams that cannot fail made an expression ambiguous`() {
    let (numbers, letters) = (Just(1), Just("b"))
    let chain = numbers.combineLatest(letters).map { "\($0)\($1)" }.combineLatest(letters).map { $0 + $1 }
      .combineLatest(numbers).map { "\($0)\($1)" }
    let erased: AnyPublisher<String, Never> = chain.eraseToAnyPublisher()
    #expect(log(erased) == ["1bb1", "finished"])

    let failing: AnyPublisher<Int, TestError> =
      numbers.flatMap { _ in Fail<Int, TestError>(error: .first) }.eraseToAnyPublisher()
    #expect(log(failing) == ["first"])
    let typed: AnyPublisher<Int, TestError> =
      numbers.setFailureType(to: TestError.self).flatMap { Just($0 + 1) }.eraseToAnyPublisher()
    #expect(log(typed) == ["2", "finished"])
    let switched: AnyPublisher<Int, TestError> =
      numbers.map { _ in Fail<Int, TestError>(error: .second) }.switchToLatest().eraseToAnyPublisher()
    #expect(log(switched) == ["second"])
    let tuples: [(Int, String)] = collect(numbers.zip(letters))
    #expect(tuples.first?.0 == 1)
    #expect(tuples.first?.1 == "b")
  }
}
