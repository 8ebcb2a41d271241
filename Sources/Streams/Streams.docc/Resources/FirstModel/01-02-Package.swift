// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "App",
  platforms: [.macOS(.v15)],
  dependencies: [.package(path: "../Streams")],
  targets: [
    .executableTarget(
      name: "App",
      dependencies: [
        .product(name: "Streams", package: "Streams"),
        .product(name: "StreamAlgorithms", package: "Streams"),
        .product(name: "StreamSchedulers", package: "Streams"),
      ])
  ]
)
