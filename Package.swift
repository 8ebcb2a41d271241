// swift-tools-version: 6.2
import PackageDescription

/// Tests of one module write streams down with another.
let all: [Target.Dependency] = [
  "Streams", "StreamAlgorithms", "StreamSchedulers", "StreamInspection", "StreamFoundation", "StreamTesting",
]
let allWithSupport = all + ["SuiteSupport"]

// A client's manifest names the product `Combine` on every platform. On Apple's, where a module of that name would hide the
// system's, the target behind it has another name and is empty.
#if os(macOS)
  let combine = "SystemCombine"
#else
  let combine = "Combine"
#endif

let package = Package(
  name: "Streams",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Streams", targets: ["Streams"]),
    .library(name: "StreamAlgorithms", targets: ["StreamAlgorithms"]),
    .library(name: "StreamSchedulers", targets: ["StreamSchedulers"]),
    .library(name: "StreamInspection", targets: ["StreamInspection"]),
    .library(name: "StreamFoundation", targets: ["StreamFoundation"]),
    .library(name: "StreamTesting", targets: ["StreamTesting"]),
    .library(name: "StreamsMigration", targets: ["StreamsMigration"]),
    .library(name: "Combine", targets: [combine]),
  ],
  targets: [
    .target(name: "Streams"),
    // What Combine lacks, as swift-async-algorithms is to the standard library.
    .target(name: "StreamAlgorithms", dependencies: ["Streams"]),
    .target(name: "StreamSchedulers", dependencies: ["Streams"]),
    // What reads, prints and explains live streams. A program that does not link it pays nothing for it.
    .target(name: "StreamInspection", dependencies: ["CallStacks", "StreamSchedulers", "Streams"]),
    // Return addresses and their functions. No module imports it, so that no client loads the module Runtime.
    .target(name: "CallStacks"),
    // What needs Foundation, which a statically linked program pays for with fifty megabytes.
    .target(name: "StreamFoundation", dependencies: ["StreamSchedulers", "Streams"]),
    // What only tests need; apps do not link it.
    .target(
      name: "StreamTesting", dependencies: ["StreamFoundation", "StreamInspection", "StreamSchedulers", "Streams"]),
    // The names of other libraries. A program imports it while it is ported, and no other target does.
    .target(name: "StreamsMigration", dependencies: ["StreamAlgorithms", "Streams"]),
    // What `import Combine` imports on Linux.
    .target(name: combine, dependencies: ["StreamFoundation"], path: "Sources/Combine"),
    // What tests of several targets share.
    .target(
      name: "SuiteSupport", dependencies: ["Streams", "StreamAlgorithms", "StreamSchedulers", "StreamTesting"],
      path: "Tests/SuiteSupport"),
    .testTarget(name: "StreamsTests", dependencies: allWithSupport + ["StreamsMigration"]),
    .testTarget(name: "StreamAlgorithmsTests", dependencies: allWithSupport),
    .testTarget(name: "StreamsThreadingTests", dependencies: allWithSupport),
    .testTarget(name: "StreamSchedulersTests", dependencies: allWithSupport),
    .testTarget(name: "StreamInspectionTests", dependencies: allWithSupport),
    .testTarget(name: "StreamFoundationTests", dependencies: allWithSupport),
    .testTarget(name: "StreamTestingTests", dependencies: allWithSupport),
    // These three are also run in release builds.
    .testTarget(
      name: "StreamsInReleaseTests",
      dependencies: ["Streams", "StreamAlgorithms", "StreamSchedulers", "SuiteSupport"]),
    .testTarget(
      name: "SpecificationTests",
      dependencies: ["Streams", "StreamAlgorithms", "StreamInspection", "StreamSchedulers", "StreamsMigration"]),
    .testTarget(
      name: "TaskOrderTests",
      dependencies: ["Streams", "StreamAlgorithms", "StreamSchedulers", "StreamTesting", "SuiteSupport"]),
    // As a file is that was written for Combine: it imports one module.
    .testTarget(name: "SourceCompatibilityTests", dependencies: [.target(name: combine), "StreamFoundation"]),
    // Code that was written for other libraries.
    .testTarget(name: "StreamsMigrationTests", dependencies: allWithSupport + ["StreamsMigration"]),
    // A program that has declared everything itself that Streams has and Combine lacks.
    .testTarget(name: "OwnNamesTests", dependencies: ["StreamAlgorithms", "StreamFoundation"]),
    .testTarget(
      name: "OwnNamesInSwift5Tests", dependencies: ["StreamAlgorithms", "StreamFoundation"],
      swiftSettings: [.swiftLanguageMode(.v5)]),
    // As an app of today is built, and as one that stays in Swift 5 mode.
    .testTarget(
      name: "StreamsInAnAppTests", dependencies: all,
      swiftSettings: [.defaultIsolation(MainActor.self), .strictMemorySafety()]),
    .testTarget(
      name: "StreamsInSwift5Tests", dependencies: all,
      swiftSettings: [.swiftLanguageMode(.v5)]),
    // Code that was written for Combine and imports it: as most of it is built, and as one writes it today.
    .testTarget(
      name: "CombineTests", dependencies: [.target(name: combine)],
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .testTarget(name: "CombineInSwift6Tests", dependencies: [.target(name: combine)]),
  ],
  swiftLanguageModes: [.v6]
)

