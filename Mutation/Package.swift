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
  name: "Mutation",
  platforms: [.macOS(.v15)],
  targets: [
    .target(name: "Mutants", swiftSettings: compileWithSyntax, linkerSettings: linkWithSyntax),
    .executableTarget(
      name: "mutate", dependencies: ["Mutants"], swiftSettings: compileWithSyntax, linkerSettings: linkWithSyntax),
    .testTarget(
      name: "MutantsTests", dependencies: ["Mutants"], swiftSettings: compileWithSyntax, linkerSettings: linkWithSyntax),
  ],
  swiftLanguageModes: [.v6]
)
