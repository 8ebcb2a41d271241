import Foundation
import StreamFoundation
import StreamSchedulers
import StreamTesting
import Streams

extension DiagramCatalog {
  static let transforming: [DiagramEntry] = [
    DiagramEntry("map", "map { $0 * 10 }") { $0.numbers("-1--2--|").map { $0 * 10 } },
    DiagramEntry("map-keyPath", #"map(\.count)"#) { $0.letters("-a--'bcd'--|").map(\.count) },
    DiagramEntry("tryMap", "tryMap { try number($0) * 10 }") {
      $0.cold("-1--2--x--3|").tryMap { try number($0) * 10 }
    },
    DiagramEntry("replaceNil", "replaceNil(with: 0)") {
      $0.letters("-1--'nil'--|").map { $0.compactMap { Int($0) } }.replaceNil(with: 0)
    },
    DiagramEntry("scan", "scan(0) { $0 + $1 }") { $0.numbers("-1--2--3-|").scan(0) { $0 + $1 } },
    DiagramEntry("tryScan", "tryScan(0) { try $0 + number($1) }") {
      $0.cold("-1--2--x--3|").tryScan(0) { (sum: Number, text: Text) in try sum + number(text) }
    },
    DiagramEntry("mapError", "mapError { LoadError($0) }") { canvas in
      canvas.letters("-a--b--#").mapError { _ in DiagramError() }
    },
    DiagramEntry("setFailureType", "setFailureType(to: LoadError.self)") { canvas in
      canvas.unfailing("-a--b--c-|").setFailureType(to: DiagramError.self)
    },
  ]

  static let coding: [DiagramEntry] = [
    // JSON has no number for infinity.
    DiagramEntry("encode", "encode(encoder: JSONEncoder())") { canvas in
      let values: [String: [Double]] = ["[1, 2]": [1, 2], "[3]": [3], "[inf]": [.infinity]]
      return canvas.cold("--'[1, 2]'---'[3]'---'[inf]'---'[4]'|").compactMap { $0.compactMap { values[$0] } }
        .encode(encoder: TextCoder())
    },
    DiagramEntry("decode", "decode(type: [Int].self, decoder: JSONDecoder())") { canvas in
      canvas.cold("--'[1,2]'---'[3]'---'oops'---'[5]'|").decode(type: Traced<[Int]>.self, decoder: TextCoder())
    },
  ]
}

/// JSON as text that can be drawn.
private struct TextCoder: TopLevelEncoder, TopLevelDecoder {
  func encode<T: Encodable>(_ value: T) throws -> Text {
    Text(String(decoding: try JSONEncoder().encode(value), as: UTF8.self), origins: origins(of: value))
  }

  func decode<T: Decodable>(_ type: T.Type, from text: Text) throws -> T {
    let decoded = try JSONDecoder().decode(type, from: Data(text.value.utf8))
    guard var traced = decoded as? any Tracing else { return decoded }
    traced.origins = text.origins
    return traced as? T ?? decoded
  }
}

extension Traced: Encodable where Value: Encodable {
  func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

extension Traced: Decodable where Value: Decodable {
  init(from decoder: any Decoder) throws { self.init(try Value(from: decoder)) }
}