// Code for Combine turns no upcoming feature on.
for target in package.targets where target.name != "CombineTests" {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      // SE-0335: every `any` is written out, so that an existential on a hot path is seen.
      .enableUpcomingFeature("ExistentialAny"),
      // SE-0444: a member is visible only where its module is imported.
      .enableUpcomingFeature("MemberImportVisibility"),
      // SE-0409: an import is public only where it is said to be.
      .enableUpcomingFeature("InternalImportsByDefault"),
    ]
}

#if os(macOS)
  // These compare the types of Combine and Streams, or expect Streams to be imported. On a Mac, `import Combine` is the system's,
  // with which `CombineTests` run there.
  package.targets.removeAll { ["CombineInSwift6Tests", "SourceCompatibilityTests"].contains($0.name) }
#endif

// Some builds have only some of the tests. In release: those about what an optimizer may change (memory, depth, messages),
// and the random streams and orders of tasks, of which a release build runs more. Under ThreadSanitizer: those in which
// threads meet. Who works on `StreamTesting` or `StreamInspection` builds its tests alone in a fraction of the time.
let selections = [
  "release": ["StreamsInReleaseTests", "SpecificationTests", "TaskOrderTests"],
  "threads": ["StreamsThreadingTests", "StreamSchedulersTests", "StreamTestingTests"],
  "testing": ["StreamTestingTests"],
  "inspection": ["StreamInspectionTests"],
]
if let name = Context.environment["STREAMS_TESTS"] {
  guard let selection = selections[name] else {
    fatalError("STREAMS_TESTS must be one of \(selections.keys.sorted()), got \(name).")
  }
  package.targets.removeAll { $0.type == .test && !selection.contains($0.name) }
  // Release builds share a folder with OpenCombine, which must not find a module named Combine.
  package.targets.removeAll { $0.name == combine }
  package.products.removeAll { $0.name == "Combine" }
}

// In builds for the explorer, the kernel's locks and atomics let a controller decide which thread goes on.
if Context.environment["STREAMS_EXPLORE"] != nil {
  for target in package.targets { target.swiftSettings?.append(.define("STREAMS_EXPLORE")) }
  package.targets.removeAll { $0.type == .test }
  package.targets.append(
    .testTarget(
      name: "ExplorerTests", dependencies: all,
      swiftSettings: [.define("STREAMS_EXPLORE"), .enableUpcomingFeature("MemberImportVisibility")]))
}

// `.ci/run` builds with the compiler's check that code of an actor runs on that actor.
if Context.environment["STREAMS_CHECKS"] == "isolation" {
  for target in package.targets {
    target.swiftSettings?.append(.unsafeFlags(["-Xfrontend", "-enable-actor-data-race-checks"]))
  }
}
