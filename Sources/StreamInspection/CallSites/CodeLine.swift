/// A place in the source code of the program that uses the package.
package struct CodeLine: Hashable, Sendable, CustomStringConvertible {
  /// The path of the file, or `nil` without debugging symbols.
  package let path: String?

  /// The line in the file, or `nil` without debugging symbols.
  package let line: Int?

  /// The name of the function without its module: `SearchModel.start()`. A closure has the name of the function that
  /// contains it.
  package let function: String

  package var file: String? { path.map { String($0.split(separator: "/").last ?? "") } }

  /// The file and the line, as in `SearchModel.swift:31`, or the function if they aren't known.
  package var description: String {
    line.map(onLine) ?? function
  }

  /// Returns the text for another line of the same file, as in `SearchModel.swift:29`.
  func onLine(_ line: Int) -> String { file.map { "\($0):\(line)" } ?? function }
}

extension CodeLine {
  private static let modules = [
    "Streams", "StreamAlgorithms", "StreamSchedulers", "StreamFoundation", "StreamInspection", "StreamTesting",
  ]

  /// Modules of the libraries in `Integrations`, which subscribe on behalf of the program.
  private static let integrations = [
    "StreamsNIO", "StreamsService", "StreamsObservability", "StreamsHummingbird", "StreamsInspectorPage", "StreamsGRPC",
  ]

  /// System modules whose functions may be specialized in the program.
  private static let systemModules = [
    "Swift", "_Concurrency", "_StringProcessing", "Synchronization", "Observation", "Runtime", "Dispatch", "Foundation",
    "FoundationEssentials", "Testing", "XCTest", "__C",
  ]

  /// Finds the first place outside the package, its integrations and the system.
  ///
  /// Debugging information is preferred, because it says which file each line comes from, even if the line was inlined
  /// or specialized elsewhere. Without it, a function's name says which module the function is written in.
  ///
  /// - Parameter frames: The frames, innermost first, beginning in this module.
  package init?(firstIn frames: some Sequence<CallFrame>) {
    let sources = frames.lazy.compactMap(Self.sources).first { _ in true }
    let places = frames.lazy.filter(Self.isInFile)
    if let sources, let frame = places.first(where: { !Self.isOwn($0.path ?? "", in: sources) }) {
      self.init(path: frame.path, line: frame.line, function: SymbolName.short(frame.name))
    } else if let frame = frames.first(where: { $0.path == nil && Self.isOfProgram($0.symbol) }) {
      self.init(path: nil, line: nil, function: SymbolName.short(frame.name))
    } else {
      return nil
    }
  }

  /// Returns the folder that contains the package's modules, if a frame is in this module.
  private static func sources(_ frame: CallFrame) -> Substring? {
    guard let path = frame.path, frame.symbol.hasPrefix("$s16StreamInspection") else { return nil }
    return path.ranges(of: "StreamInspection/CallSites/").last.map { path[..<$0.lowerBound] }
  }

  /// Returns whether a person wrote a frame's line, rather than the compiler or a macro.
  private static func isInFile(_ frame: CallFrame) -> Bool {
    guard let path = frame.path else { return false }
    return frame.line > 0 && !path.hasSuffix("<compiler-generated>") && !path.contains("@__swiftmacro_")
  }

  private static func isOwn(_ path: String, in sources: Substring) -> Bool {
    if path.hasPrefix(sources), modules.contains(where: { path.dropFirst(sources.count).hasPrefix("\($0)/") }) {
      return true
    }
    return path.contains("/Sources/") && integrations.contains { path.contains("/\($0)/Sources/") }
  }

  /// Marks in a symbol that show that the function was specialized where it's used.
  private static let specializations = ["Tg", "TG", "Tf", "TF", "TB", "Ts", "TS", "Tm"]

  /// Returns whether a function belongs to the package or its integrations and was compiled there, without inlined code from
  /// the program. Returns `false` for this module's functions, because their path says where the package is.
  package static func isOwn(_ symbol: String) -> Bool {
    guard !symbol.hasPrefix("$s16StreamInspection"), !specializations.contains(where: { symbol.contains($0) }),
      let module = SymbolName.module(of: symbol)
    else { return false }
    return modules.contains(module) || integrations.contains(module)
  }

  private static func isOfProgram(_ symbol: String) -> Bool {
    // The main file's top-level code.
    if symbol == "main" || symbol == "async_Main" { return true }
    guard let module = SymbolName.module(of: symbol) else { return false }
    return !(modules + integrations + systemModules).contains(module)
  }
}
