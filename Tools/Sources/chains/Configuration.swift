import Foundation
import ToolsSupport

/// Modules that a program imports, and where they are.
struct Configuration: Hashable {
  let name: String
  let modules: [String]
  let flags: [String]

  /// What modules of the package import from elsewhere. The compiler considers the operators of Foundation for each `+`, which takes
  /// longer than everything that the package adds, so all modules are compared with a program that imports these.
  private static let foundation = ["Foundation", "Dispatch", "Testing"]
  private static let everyModule = [
    "Streams", "StreamAlgorithms", "StreamFoundation", "StreamSchedulers", "StreamTesting", "StreamInspection",
  ]

  static func streams(in folder: String) -> Configuration {
    Configuration(name: "Streams", modules: ["Streams"], flags: ["-I", folder])
  }
  static func streamsAndFoundation(in folder: String) -> Configuration {
    Configuration(name: "Streams, Foundation", modules: ["Streams"] + foundation, flags: ["-I", folder])
  }
  static func algorithms(in folder: String) -> Configuration {
    Configuration(
      name: "StreamAlgorithms", modules: ["Streams", "StreamAlgorithms"] + foundation, flags: ["-I", folder])
  }
  static func all(in folder: String) -> Configuration {
    Configuration(name: "all modules", modules: everyModule + foundation, flags: ["-I", folder])
  }
  static func combine(in folder: String) -> Configuration {
    Configuration(name: "Combine", modules: ["Combine"] + foundation, flags: ["-I", folder])
  }
  static func importing(_ modules: [String], in folder: String) -> Configuration {
    Configuration(name: modules.last!, modules: modules, flags: ["-I", folder])
  }

  /// OpenCombine, as a build of the benchmarks leaves it in a folder.
  static func openCombine(in folder: String) throws -> Configuration {
    let map = "\(folder)/COpenCombineHelpers.build/module.modulemap"
    guard FileManager.default.fileExists(atPath: "\(folder)/Modules/OpenCombine.swiftmodule"),
      FileManager.default.fileExists(atPath: map)
    else {
      throw Failure("OpenCombine isn't in \(folder): run `.ci/run release` first, or name a folder with --reference")
    }
    return Configuration(
      name: "OpenCombine", modules: ["OpenCombine"],
      flags: ["-I", "\(folder)/Modules", "-Xcc", "-fmodule-map-file=\(map)"])
  }
}
