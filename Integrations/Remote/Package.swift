// swift-tools-version: 6.2
import PackageDescription

// A package of its own, because a first build of gRPC takes minutes, which the tests of the other integrations shouldn't pay.
let streams: [Target.Dependency] = ["Streams", "StreamAlgorithms", "StreamSchedulers"].map {
  .product(name: $0, package: "Streams")
}
let testing = Target.Dependency.product(name: "StreamTesting", package: "Streams")
let core = Target.Dependency.product(name: "GRPCCore", package: "grpc-swift-2")
let inProcess = Target.Dependency.product(name: "GRPCInProcessTransport", package: "grpc-swift-2")
let sockets = Target.Dependency.product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport")
let protobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let nio: [Target.Dependency] = ["NIOCore", "NIOPosix"].map { .product(name: $0, package: "swift-nio") }
let context: [Target.Dependency] = [
  .product(name: "ServiceContextModule", package: "swift-service-context"),
  .product(name: "Instrumentation", package: "swift-distributed-tracing"),
]

let package = Package(
  name: "Remote",
  platforms: [.macOS(.v15)],
  products: [.library(name: "StreamsGRPC", targets: ["StreamsGRPC"])],
  dependencies: [
    .package(name: "Streams", path: "../.."),
    .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.3"),
    .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.9.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
    .package(url: "https://github.com/apple/swift-service-context", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .target(name: "StreamsGRPC", dependencies: streams + context + [core, protobuf]),
    // Two servers and a client in three processes.
    .executableTarget(
      name: "Readings",
      dependencies: streams + ["StreamsGRPC", core, sockets, arguments, .product(name: "GRDB", package: "GRDB.swift")]),
    // Streams beside plain grpc-swift: swift run -c release RemoteBenchmarks
    .executableTarget(name: "RemoteBenchmarks", dependencies: streams + ["StreamsGRPC", core, sockets, arguments]),
    // A server and a client that tests kill.
    .executableTarget(
      name: "Peer", dependencies: streams + ["StreamsGRPC", core, sockets, arguments], path: "Tests/Peer"),
    .testTarget(
      name: "StreamsGRPCTests",
      dependencies: streams + context + nio + ["StreamsGRPC", testing, core, inProcess, sockets, protobuf]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
  ]
}
