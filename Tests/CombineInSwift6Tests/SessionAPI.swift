import Combine

struct SessionAPI {
  struct Rejected: Error {}

  func signIn(user: String) -> AnyPublisher<Session, any Error> {
    Just(user)
      .tryMap { user in
        guard !user.isEmpty else { throw Rejected() }
        return Session(user: user)
      }
      .eraseToAnyPublisher()
  }

  /// A type of the file that imports Streams.
  func observe(_ store: SessionStore, _ action: @escaping (String) -> Void) -> Combine.AnyCancellable {
    store.names().sink(receiveValue: action)
  }
}
