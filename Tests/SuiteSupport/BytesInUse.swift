#if canImport(Glibc)
  internal import Glibc

  /// The memory that the process has allocated, in all arenas, without what allocations keep for reuse.
  package func bytesInUse() -> Int {
    var (text, size): (UnsafeMutablePointer<CChar>?, Int) = (nil, 0)
    guard let stream = open_memstream(&text, &size) else { return 0 }
    typealias WriteInfo = @convention(c) (CInt, UnsafeMutablePointer<FILE>) -> CInt
    // In a header that the module Glibc does not include.
    _ = unsafeBitCast(dlsym(nil, "malloc_info"), to: WriteInfo.self)(0, stream)
    fclose(stream)
    defer { free(text) }
    // The totals stand behind those of the single arenas.
    func last(_ element: String) -> Int {
      guard let text, let start = String(cString: text).ranges(of: element).last?.upperBound else { return 0 }
      let rest = String(cString: text)[start...]
      guard let sizeStart = rest.firstRange(of: "size=\"")?.upperBound else { return 0 }
      return Int(rest[sizeStart...].prefix { $0 != "\"" }) ?? 0
    }
    return last("<system type=\"current\"") + last("<total type=\"mmap\"") - last("<total type=\"fast\"")
      - last("<total type=\"rest\"")
  }
#endif
