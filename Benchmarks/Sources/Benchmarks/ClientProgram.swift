import Foundation
import Workloads

/// A program with which the compiler's work and output are measured.
enum ClientProgram: String, CaseIterable, Codable, CodingKeyRepresentable {
  case chains = "chains-100"
  case fewChains = "chains-20"
  case viewModel = "view-model"
  case chainsOf6 = "chains-of-6"
  case chainsOf8 = "chains-of-8"
  case chainsOf12 = "chains-of-12"
  case debugChains = "chains-100-debug"
  case debugViewModel = "view-model-debug"

  /// The programs that compile in a few seconds, and that indicate whether any other has changed.
  static let brief: [ClientProgram] = [.fewChains, .viewModel]

  var explanation: String {
    switch self {
    case .chains: "100 chains of four to six operators: map, filter, scan, flatMap, debounce, share and the like"
    case .fewChains: "the first 20 of these chains"
    case .viewModel: "a debounced search, two states derived from it, and a selection"
    case .chainsOf6: "25 chains of six operators each"
    case .chainsOf8: "25 chains of eight operators each"
    case .chainsOf12: "25 chains of twelve operators each, in two statements"
    case .debugChains: "the 100 chains, not optimized"
    case .debugViewModel: "the view model, not optimized"
    }
  }

  var isOptimised: Bool { self != .debugChains && self != .debugViewModel }

  /// The number of operators, if all chains have the same length.
  var operators: Int? { lengthOfChains.map { $0 * Self.chainsOfALength } }

  func source(_ implementation: ImplementationName) -> String {
    let source = ClientSource(implementation: implementation)
    return switch self {
    case .chains, .debugChains: source.chains(100)
    case .fewChains: source.chains(20)
    case .viewModel, .debugViewModel: source.viewModel()
    case .chainsOf6, .chainsOf8, .chainsOf12: source.chains(Self.chainsOfALength, length: lengthOfChains)
    }
  }

  private static let chainsOfALength = 25

  private var lengthOfChains: Int? {
    switch self {
    case .chainsOf6: 6
    case .chainsOf8: 8
    case .chainsOf12: 12
    case .chains, .fewChains, .viewModel, .debugChains, .debugViewModel: nil
    }
  }
}

/// Compiles programs against the modules beside this program.
struct ClientCompiler {
  /// The cost of a program: the bytes that are loaded and never written, and the time the compiler takes for them.
  struct Figure: Codable {
    var text: Int
    var seconds: Double
  }

  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("Benchmarks-\(ProcessInfo.processInfo.processIdentifier)")

  func figure(_ program: ClientProgram, _ implementation: ImplementationName) throws -> Figure {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = folder.appendingPathComponent("Client.swift")
    let object = folder.appendingPathComponent("Client.o")
    try Data(program.source(implementation).utf8).write(to: source)
    let arguments =
      [
        "swiftc", program.isOptimised ? "-O" : "-Onone", "-wmo", "-parse-as-library", "-swift-version", "5",
        "-module-name", "Client", "-c", source.path, "-o", object.path,
      ] + Self.modules(of: implementation)
    // The best of three, unless a compilation takes long: a busy computer disturbs short ones the most.
    var seconds: [Double] = []
    while seconds.count < 3, seconds.reduce(0, +) < 8 {
      let before = Self.secondsOfChildren
      _ = try Instructions.run("/usr/bin/env", arguments)
      seconds.append(Self.secondsOfChildren - before)
    }
    return Figure(text: try ObjectFile(contentsOf: object).text, seconds: seconds.min()!)
  }

  /// Returns the arguments with which the compiler finds the modules of an implementation.
  private static func modules(of implementation: ImplementationName) -> [String] {
    let products = URL(fileURLWithPath: Instructions.thisProgram).deletingLastPathComponent()
    let arguments = ["-I", products.appendingPathComponent("Modules").path]
    guard implementation == .openCombine else { return arguments }
    let checkout = products.deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("checkouts/OpenCombine")
    let map = products.appendingPathComponent("COpenCombineHelpers.build/module.modulemap")
    let headers = checkout.appendingPathComponent("Sources/COpenCombineHelpers/include")
    return arguments + ["-Xcc", "-fmodule-map-file=\(map.path)", "-Xcc", "-I\(headers.path)"]
  }

  #if canImport(Glibc)
    private static let children = __rusage_who_t(RUSAGE_CHILDREN.rawValue)
  #else
    private static let children = RUSAGE_CHILDREN
  #endif

  /// The processor time of all child processes that have ended and been waited for.
  private static var secondsOfChildren: Double {
    var usage = rusage()
    getrusage(Self.children, &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }
}

/// An object file for Linux (64-bit ELF), from which the sizes of sections are read.
struct ObjectFile {
  /// The bytes of all sections that are loaded and not writable: code, constants, metadata, and unwind tables.
  let text: Int

  init(contentsOf file: URL) throws {
    let data = try Data(contentsOf: file)
    guard data.starts(with: [0x7F, UInt8(ascii: "E"), UInt8(ascii: "L"), UInt8(ascii: "F"), 2, 1]) else {
      throw Failure("\(file.path) is not an object file of Linux, and other formats are not supported")
    }
    func number<Number: FixedWidthInteger>(_ type: Number.Type, at offset: Int) -> Int {
      Int(Number(littleEndian: data.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }))
    }
    let sections = number(UInt64.self, at: 0x28)
    let size = number(UInt16.self, at: 0x3A)
    var count = number(UInt16.self, at: 0x3C)
    // If there are very many sections, the first one contains their number.
    if count == 0 { count = number(UInt64.self, at: sections + 0x20) }
    let (isWritable, isLoaded, takesNoSpace) = (1, 2, 8)
    text = (0..<count).reduce(0) { sum, index in
      let section = sections + index * size
      let flags = number(UInt64.self, at: section + 8)
      guard flags & isLoaded != 0, flags & isWritable == 0, number(UInt32.self, at: section + 4) != takesNoSpace else {
        return sum
      }
      return sum + number(UInt64.self, at: section + 0x20)
    }
  }
}
