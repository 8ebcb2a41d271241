import StreamAlgorithms
import StreamSchedulers
import Streams

extension Parcel {
  var first: Int { number }
  var second: Int { number * 2 }
  var third: Int { number * 3 }
}

/// A coder that encodes to text and back.
struct TextCoder: TopLevelEncoder, TopLevelDecoder {
  let captive: Captive

  func encode<Value: Encodable>(_ value: Value) throws -> String { "\(try captive.tryTouch(value))" }

  func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
    try captive.tryTouch(Parcel(Int(text)!)) as! Value
  }
}

/// An output stream that discards its lines.
private struct Silence: TextOutputStream {
  mutating func write(_ text: String) {}
}

extension OperatorCatalog {
  static let transforming: [CatalogEntry] = [
    CatalogEntry("map", gives: "1 2 3 finished") { bench in
      let captive = bench.captive()
      return bench.source().map { captive.touch($0) }.asText()
    },
    CatalogEntry("map.map", gives: "1 2 3 finished") { bench in
      let captive = bench.captive()
      return bench.source().map { captive.touch($0) }.map(\.self).map { captive.touch($0) }.asText()
    },
    CatalogEntry("tryMap", gives: "1 2 3 finished") { bench in
      let captive = bench.captive()
      return bench.source().tryMap { try captive.tryTouch($0) }.asText()
    },
    CatalogEntry("tryMap.map", gives: "1 2 3 finished") { bench in
      let captive = bench.captive()
      return bench.source().tryMap { try captive.tryTouch($0) }.map { captive.touch($0) }.asText()
    },
    CatalogEntry("map(keyPath)", gives: "1 2 3 finished") { $0.source().map(\.number).asText() },
    CatalogEntry("map(keyPath, keyPath)", gives: "(1, 2) (2, 4) (3, 6) finished", except: [.contexts: Reason.computes])
    {
      $0.source().map(\.first, \.second).asText()
    },
    CatalogEntry(
      "map(keyPath, keyPath, keyPath)", gives: "(1, 2, 3) (2, 4, 6) (3, 6, 9) finished",
      except: [.contexts: Reason.computes]
    ) {
      $0.source().map(\.first, \.second, \.third).asText()
    },
    CatalogEntry("scan", gives: "1 3 6 finished", except: [.contexts: Reason.computes]) { bench in
      let captive = bench.captive()
      return bench.source().scan(0) { captive.touch($0) + $1.number }.asText()
    },
    CatalogEntry("tryScan", gives: "1 3 6 finished", except: [.contexts: Reason.computes]) { bench in
      let captive = bench.captive()
      return bench.source().tryScan(0) { try captive.tryTouch($0) + $1.number }.asText()
    },
    CatalogEntry("mapError", gives: "1 2 3 finished") { bench in
      let captive = bench.captive()
      return bench.source().mapError { captive.touch($0) }.asText()
    },
    CatalogEntry("setFailureType", gives: "1 2 3 finished", except: [.failure: Reason.cannotFail]) {
      $0.unfailingSource().setFailureType(to: ContractError.self).asText()
    },
    CatalogEntry("encode", gives: "1 2 3 finished") { bench in
      let captive = bench.captive()
      return bench.source().encode(encoder: TextCoder(captive: captive)).asText()
    },
    CatalogEntry("decode", gives: "1 2 3 finished") { bench in
      let captive = bench.captive()
      return bench.source().map { "\($0)" }.decode(type: Parcel.self, decoder: TextCoder(captive: captive)).asText()
    },
    CatalogEntry("eraseToAnyPublisher", gives: "1 2 3 finished") {
      $0.source().eraseToAnyPublisher().eraseToAnyPublisher().asText()
    },
  ]

