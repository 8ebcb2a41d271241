import Combine
import Streams
import Testing

/// What a file does that imports both.
extension Publishers {
  struct Users<Upstream: Publisher>: Publisher where Upstream.Output == Session? {
    typealias Output = String
    typealias Failure = Upstream.Failure
    let upstream: Upstream

    func receive<S: Subscriber>(subscriber: S) where S.Input == String, S.Failure == Failure {
      upstream.compactMap { $0?.user }.receive(subscriber: subscriber)
    }
  }
}

struct SessionTests {
  @Test func `both modules have the same types`() {
    #expect(Combine.PassthroughSubject<Int, Never>.self == Streams.PassthroughSubject<Int, Never>.self)
    #expect(Combine.AnyCancellable.self == Streams.AnyCancellable.self)
    #expect(
      Combine.Publishers.Map<Just<Int>, Int>.self == Streams.Publishers.Map<Streams.Just<Int>, Int>.self)
    let cancellable: Combine.AnyCancellable = token()
    var set: Set<AnyCancellable> = [cancellable]
    set.formUnion([token()])
    #expect(set.count == 2)
  }

  @Test func `a store takes publishers of the other files`() {
    let store = SessionStore()
    var names: [String] = []
    let cancellable = Publishers.Users(upstream: store.current).sink { names.append($0) }
    store.signIn(with: SessionAPI().signIn(user: "Ada"))
    store.signIn(with: SessionAPI().signIn(user: ""))
    #expect(names == ["Ada"])
    #expect(store.current.value == nil)
    cancellable.cancel()
  }
}
