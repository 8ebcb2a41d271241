// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// The folder of the toolchain that has the modules of swift-syntax with which the compiler expands macros.
///
/// It belongs to the compiler that runs this manifest, so nothing is downloaded and nothing is compiled twice.
let syntaxLibraries: String = {
  let named = Context.environment["SWIFT_SYNTAX_LIBRARIES"].map { [$0] } ?? []
  let searched = (Context.environment["PATH"] ?? "").split(separator: ":").map { folder in
    URL(fileURLWithPath: "\(folder)/swift").resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent("../lib/swift/host").standardizedFileURL.path
  }
  guard
    let found = (named + searched).first(where: {
      FileManager.default.fileExists(atPath: "\($0)/SwiftSyntax.swiftmodule")
    })
  else {
    fatalError(
      """
      No folder of PATH belongs to a toolchain with swift-syntax (lib/swift/host/SwiftSyntax.swiftmodule). Set \
      SWIFT_SYNTAX_LIBRARIES to that folder.
      """)
  }
  return found
}()

let compileWithSyntax: [SwiftSetting] = [.unsafeFlags(["-I", syntaxLibraries])]
let linkWithSyntax: [LinkerSetting] = [
  .unsafeFlags(["-L", syntaxLibraries, "-Xlinker", "-rpath", "-Xlinker", syntaxLibraries]),
  .linkedLibrary("SwiftSyntax"), .linkedLibrary("SwiftParser"), .linkedLibrary("SwiftOperators"),
]

let package = Package(
  name: "Tools",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/swiftlang/swift-docc-symbolkit", from: "1.0.0"),
  ],
  targets: [
    // What several tools share: how they run commands, print, and fail.
    .target(name: "ToolsSupport"),
    // Makes small faults in the code, and runs the tests with each.
    .target(name: "Mutants", swiftSettings: compileWithSyntax, linkerSettings: linkWithSyntax),
    .executableTarget(
      name: "mutate",
      dependencies: ["Mutants", "ToolsSupport", .product(name: "ArgumentParser", package: "swift-argument-parser")],
      exclude: ["README.md"], swiftSettings: compileWithSyntax, linkerSettings: linkWithSyntax),
    // Writes what a new operator needs.
    .executableTarget(
      name: "add-operator",
      dependencies: ["ToolsSupport", .product(name: "ArgumentParser", package: "swift-argument-parser")]),
    .testTarget(name: "OperatorTests", dependencies: ["add-operator", "ToolsSupport"]),
    .testTarget(
      name: "MutantsTests", dependencies: ["Mutants"], swiftSettings: compileWithSyntax, linkerSettings: linkWithSyntax),
    // Reads what the compiler knows of the public declarations.
    .target(
      name: "SymbolGraphs",
      dependencies: ["ToolsSupport", .product(name: "SymbolKit", package: "swift-docc-symbolkit")]),
    // Checks the documentation, and builds the site and the pages.
    .executableTarget(
      name: "documentation",
      dependencies: [
        "SymbolGraphs", "ToolsSupport", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .testTarget(name: "DocumentationTests", dependencies: ["documentation", "ToolsSupport"]),
    // Generates the tests that declare each name again.
    .executableTarget(
      name: "names",
      dependencies: [
        "SymbolGraphs", "ToolsSupport", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    // Compiles random chains of operators with OpenCombine and with Streams.
    .executableTarget(
      name: "chains",
      dependencies: ["ToolsSupport", .product(name: "ArgumentParser", package: "swift-argument-parser")]),
    .testTarget(name: "ChainsTests", dependencies: ["chains", "ToolsSupport"]),
    // Compares the public declarations with those of the last release.
    .executableTarget(
      name: "api", dependencies: [.product(name: "ArgumentParser", package: "swift-argument-parser")]),
  ],
  swiftLanguageModes: [.v6]
)