  static let filtering: [CatalogEntry] = [
    CatalogEntry("filter", gives: "1 3 finished") { bench in
      let captive = bench.captive()
      return bench.source().filter { captive.touch($0).number != 2 }.asText()
    },
    CatalogEntry("filter.filter", gives: "3 finished") { bench in
      let captive = bench.captive()
      return bench.source().filter { captive.touch($0).number != 2 }.filter { $0.number != 1 }.asText()
    },
    CatalogEntry("tryFilter", gives: "1 3 finished") { bench in
      let captive = bench.captive()
      return bench.source().tryFilter { try captive.tryTouch($0).number != 2 }.asText()
    },
    CatalogEntry("tryFilter.filter", gives: "3 finished") { bench in
      let captive = bench.captive()
      return bench.source().tryFilter { try captive.tryTouch($0).number != 2 }.filter { $0.number != 1 }.asText()
    },
    CatalogEntry("compactMap", gives: "1 3 finished") { bench in
      let captive = bench.captive()
      return bench.source().compactMap { captive.touch($0).number == 2 ? nil : $0 }.asText()
    },
    CatalogEntry("compactMap.compactMap", gives: "3 finished") { bench in
      let captive = bench.captive()
      return bench.source().compactMap { captive.touch($0).number == 2 ? nil : $0 }
        .compactMap { $0.number == 1 ? nil : $0 }.map { captive.touch($0) }.asText()
    },
    CatalogEntry("tryCompactMap", gives: "1 3 finished") { bench in
      let captive = bench.captive()
      return bench.source().tryCompactMap { try captive.tryTouch($0).number == 2 ? nil : $0 }.asText()
    },
    CatalogEntry("removeDuplicates", gives: "1 2 3 finished") { $0.source().removeDuplicates().asText() },
    CatalogEntry("removeDuplicates(by:)", gives: "1 3 finished") { bench in
      let captive = bench.captive()
      return bench.source().removeDuplicates { captive.touch($0).number == 1 && $1.number == 2 }.asText()
    },
    CatalogEntry("tryRemoveDuplicates", gives: "1 3 finished") { bench in
      let captive = bench.captive()
      return bench.source().tryRemoveDuplicates { try captive.tryTouch($0).number == 1 && $1.number == 2 }.asText()
    },
    CatalogEntry("first", gives: "1 finished", except: [.demandUpstream: Reason.asksForAll]) {
      $0.source().first().asText()
    },
    CatalogEntry("first(where:)", gives: "2 finished", except: [.demandUpstream: Reason.asksForAll]) { bench in
      let captive = bench.captive()
      return bench.source().first { captive.touch($0).number == 2 }.asText()
    },
    CatalogEntry("tryFirst(where:)", gives: "2 finished", except: [.demandUpstream: Reason.asksForAll]) { bench in
      let captive = bench.captive()
      return bench.source().tryFirst { try captive.tryTouch($0).number == 2 }.asText()
    },
    CatalogEntry(
      "dropFirst", gives: "2 3 finished", except: [.demandUpstream: "it requests the values that it drops"]
    ) {
      $0.source().dropFirst().asText()
    },
    CatalogEntry("prefix", gives: "1 2 finished") { $0.source().prefix(2).asText() },
    CatalogEntry("output(at:)", gives: "2 finished") { $0.source().output(at: 1).asText() },
    CatalogEntry("output(in:)", gives: "2 3 finished") { $0.source().output(in: 1...).asText() },
    CatalogEntry(
      "prefix(untilOutputFrom:)", gives: "1 2 finished",
      except: [.demandUpstream: "it asks the trigger for one value, and swallowed values give their demand back"]
    ) { bench in
      let (main, trigger) = (bench.source(), bench.source())
      return main.prefix(untilOutputFrom: trigger.dropFirst()).asText()
    },
    CatalogEntry(
      "drain(when:)", gives: "1 2 finished",
      except: [.demandUpstream: "it asks the trigger for one value, and swallowed values give their demand back"]
    ) { bench in
      let (main, trigger) = (bench.source(), bench.source())
      let captive = bench.captive()
      return main.drain(when: trigger.dropFirst(), within: .seconds(1), scheduler: bench.scheduler) {
        $0.map { captive.touch($0) }
      } lost: { _ in
      }.asText()
    },
    CatalogEntry(
      "drop(untilOutputFrom:)", gives: "2 3 finished",
      except: [.demandUpstream: "it asks the trigger for one value, and swallowed values give their demand back"]
    ) { bench in
      let (main, trigger) = (bench.source(), bench.source())
      return main.drop(untilOutputFrom: trigger).asText()
    },
  ]

