// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that Streams depends on nothing. Each library has a folder with its sources, tests and README, which
// can become a repository.
let streams: [Target.Dependency] = ["Streams", "StreamAlgorithms", "StreamSchedulers"].map {
  .product(name: $0, package: "Streams")
}
let inspection = Target.Dependency.product(name: "StreamInspection", package: "Streams")
let testing = Target.Dependency.product(name: "StreamTesting", package: "Streams")

let embedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nio: [Target.Dependency] = ["NIOCore", "NIOPosix"].map { .product(name: $0, package: "swift-nio") }
let webSocket: [Target.Dependency] = ["NIOHTTP1", "NIOWebSocket"].map { .product(name: $0, package: "swift-nio") }
let httpTypes: [Target.Dependency] = [
  .product(name: "HTTPTypes", package: "swift-http-types"),
  .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
  .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
]
let signals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let service = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let observability: [Target.Dependency] = [
  logging,
  .product(name: "Metrics", package: "swift-metrics"),
  .product(name: "Tracing", package: "swift-distributed-tracing"),
  .product(name: "ServiceContextModule", package: "swift-service-context"),
]
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let client = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
  name: "Integrations",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "StreamsNIO", targets: ["StreamsNIO"]),
    .library(name: "StreamsService", targets: ["StreamsService"]),
    .library(name: "StreamsObservability", targets: ["StreamsObservability"]),
    .library(name: "StreamsHummingbird", targets: ["StreamsHummingbird"]),
    .library(name: "StreamsHTTPClient", targets: ["StreamsHTTPClient"]),
    .library(name: "StreamsInspectorPage", targets: ["StreamsInspectorPage"]),
  ],
  dependencies: [
    .package(name: "Streams", path: ".."),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
    .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
    .package(url: "https://github.com/apple/swift-service-context", from: "1.5.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.0"),
  ],
  targets: [
    .target(
      name: "StreamsNIO", dependencies: streams + nio,
      path: "StreamsNIO/Sources"),
    .testTarget(
      name: "StreamsNIOTests", dependencies: ["StreamsNIO", testing, embedded] + streams + nio,
      path: "StreamsNIO/Tests"),
    .target(
      name: "StreamsService", dependencies: streams + [service, logging],
      path: "StreamsService/Sources"),
    .testTarget(
      name: "StreamsServiceTests",
      dependencies: [
        "StreamsService", testing, inspection, service, logging,
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
        .product(name: "InMemoryLogging", package: "swift-log"),
      ] + streams,
      path: "StreamsService/Tests"),
    .target(
      name: "StreamsObservability", dependencies: streams + observability + [inspection, service],
      path: "StreamsObservability/Sources"),
    .testTarget(
      name: "StreamsObservabilityTests",
      dependencies: [
        "StreamsObservability", testing, inspection, service,
        .product(name: "InMemoryLogging", package: "swift-log"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
      ] + streams + observability,
      path: "StreamsObservability/Tests"),
    .target(
      name: "StreamsHummingbird",
      dependencies: [
        "StreamsNIO", hummingbird, hummingbirdCore, service, logging,
        .product(name: "ServiceContextModule", package: "swift-service-context"),
        .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
      ] + streams + nio + webSocket + httpTypes,
      path: "StreamsHummingbird/Sources"),
    .testTarget(
      name: "StreamsHummingbirdTests",
      dependencies: [
        "StreamsHummingbird", testing, hummingbird, hummingbirdCore, service, logging, client, embedded,
        .product(name: "ServiceContextModule", package: "swift-service-context"),
        .product(name: "HummingbirdTesting", package: "hummingbird"),
        .product(name: "HummingbirdHTTP2", package: "hummingbird"),
        .product(name: "NIOHTTP2", package: "swift-nio-http2"),
      ] + streams + nio + webSocket + httpTypes,
      path: "StreamsHummingbird/Tests"),
    .target(
      name: "StreamsHTTPClient",
      dependencies: ["StreamsNIO", client, .product(name: "NIOHTTP1", package: "swift-nio")] + streams + nio,
      path: "StreamsHTTPClient/Sources"),
    .testTarget(
      name: "StreamsHTTPClientTests",
      dependencies: ["StreamsHTTPClient", "StreamsHummingbird", testing, client, hummingbird, service, logging]
        + streams + nio,
      path: "StreamsHTTPClient/Tests"),
    .target(
      name: "StreamsInspectorPage",
      dependencies: ["StreamsHummingbird", hummingbird, inspection, service, logging] + streams + nio + httpTypes,
      path: "StreamsInspectorPage/Sources", resources: [.embedInCode("Page")]),
    // What tests of several libraries share: a browser, waiting, and suites that have the process to themselves.
    .target(
      name: "TestSupport", dependencies: [client] + nio + webSocket,
      path: "TestSupport/Sources"),
    .testTarget(
      name: "StreamsInspectorPageTests",
      dependencies: ["StreamsInspectorPage", hummingbird, client, inspection, testing, service, logging]
        + streams + nio + webSocket,
      path: "StreamsInspectorPage/Tests"),
    .target(
      name: "Board",
      dependencies: [
        "StreamsNIO", "StreamsService", "StreamsObservability", "StreamsHummingbird", "StreamsInspectorPage",
        hummingbird, service, signals, .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "NIOExtras", package: "swift-nio-extras"),
        .product(name: "Instrumentation", package: "swift-distributed-tracing"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
      ] + streams + nio + observability,
      path: "Board/Sources/Board", resources: [.embedInCode("Page")]),
    .executableTarget(
      name: "BoardServer",
      dependencies: ["Board", arguments, signals] + observability + [
        .product(name: "Instrumentation", package: "swift-distributed-tracing"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
      ], path: "Board/Sources/BoardServer"),
    .testTarget(
      name: "BoardTests",
      dependencies: [
        "Board", "BoardServer", "StreamsNIO", "StreamsHTTPClient", client, hummingbird, service, logging, arguments,
        .product(name: "GRDB", package: "GRDB.swift"), .product(name: "InMemoryLogging", package: "swift-log"),
        .product(name: "NIOExtras", package: "swift-nio-extras"), .product(name: "NIOHTTP1", package: "swift-nio"),
      ] + streams + nio,
      path: "Board/Tests"),
    // The code of the article "With a server framework".
    .testTarget(
      name: "GuideTests",
      dependencies: [
        "StreamsNIO", "StreamsService", "StreamsObservability", "StreamsHummingbird", "StreamsHTTPClient",
        "StreamsInspectorPage",
        hummingbird, hummingbirdCore, client, service, signals, inspection, testing, embedded, "TestSupport",
        .product(name: "InMemoryLogging", package: "swift-log"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ] + streams + nio + observability,
      path: "Guide/Tests"),
    .executableTarget(
      name: "Load",
      dependencies: [
        "StreamsHummingbird", hummingbird, hummingbirdCore, logging, arguments,
        .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
      ] + streams + nio,
      path: "Load/Sources"),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where target.type == .test { target.dependencies.append("TestSupport") }

// When you work on one library, this builds the tests of that library alone: INTEGRATION=StreamsNIO swift test
if let name = Context.environment["INTEGRATION"], !name.isEmpty {
  package.targets.removeAll { $0.type == .test && $0.name != "\(name)Tests" }
}

for target in package.targets {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
  ]
}
