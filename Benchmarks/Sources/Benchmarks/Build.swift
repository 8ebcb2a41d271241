/// The configuration of this program's build.
enum Build {
  #if DEBUG
    static let isDebug = true
  #else
    static let isDebug = false
  #endif

  static var configuration: String { isDebug ? "debug" : "release" }

  /// The version of the compiler on the path, which built this program if it was started with `swift run`. Programs do
  /// not know which compiler built them, and the standard library knows only part of its version.
  static let swiftVersion: String = {
    let answer = try? Instructions.run("/usr/bin/env", ["swift", "--version"])
    let words = (answer ?? "").split(whereSeparator: \.isWhitespace)
    guard let index = words.firstIndex(of: "version"), index + 1 < words.endIndex else { return "unknown" }
    return String(words[index + 1])
  }()
}