  static let reducing: [CatalogEntry] = [
    CatalogEntry("collect", gives: "[1, 2, 3] finished", except: [.demandUpstream: Reason.asksForAll]) {
      $0.source().collect().asText()
    },
    CatalogEntry(
      "collect(count)", gives: "[1, 2] [3] finished",
      except: [.demandUpstream: "it asks for a full array of values for each array"]
    ) { $0.source().collect(2).asText() },
    CatalogEntry(
      "collect(byTime)", gives: "[1, 2] [3] finished", except: [.demandUpstream: Reason.asksForAll]
    ) { $0.source().collect(.byTime($0.scheduler, .milliseconds(1500))).asText() },
    CatalogEntry(
      "collect(byTimeOrCount)", gives: "[1, 2] [3] finished",
      except: [.demandUpstream: "it asks for a full array of values for each array"]
    ) { $0.source().collect(.byTimeOrCount($0.scheduler, .milliseconds(2500), 2)).asText() },
    CatalogEntry(
      "count", gives: "3 finished", except: [.contexts: Reason.computes, .demandUpstream: Reason.asksForAll]
    ) {
      $0.source().count().asText()
    },
    CatalogEntry("last", gives: "3 finished", except: [.demandUpstream: Reason.asksForAll]) {
      $0.source().last().asText()
    },
    CatalogEntry("ignoreOutput", gives: "finished", except: [.demandUpstream: Reason.asksForAll]) {
      $0.source().ignoreOutput().asText()
    },
  ]

  static let recovering: [CatalogEntry] = [
    CatalogEntry(
      "retry", gives: "1 2 3 finished",
      except: [.failure: Reason.recovers, .releasePublisher: "it attaches to the publisher again when that fails"]
    ) { $0.source().retry(1).asText() },
    CatalogEntry("catch", gives: "1 2 3 finished", except: [.failure: Reason.recovers]) { bench in
      let captive = bench.captive()
      let (main, substitute) = (bench.source(), bench.source())
      return main.catch { _ in captive.touch(substitute) }.asText()
    },
    CatalogEntry("tryCatch", gives: "1 2 3 finished", except: [.failure: Reason.recovers]) { bench in
      let captive = bench.captive()
      let (main, substitute) = (bench.source(), bench.source())
      return main.tryCatch { _ in try captive.tryTouch(substitute) }.asText()
    },
    CatalogEntry("replaceEmpty", gives: "1 2 3 finished") { $0.source().replaceEmpty(with: Parcel(9)).asText() },
    CatalogEntry("replaceError", gives: "1 2 3 finished", except: [.failure: Reason.recovers]) {
      $0.source().replaceError(with: Parcel(9)).asText()
    },
  ]

  static let observing: [CatalogEntry] = [
    CatalogEntry("handleEvents", gives: "1 2 3 finished") { bench in
      let captive = bench.captive()
      return bench.source().handleEvents(
        receiveSubscription: { _ in captive.touch(()) }, receiveOutput: { captive.touch($0) },
        receiveCompletion: { _ in captive.touch(()) }, receiveCancel: { captive.touch(()) },
        receiveRequest: { _ in captive.touch(()) }
      ).asText()
    },
    CatalogEntry("breakpoint", gives: "1 2 3 finished") { bench in
      let captive = bench.captive()
      return bench.source().breakpoint(
        receiveSubscription: { _ in captive.touch(false) }, receiveOutput: { _ in captive.touch(false) },
        receiveCompletion: { _ in captive.touch(false) }
      ).asText()
    },
    CatalogEntry("print", gives: "1 2 3 finished") { $0.source().print(to: Silence()).asText() },
  ]
}
