import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import SuiteSupport
import Testing

/// Sinks whose closures receive an owner that they do not retain.
@MainActor @Suite struct SinkWithOwnerTests {
  private final class Model {
    let source: ManualSource<Int, TestError>
    var values: [Int] = []
    var completions: [Subscribers.Completion<TestError>] = []
    var cancellables: Set<AnyCancellable> = []

    init(_ source: ManualSource<Int, TestError>) {
      self.source = source
      source.sink(with: self) {
        $0.completions.append($1)
      } receiveValue: {
        $0.values.append($1)
      }
      .store(in: &cancellables)
    }
  }

  @Test func `calls the closures with the owner`() {
    let source = ManualSource<Int, TestError>()
    let model = Model(source)
    #expect(source.demand == .unlimited)
    source.send(1)
    source.send(2)
    source.fail(.first)
    #expect(model.values == [1, 2])
    #expect(model.completions == [.failure(.first)])
  }

  @Test func `an owner that stores the cancellable is released, which cancels the stream`() {
    let source = ManualSource<Int, TestError>()
    weak var released: Model?
    do {
      let model = Model(source)
      released = model
      source.send(1)
      #expect(source.cancelCount == 0)
    }
    #expect(released == nil)
    #expect(source.cancelCount == 1)
  }

  @Test func `the first value after the owner has been released cancels the stream`() {
    final class Owner {}
    let source = ManualSource<Int, TestError>()
    var calls = 0
    var owner: Owner? = Owner()
    let cancellable = source.sink(with: owner!) { _, _ in
      calls += 1
    } receiveValue: { _, _ in
      calls += 1
    }
    source.send(1)
    owner = nil
    #expect(calls == 1)
    #expect(source.cancelCount == 0)
    source.send(2)
    #expect(calls == 1)
    #expect(source.cancelCount == 1)
    cancellable.cancel()
  }

  @Test func `the completion is not passed on when the owner has been released`() {
    final class Owner {}
    let source = ManualSource<Int, TestError>()
    var calls = 0
    var owner: Owner? = Owner()
    let cancellable = source.sink(with: owner!) { _, _ in
      calls += 1
    } receiveValue: { _, _ in
      calls += 1
    }
    source.send(1)
    #expect(calls == 1)
    owner = nil
    source.finish()
    #expect(calls == 1)
    cancellable.cancel()
  }

  @Test func `the owner is retained while a closure runs`() {
    final class Owner {
      var number = 1
    }
    let subject = PassthroughSubject<Int, Never>()
    var owner: Owner? = Owner()
    var numbers: [Int] = []
    let cancellable = subject.sink(with: owner!) { model, value in
      owner = nil
      numbers.append(model.number + value)
    }
    subject.send(1)
    subject.send(2)
    #expect(numbers == [2])
    cancellable.cancel()
  }

  @Test func `the closure belongs to the actor on which the sink is created`() {
    let scheduler = DispatchQueue.test
    scheduler.withVirtualWorld {
      final class Owner {
        var values: [Int] = []
      }
      let owner = Owner()
      let subject = PassthroughSubject<Int, Never>()
      let cancellable = subject.receive(on: scheduler).sink(with: owner) { $0.values.append($1) }
      subject.send(1)
      scheduler.advance()
      #expect(owner.values == [1])
      cancellable.cancel()
    }
  }

  private actor Account {
    private(set) var prices: [Int] = []
    private(set) var isClosed = false
    private var cancellables: Set<AnyCancellable> = []

    func observe(_ prices: AnyPublisher<Int, TestError>) {
      prices.sink(with: self) { account, _ in
        account.isClosed = true
      } receiveValue: {
        $0.prices.append($1)
      }
      .store(in: &cancellables)
    }

    func observe(_ prices: AnyPublisher<Int, Never>) {
      prices.sink(with: self) { account, price in account.prices.append(price) }.store(in: &cancellables)
    }
  }

  @Test func `the closures of an actor access its state, and do not keep it alive`() async {
    let failing = PassthroughSubject<Int, TestError>()
    let subject = PassthroughSubject<Int, Never>()
    weak var released: Account?
    do {
      let account = Account()
      released = account
      await account.observe(failing.eraseToAnyPublisher())
      await account.observe(subject.eraseToAnyPublisher())
      failing.send(1)
      #expect(await account.prices == [1])
      subject.send(2)
      #expect(await account.prices == [1, 2])
      failing.send(completion: .failure(.first))
      #expect(await account.isClosed)
    }
    #expect(released == nil)
  }
}
