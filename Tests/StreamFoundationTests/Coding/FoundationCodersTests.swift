import Foundation
import StreamFoundation
import StreamSchedulers
import StreamTesting
import Streams
import Testing

struct FoundationCodersTests {
  struct User: Codable, Equatable {
    let name: String
  }

  @Test func `values survive encoding to and decoding from JSON`() {
    var received: [User] = []
    _ = [User(name: "Ada"), User(name: "Alan")].publisher
      .encode(encoder: JSONEncoder())
      .decode(type: User.self, decoder: JSONDecoder())
      .sink(receiveCompletion: { _ in }, receiveValue: { received.append($0) })
    #expect(received == [User(name: "Ada"), User(name: "Alan")])
  }

  @Test func `values survive encoding to and decoding from a property list`() {
    var received: [User] = []
    _ = Just(User(name: "Ada"))
      .encode(encoder: PropertyListEncoder())
      .decode(type: User.self, decoder: PropertyListDecoder())
      .sink(receiveCompletion: { _ in }, receiveValue: { received.append($0) })
    #expect(received == [User(name: "Ada")])
  }

  @Test func `data that cannot be decoded fails the stream`() {
    var failures = 0
    _ = [Data("x".utf8), Data("y".utf8)].publisher
      .decode(type: User.self, decoder: JSONDecoder())
      .sink(
        receiveCompletion: { if case .failure = $0 { failures += 1 } },
        receiveValue: { _ in Issue.record("nothing can be decoded") })
    #expect(failures == 1)
  }
}
