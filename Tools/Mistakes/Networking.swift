// Expected diagnostics stand in the line of the mistake, regardless of its length.
// swift-format-ignore-file
import Foundation
import StreamFoundation

struct Item: Codable {}

func loading(_ url: URL) {
  _ = URLSession.shared.dataTaskPublisher(for: url).decode(type: Item.self, decoder: JSONDecoder())  // expect: the values are pairs of data and response; use map(\.data) first
  _ = URLSession.shared.dataTaskPublisher(for: url).map(\.data).decode(type: Item.self, decoder: JSONDecoder())
}
