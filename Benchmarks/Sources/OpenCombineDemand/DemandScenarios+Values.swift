import Workloads

#if OPENCOMBINE
  import OpenCombine
#else
  import Streams
#endif

/// Operators with one source that handle one value after the other.
extension DemandScenarios {
  mutating func addTransforming() {
    add("map") { p in p.observe(p.up.map { $0 * 10 }) }
    add("tryMap") { p in p.observe(p.up.tryMap { $0 * 10 }) }
    add("tryMap that throws") { p in p.observe(p.up.tryMap { try $0 == 2 ? throwing() : $0 }) }
    add("map of a key path") { p in p.observe(p.up.map(\.description)) }
    add("replaceNil") { p in p.observe(p.up.map { $0 == 2 ? nil : $0 }.replaceNil(with: 0)) }
    add("scan") { p in p.observe(p.up.scan(0) { $0 + $1 }) }
    add("tryScan") { p in p.observe(p.up.tryScan(0) { $0 + $1 }) }
    add("mapError") { p in p.observe(p.up.mapError { $0 as any Error }) }
    add("setFailureType") { p in p.observe(p.safe.setFailureType(to: ProbeError.self)) }
    add("encode") { p in p.observe(p.up.encode(encoder: TextCoder())) }
    add("decode") { p in p.observe(p.up.map(\.description).decode(type: Int.self, decoder: TextCoder())) }
    add("eraseToAnyPublisher") { p in p.observe(p.up.eraseToAnyPublisher()) }
  }

  mutating func addFiltering() {
    add("filter") { p in p.observe(p.up.filter { $0 % 2 == 0 }) }
    add("tryFilter") { p in p.observe(p.up.tryFilter { $0 % 2 == 0 }) }
    add("compactMap") { p in p.observe(p.up.compactMap { $0 % 2 == 0 ? $0 : nil }) }
    add("tryCompactMap") { p in p.observe(p.up.tryCompactMap { $0 % 2 == 0 ? $0 : nil }) }
    add("removeDuplicates", "1 1 2 ? 2 3 | ?") { p in p.observe(p.up.removeDuplicates()) }
    add("tryRemoveDuplicates", "1 1 2 ? 2 3 | ?") { p in p.observe(p.up.tryRemoveDuplicates { $0 == $1 }) }
    add("first") { p in p.observe(p.up.first()) }
    add("first of none", "| ?") { p in p.observe(p.up.first()) }
    add("first(where:)") { p in p.observe(p.up.first { $0 == 2 }) }
    add("first(where:) of none") { p in p.observe(p.up.first { $0 == 9 }) }
    add("tryFirst(where:)") { p in p.observe(p.up.tryFirst { $0 == 2 }) }
    add("tryFirst(where:) that throws") { p in p.observe(p.up.tryFirst { try $0 == 2 ? throwing() : false }) }
    add("last") { p in p.observe(p.up.last()) }
    add("last(where:)") { p in p.observe(p.up.last { $0 < 4 }) }
    add("tryLast(where:)") { p in p.observe(p.up.tryLast { $0 < 4 }) }
    add("dropFirst") { p in p.observe(p.up.dropFirst()) }
    add("dropFirst(0)") { p in p.observe(p.up.dropFirst(0)) }
    add("dropFirst(2)") { p in p.observe(p.up.dropFirst(2)) }
    add("drop(while:)") { p in p.observe(p.up.drop { $0 < 3 }) }
    add("tryDrop(while:)") { p in p.observe(p.up.tryDrop { $0 < 3 }) }
    add("prefix(0)") { p in p.observe(p.up.prefix(0)) }
    add("prefix(2)") { p in p.observe(p.up.prefix(2)) }
    add("prefix(9)") { p in p.observe(p.up.prefix(9)) }
    add("prefix(while:)") { p in p.observe(p.up.prefix { $0 < 4 }) }
    add("tryPrefix(while:)") { p in p.observe(p.up.tryPrefix { $0 < 4 }) }
    add("output(at: 0)") { p in p.observe(p.up.output(at: 0)) }
    add("output(at: 2)") { p in p.observe(p.up.output(at: 2)) }
    add("output(at: 9)") { p in p.observe(p.up.output(at: 9)) }
    add("output(in: 1..<3)") { p in p.observe(p.up.output(in: 1..<3)) }
    add("output(in: 1...)") { p in p.observe(p.up.output(in: 1...)) }
    add("output(in: 1..<1)") { p in p.observe(p.up.output(in: 1..<1)) }
    add("ignoreOutput") { p in p.observe(p.up.ignoreOutput()) }
  }

  mutating func addReducing() {
    add("collect") { p in p.observe(p.up.collect()) }
    add("collect, failure", "1 2 ? # ?") { p in p.observe(p.up.collect()) }
    add("collect(1)") { p in p.observe(p.up.collect(1)) }
    add("collect(2)") { p in p.observe(p.up.collect(2)) }
    add("collect(3)", "1 2 3 ? 4 5 6 7 | ?") { p in p.observe(p.up.collect(3)) }
    add("reduce") { p in p.observe(p.up.reduce(0) { $0 + $1 }) }
    add("tryReduce") { p in p.observe(p.up.tryReduce(0) { $0 + $1 }) }
    add("tryReduce that throws") { p in p.observe(p.up.tryReduce(0) { try $1 == 2 ? throwing() : $0 + $1 }) }
    add("count") { p in p.observe(p.up.count()) }
    add("min") { p in p.observe(p.up.min()) }
    add("max") { p in p.observe(p.up.max()) }
    add("tryMin") { p in p.observe(p.up.tryMin { $0 < $1 }) }
    add("tryMax") { p in p.observe(p.up.tryMax { $0 < $1 }) }
    add("contains") { p in p.observe(p.up.contains(2)) }
    add("contains, not found") { p in p.observe(p.up.contains(9)) }
    add("contains(where:)") { p in p.observe(p.up.contains { $0 == 2 }) }
    add("tryContains(where:)") { p in p.observe(p.up.tryContains { $0 == 2 }) }
    add("allSatisfy") { p in p.observe(p.up.allSatisfy { $0 < 2 }) }
    add("allSatisfy, all do") { p in p.observe(p.up.allSatisfy { $0 < 9 }) }
    add("tryAllSatisfy") { p in p.observe(p.up.tryAllSatisfy { $0 < 2 }) }
    add("replaceEmpty") { p in p.observe(p.up.replaceEmpty(with: 0)) }
    add("replaceEmpty of none", "? | ?") { p in p.observe(p.up.replaceEmpty(with: 0)) }
  }

  mutating func addObserving() {
    let stream = TextStream()
    add("print") { p in p.observe(p.up.print(to: stream)) }
    add("handleEvents") { p in p.observe(p.up.handleEvents(receiveOutput: { _ in })) }
    add("breakpoint") { p in p.observe(p.up.breakpoint(receiveOutput: { _ in false })) }
    add("breakpointOnError") { p in p.observe(p.up.breakpointOnError()) }
  }
}

private func throwing<Value>() throws -> Value { throw ProbeError() }

private struct TextStream: TextOutputStream {
  func write(_ string: String) {}
}

/// Encodes integers as text.
private struct TextCoder: TopLevelEncoder, TopLevelDecoder {
  func encode(_ value: some Encodable) -> String { "\(value)" }

  func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
    guard let value = Int(text) as? Value else { throw ProbeError() }
    return value
  }
}
