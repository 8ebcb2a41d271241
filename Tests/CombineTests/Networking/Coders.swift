import Combine
import Foundation
import XCTest

/// One record per line, fields separated by commas: `key=value,key=value`.
struct LineDecoder: TopLevelDecoder {
  typealias Input = String

  struct Malformed: Error {}

  func decode<T>(_ type: T.Type, from input: String) throws -> T where T: Decodable {
    var object = [String: String]()
    for pair in input.split(separator: ",") {
      let parts = pair.split(separator: "=")
      guard parts.count == 2 else { throw Malformed() }
      object[String(parts[0])] = String(parts[1])
    }
    return try JSONDecoder().decode(type, from: JSONEncoder().encode(object))
  }
}

class CountingEncoder<Wrapped: TopLevelEncoder>: TopLevelEncoder where Wrapped.Output == Data {
  let wrapped: Wrapped
  private(set) var byteCount = 0

  init(_ wrapped: Wrapped) { self.wrapped = wrapped }

  func encode<T: Encodable>(_ value: T) throws -> Data {
    let data = try wrapped.encode(value)
    byteCount += data.count
    return data
  }
}

extension Publisher where Output == Data {
  func decode<Item: Decodable, Coder: TopLevelDecoder>(
    as type: Item.Type = Item.self, using decoder: Coder
  ) -> Publishers.Decode<Self, Item, Coder> where Coder.Input == Data {
    decode(type: type, decoder: decoder)
  }
}

private struct Person: Codable, Equatable {
  var name: String
  var city: String
}

final class CoderTests: XCTestCase {
  private var cancellables = Set<AnyCancellable>()

  func testOwnDecoder() {
    let lines = PassthroughSubject<String, Never>()
    var people = [Person]()
    var failed = false
    lines.setFailureType(to: Error.self)
      .decode(type: Person.self, decoder: LineDecoder())
      .sink(
        receiveCompletion: { if case .failure(is LineDecoder.Malformed) = $0 { failed = true } },
        receiveValue: { people.append($0) }
      )
      .store(in: &cancellables)
    lines.send("name=Ada,city=London")
    lines.send("nonsense")
    lines.send("name=Alan,city=Wilmslow")
    XCTAssertEqual(people, [Person(name: "Ada", city: "London")])
    XCTAssertTrue(failed)
  }

  func testPropertyListRoundTrip() throws {
    let person = Person(name: "Grace", city: "New York")
    var decoded: Person?
    Just(person)
      .encode(encoder: PropertyListEncoder())
      .decode(type: Person.self, decoder: PropertyListDecoder())
      .sink(receiveCompletion: { _ in }, receiveValue: { decoded = $0 })
      .store(in: &cancellables)
    XCTAssertEqual(decoded, person)
  }

  func testCountingEncoder() {
    let encoder = CountingEncoder(JSONEncoder())
    var count = 0
    var names: [[String]] = []
    [["a"], ["b", "c"]].publisher
      .encode(encoder: encoder)
      .handleEvents(receiveOutput: { count += $0.count })
      .decode(as: [String].self, using: JSONDecoder())
      .replaceError(with: [])
      .collect()
      .sink { names = $0 }
      .store(in: &cancellables)
    XCTAssertEqual(names, [["a"], ["b", "c"]])
    XCTAssertEqual(encoder.byteCount, count)
    XCTAssertEqual(count, 14)
  }
}
