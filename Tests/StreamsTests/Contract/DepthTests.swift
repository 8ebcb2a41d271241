import Streams
import Testing

/// Operators that are nested so deep at run time that a stack frame for each would not fit; see rule 9 of the contract.
///
/// Only the innermost sends a value, since each value passes through every level.
struct DepthTests {
  private let depth = 20_000

  private func sum(_ publisher: AnyPublisher<Int, Never>) -> Int? {
    var sum = 0
    var hasFinished = false
    let cancellable = publisher.sink { _ in
      hasFinished = true
    } receiveValue: {
      sum += $0
    }
    cancellable.cancel()
    return hasFinished ? sum : nil
  }

  @Test func `appends nest without a deep stack`() {
    var publisher = Just(1).eraseToAnyPublisher()
    for _ in 0..<depth { publisher = publisher.append(Empty()).eraseToAnyPublisher() }

    #expect(sum(publisher) == 1)
  }

  @Test func `prepends nest without a deep stack`() {
    var publisher = Just(1).eraseToAnyPublisher()
    for _ in 0..<depth { publisher = publisher.prepend(Empty()).eraseToAnyPublisher() }

    #expect(sum(publisher) == 1)
  }

  @Test func `a recursive flatMap needs no deep stack`() {
    func countdown(_ number: Int) -> AnyPublisher<Int, Never> {
      if number == 0 { return Just(1).eraseToAnyPublisher() }
      return Just(number - 1).flatMap { countdown($0) }.eraseToAnyPublisher()
    }

    #expect(sum(countdown(depth)) == 1)
  }

  @Test func `a recursive catch needs no deep stack`() {
    func attempt(_ number: Int) -> AnyPublisher<Int, ContractError> {
      if number == 0 { return Just(1).setFailureType(to: ContractError.self).eraseToAnyPublisher() }
      return Fail(error: ContractError()).catch { _ in attempt(number - 1) }.eraseToAnyPublisher()
    }

    #expect(sum(attempt(depth).replaceError(with: 0).eraseToAnyPublisher()) == 1)
  }

  @Test func `a recursive append needs no deep stack`() {
    func count(_ number: Int) -> AnyPublisher<Int, Never> {
      if number == 0 { return Just(1).eraseToAnyPublisher() }
      return Empty().append(Deferred { count(number - 1) }).eraseToAnyPublisher()
    }

    #expect(sum(count(depth)) == 1)
  }

  @Test func `retries need no deep stack`() {
    var count = 0
    let failing = Deferred {
      count += 1
      return Fail<Int, ContractError>(error: ContractError())
    }

    #expect(sum(failing.retry(depth).replaceError(with: 1).eraseToAnyPublisher()) == 1)
    #expect(count == depth + 1)
  }

  @Test func `requests of one value from inside each value need no deep stack`() {
    final class OneByOne: Subscriber {
      typealias Input = Int
      typealias Failure = Never
      var count = 0
      var subscription: (any Subscription)?

      func receive(subscription: any Subscription) {
        self.subscription = subscription
        subscription.request(.max(1))
      }

      func receive(_ input: Int) -> Subscribers.Demand {
        count += 1
        subscription?.request(.max(1))
        return .none
      }

      func receive(completion: Subscribers.Completion<Never>) {}
    }
    let subscriber = OneByOne()
    (0..<depth).publisher.map { $0 }.merge(with: Empty()).prefix(depth).subscribe(subscriber)

    #expect(subscriber.count == depth)
  }
}
