// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that the package that is measured depends on nothing. Streams and OpenCombine declare the same
// names, so each implementation has a module of its own.
let streams: [Target.Dependency] = [
  .product(name: "Streams", package: "Streams"),
  .product(name: "StreamAlgorithms", package: "Streams"),
  .product(name: "StreamSchedulers", package: "Streams"),
  .product(name: "StreamInspection", package: "Streams"),
  .product(name: "StreamTesting", package: "Streams"),
]
let openCombine: [Target.Dependency] = [
  .product(name: "OpenCombine", package: "OpenCombine"),
  .product(name: "OpenCombineDispatch", package: "OpenCombine"),
]
let collections: [Target.Dependency] = [
  .product(name: "DequeModule", package: "swift-collections"),
  .product(name: "HeapModule", package: "swift-collections"),
]

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "Streams", path: ".."),
    .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-async-algorithms", exact: "1.1.4"),
    .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
  ],
  targets: [
    .target(name: "Workloads", dependencies: collections),
    .target(name: "StreamsWorkloads", dependencies: ["Workloads"] + streams),
    .target(name: "OpenCombineWorkloads", dependencies: ["Workloads"] + openCombine + collections),
    .target(name: "LimitWorkloads", dependencies: ["Workloads"] + collections),
    .target(
      name: "AsyncWorkloads",
      dependencies: ["Workloads", .product(name: "AsyncAlgorithms", package: "swift-async-algorithms")]),
    .target(name: "StreamsDemand", dependencies: ["Workloads"] + streams),
    // Links to the scenarios of the one above, which are compiled for each implementation.
    .target(
      name: "OpenCombineDemand", dependencies: ["Workloads"] + openCombine, swiftSettings: [.define("OPENCOMBINE")]),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "Workloads", "StreamsWorkloads", "OpenCombineWorkloads", "LimitWorkloads", "AsyncWorkloads", "StreamsDemand",
        "OpenCombineDemand",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      // Valgrind before 3.20 gives up on the debug information (DWARF 5) that clang writes for OpenCombine's C++.
      linkerSettings: [.unsafeFlags(["-Xlinker", "--strip-debug"], .when(platforms: [.linux]))]),
    .executableTarget(
      name: "ServerStops", dependencies: [.product(name: "ArgumentParser", package: "swift-argument-parser")]),
    .executableTarget(
      name: "ServerLoad",
      dependencies: [
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
        .product(name: "StreamAlgorithms", package: "Streams"),
        .product(name: "Streams", package: "Streams"),
      ]),
    // Counts allocations. A program of its own, because counting would add instructions to every allocation of the other.
    .target(name: "AllocationHook"),
    .executableTarget(
      name: "BenchmarksMemory",
      dependencies: [
        "AllocationHook", "StreamsWorkloads", "OpenCombineWorkloads",
        .product(name: "StreamInspection", package: "Streams"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
