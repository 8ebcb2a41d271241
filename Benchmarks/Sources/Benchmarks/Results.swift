import Foundation
import Workloads

/// The results of a measurement, in the form in which they are written to a file.
struct Results: Codable {
  var configuration = Build.configuration
  var swift = Build.swiftVersion
  var unit: Unit
  /// The cost of an element.
  var figures: [Workload: [ImplementationName: Double]] = [:]

  enum Unit: String, Codable {
    case instructions
    case nanoseconds
  }
}

/// The results about growth: the cost of an element at each size.
struct GrowthResults: Codable {
  var configuration = Build.configuration
  var swift = Build.swiftVersion
  var figures: [GrowingWorkload: [Int: Double]] = [:]
}

enum Files {
  /// The folder of this package, which contains the committed results.
  static let package = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static func write(_ value: some Encodable, to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    var data = try encoder.encode(value)
    data.append(contentsOf: "\n".utf8)
    try data.write(to: URL(fileURLWithPath: path))
  }

  static func read<Value: Decodable>(_ type: Value.Type, from path: String) throws -> Value {
    try JSONDecoder().decode(type, from: Data(contentsOf: URL(fileURLWithPath: path)))
  }
}
