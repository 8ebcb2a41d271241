// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Streams", path: "..")],
  targets: [
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        .product(name: "Streams", package: "Streams"),
        .product(name: "StreamSchedulers", package: "Streams"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
