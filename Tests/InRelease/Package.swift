// swift-tools-version: 6.2
import PackageDescription

// Tests of the package that are about what an optimizer may do: memory, depth, and messages; and the random streams of the
// specification, of which a release build runs more. A package of its own, because building all tests once more would take
// minutes; its files are those of the other tests.
let package = Package(
  name: "InRelease",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Streams", path: "../..")],
  targets: [
    .testTarget(
      name: "InReleaseTests",
      dependencies: [
        .product(name: "Streams", package: "Streams"), .product(name: "StreamSchedulers", package: "Streams"),
      ]),
    // The folder of the root package's target.
    .testTarget(
      name: "SpecificationTests",
      dependencies: [
        .product(name: "Streams", package: "Streams"), .product(name: "StreamSchedulers", package: "Streams"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
