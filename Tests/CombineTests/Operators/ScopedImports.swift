import XCTest

import class Combine.AnyCancellable
import struct Combine.AnyPublisher
import protocol Combine.Cancellable
import class Combine.CurrentValueSubject
import struct Combine.Just
import class Combine.PassthroughSubject
import protocol Combine.Publisher
import enum Combine.Publishers
import protocol Combine.Subject
import enum Combine.Subscribers

final class Downloads {
  enum State: Equatable {
    case idle, running(Double), done
  }

  private let subject: CurrentValueSubject<State, Never> = .init(.idle)
  private let errors = PassthroughSubject<Error, Never>()
  private var tokens: [Cancellable] = []

  var state: AnyPublisher<State, Never> { subject.eraseToAnyPublisher() }

  func start(_ progress: some Publisher<Double, Never>) {
    let token =
      progress
      .map(State.running)
      .append(.done)
      .sink { [subject] in subject.send($0) }
    tokens.append(token)
  }

  func cancel() {
    tokens.forEach { $0.cancel() }
    tokens = []
  }
}

/// Qualified names, as one writes them beside another framework with the same ones.
typealias Doubled<P: Combine.Publisher> = Combine.Publishers.Map<P, Int> where P.Output == Int

func doubled<P: Combine.Publisher>(_ publisher: P) -> Doubled<P> where P.Output == Int {
  publisher.map { $0 * 2 }
}

func first(of publisher: some Combine.Publisher<Int, Never>, into value: inout Int?) {
  var first: Int?
  let cancellable: Combine.AnyCancellable = publisher.prefix(1).sink { first = $0 }
  cancellable.cancel()
  value = first
}

final class ScopedImportTests: XCTestCase {
  func testDownloads() {
    let downloads = Downloads()
    var states: [Downloads.State] = []
    var cancellables = Set<AnyCancellable>()
    downloads.state.sink(receiveValue: { states.append($0) }).store(in: &cancellables)
    let progress = PassthroughSubject<Double, Never>()
    downloads.start(progress)
    progress.send(0.5)
    downloads.cancel()
    progress.send(0.75)
    downloads.start(Just(1))
    XCTAssertEqual(states, [.idle, .running(0.5), .running(1), .done])
  }

  func testQualifiedNames() {
    var value: Int?
    first(of: doubled(Combine.Just(4)), into: &value)
    XCTAssertEqual(value, 8)
    let completion: Combine.Subscribers.Completion<Never> = .finished
    XCTAssertEqual(completion, Subscribers.Completion.finished)
  }
}
