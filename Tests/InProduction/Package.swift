// swift-tools-version: 6.2
import PackageDescription

// A program as an app or a server links it, whose contents and size `Tools/run size` checks.
let package = Package(
  name: "InProduction",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Streams", path: "../..")],
  targets: [
    .executableTarget(
      name: "InProduction",
      dependencies: [
        .product(name: "Streams", package: "Streams"), .product(name: "StreamSchedulers", package: "Streams"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
