import Streams

// This file imports Streams. The files beside it import Combine.

struct Session: Equatable, Sendable {
  var user: String
}

final class SessionStore {
  let current = CurrentValueSubject<Session?, Never>(nil)
  var cancellables: Set<AnyCancellable> = []

  func signIn(with publisher: AnyPublisher<Session, any Error>) {
    publisher
      .map(Optional.some)
      .replaceError(with: nil)
      .sink { [current] in current.send($0) }
      .store(in: &cancellables)
  }

  func names() -> Publishers.CompactMap<CurrentValueSubject<Session?, Never>, String> {
    current.compactMap { $0?.user }
  }
}

func token() -> Streams.AnyCancellable { AnyCancellable {} }
