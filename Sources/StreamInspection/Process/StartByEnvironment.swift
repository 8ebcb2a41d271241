#if canImport(Darwin)
  internal import Darwin  // Not yet compiled.
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl  // Not yet compiled.
#elseif canImport(Android)
  internal import Android  // Not yet compiled.
#endif

enum StandardError {
  static func write(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      var written = 0
      while written < bytes.count, let start = bytes.baseAddress {
        #if canImport(Darwin)
          let count = Darwin.write(2, start + written, bytes.count - written)
        #elseif canImport(Glibc)
          let count = Glibc.write(2, start + written, bytes.count - written)
        #elseif canImport(Musl)
          let count = Musl.write(2, start + written, bytes.count - written)
        #else
          let count = Android.write(2, start + written, bytes.count - written)
        #endif
        if count <= 0 { return }
        written += count
      }
    }
  }
}

#if os(Linux) && compiler(>=6.3)
  /// Starts inspection before `main` if the environment variable `STREAMS_INSPECT` is set: the loader calls the functions in
  /// this section.
  @used @section(".init_array")
  private let startByEnvironment: @convention(c) () -> Void = {
    guard let value = getenv("STREAMS_INSPECT") else { return }
    StreamInspector.start()
    StreamInspector.dumpOnSignal(as: String(cString: value) == "json" ? .json : .text)
  }
#endif
