// swift-tools-version: 6.2
import PackageDescription

// Programs for Linux with a dependency that publishes through Combine, which `Tools/run combine` builds.
let package = Package(
  name: "CombineInDependencies",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "Streams", path: "../.."),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .executableTarget(
      name: "Orders",
      dependencies: [
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Combine", package: "Streams", condition: .when(platforms: [.linux, .windows, .android])),
      ]),
    .executableTarget(name: "Tables", dependencies: [.product(name: "GRDB", package: "GRDB.swift")]),
  ]
)
