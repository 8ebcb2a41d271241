import StreamAlgorithms
import Streams

extension OperatorCatalog {
  private static let takesTurns: [Law: String] = [.demandUpstream: Reason.oneInHand]

  static let combining: [CatalogEntry] = [
    CatalogEntry("append(publisher)", gives: "1 2 3 finished") { bench in
      let (first, second) = (bench.source(), bench.source())
      return first.append(second).asText()
    },
    CatalogEntry("append(elements)", gives: "1 2 3 8 9 finished") {
      $0.source().append(Parcel(8), Parcel(9)).asText()
    },
    CatalogEntry("append(sequence)", gives: "1 2 3 8 9 finished") {
      $0.source().append(AnySequence([Parcel(8), Parcel(9)])).asText()
    },
    CatalogEntry("prepend(publisher)", gives: "1 2 3 finished") { bench in
      let (first, second) = (bench.source(), bench.source())
      return second.prepend(first).asText()
    },
    CatalogEntry("prepend(elements)", gives: "8 9 1 2 3 finished") {
      $0.source().prepend(Parcel(8), Parcel(9)).asText()
    },
    CatalogEntry("merge of 2", gives: "1 1 2 2 3 3 finished", except: takesTurns) { bench in
      let (a, b) = (bench.source(), bench.source())
      return a.merge(with: b.eraseToAnyPublisher()).asText()
    },
    CatalogEntry("merge of 3", gives: "1 1 1 2 2 2 3 3 3 finished", except: takesTurns) { bench in
      let (a, b, c) = (bench.source(), bench.source(), bench.source())
      return a.merge(with: b, c).asText()
    },
    CatalogEntry("merge of 4", gives: "1 1 1 1 2 2 2 2 3 3 3 3 finished", except: takesTurns) { bench in
      let (a, b, c, d) = (bench.source(), bench.source(), bench.source(), bench.source())
      return a.merge(with: b, c, d).asText()
    },
    CatalogEntry("merge of 5", gives: "1 1 1 1 1 2 2 2 2 2 3 3 3 3 3 finished", except: takesTurns) { bench in
      let (a, b, c, d) = (bench.source(), bench.source(), bench.source(), bench.source())
      return a.merge(with: b, c, d, bench.source()).asText()
    },
    CatalogEntry("merge of 6", gives: "1 1 1 1 1 1 2 2 2 2 2 2 3 3 3 3 3 3 finished", except: takesTurns) { bench in
      let (a, b, c, d) = (bench.source(), bench.source(), bench.source(), bench.source())
      return a.merge(with: b, c, d, bench.source(), bench.source()).asText()
    },
    CatalogEntry(
      "merge of 7", gives: "1 1 1 1 1 1 1 2 2 2 2 2 2 2 3 3 3 3 3 3 3 finished", except: takesTurns
    ) { bench in
      let (a, b, c, d) = (bench.source(), bench.source(), bench.source(), bench.source())
      return a.merge(with: b, c, d, bench.source(), bench.source(), bench.source()).asText()
    },
    CatalogEntry(
      "merge of 8", gives: "1 1 1 1 1 1 1 1 2 2 2 2 2 2 2 2 3 3 3 3 3 3 3 3 finished", except: takesTurns
    ) { bench in
      let (a, b, c, d) = (bench.source(), bench.source(), bench.source(), bench.source())
      return a.merge(with: b, c, d, bench.source(), bench.source(), bench.source(), bench.source()).asText()
    },
    CatalogEntry("MergeMany", gives: "1 1 1 2 2 2 3 3 3 finished", except: takesTurns) { bench in
      Publishers.MergeMany([bench.source(), bench.source(), bench.source()]).asText()
    },
    CatalogEntry(
      "MergeMany of none", gives: "finished", except: [.failure: Reason.noUpstream, .cancelUpstream: Reason.noUpstream]
    ) { _ in
      Publishers.MergeMany([ProbePublisher<ContractError>]()).asText()
    },
    CatalogEntry("zip of 2", gives: "(1, 1) (2, 2) (3, 3) finished") { bench in
      let (a, b) = (bench.source(), bench.source())
      return a.zip(b).asText()
    },
    CatalogEntry("zip of 2 with a closure", gives: "2 4 6 finished", except: [.contexts: Reason.computes]) { bench in
      let captive = bench.captive()
      let (a, b) = (bench.source(), bench.source())
      return a.zip(b) { captive.touch($0).number + $1.number }.asText()
    },
    CatalogEntry("zip of 3", gives: "(1, 1, 1) (2, 2, 2) (3, 3, 3) finished") { bench in
      let (a, b, c) = (bench.source(), bench.source(), bench.source())
      return a.zip(b, c).asText()
    },
    CatalogEntry("zip of 4", gives: "(1, 1, 1, 1) (2, 2, 2, 2) (3, 3, 3, 3) finished") { bench in
      let (a, b, c, d) = (bench.source(), bench.source(), bench.source(), bench.source())
      return a.zip(b, c, d).asText()
    },
    CatalogEntry("combineLatest of 2", gives: "(1, 1) (2, 1) (2, 2) (3, 2) (3, 3) finished") { bench in
      let (a, b) = (bench.source(), bench.source())
      return a.combineLatest(b).asText()
    },
    CatalogEntry("combineLatest of 2 with a closure", gives: "2 3 4 5 6 finished", except: [.contexts: Reason.computes])
    { bench in
      let captive = bench.captive()
      let (a, b) = (bench.source(), bench.source())
      return a.combineLatest(b) { captive.touch($0).number + $1.number }.asText()
    },
    CatalogEntry("combineLatest of 3", gives: "3 4 5 6 7 8 9 finished", except: [.contexts: Reason.computes]) { bench in
      let (a, b, c) = (bench.source(), bench.source(), bench.source())
      return a.combineLatest(b, c) { $0.number + $1.number + $2.number }.asText()
    },
    CatalogEntry("combineLatest of 4", gives: "4 5 6 7 8 9 10 11 12 finished") { bench in
      let (a, b, c, d) = (bench.source(), bench.source(), bench.source(), bench.source())
      return a.combineLatest(b, c, d) { $0.number + $1.number + $2.number + $3.number }.asText()
    },
  ]

  static let flattening: [CatalogEntry] = [
    CatalogEntry("flatMap", gives: "1 2 2 3 3 3 finished", except: takesTurns) { bench in
      let captive = bench.captive()
      let (outer, inner) = (bench.source(), bench.source())
      return outer.flatMap { _ in captive.touch(inner) }.asText()
    },
    CatalogEntry("flatMap(maxPublishers: 1)", gives: "1 2 3 finished", except: takesTurns) { bench in
      let captive = bench.captive()
      let (outer, inner) = (bench.source(), bench.source())
      return outer.flatMap(maxPublishers: .max(1)) { _ in captive.touch(inner) }.asText()
    },
    CatalogEntry("flatMap to sequences", gives: "1 10 2 20 3 30 finished", except: takesTurns) { bench in
      let captive = bench.captive()
      return bench.source().flatMap { [captive.touch($0).number, $0.number * 10].publisher }.asText()
    },
    CatalogEntry("switchToLatest", gives: "1 2 3 finished", except: [.demandUpstream: Reason.asksForAll]) { bench in
      let captive = bench.captive()
      let (outer, inner) = (bench.source(), bench.source())
      return outer.map { _ in captive.touch(inner) }.switchToLatest().asText()
    },
    CatalogEntry("flatMap(maxTasks:)", gives: "1 2 3 finished", except: takesTurns) { bench in
      // The tasks run on the thread of the bench.
      nonisolated(unsafe) let captive = bench.captive()
      return bench.source().flatMap(maxTasks: .max, on: bench.scheduler) { captive.touch($0.number) }.asText()
    },
    CatalogEntry("flatMapLatest", gives: "1 2 3 finished", except: [.demandUpstream: Reason.asksForAll]) { bench in
      nonisolated(unsafe) let captive = bench.captive()
      return bench.source().flatMapLatest(on: bench.scheduler) { captive.touch($0.number) }.asText()
    },
    CatalogEntry("map(maxTasks: 1)", gives: "1 2 3 finished", except: takesTurns) { bench in
      nonisolated(unsafe) let captive = bench.captive()
      return bench.source().map(maxTasks: 1, on: bench.scheduler) { captive.touch($0.number) }.asText()
    },
    CatalogEntry("map(maxTasks: 4)", gives: "1 2 3 finished", except: takesTurns) { bench in
      nonisolated(unsafe) let captive = bench.captive()
      return bench.source().map(maxTasks: 4, on: bench.scheduler) { captive.touch($0.number) }.asText()
    },
    CatalogEntry("map(maxTasks:by:)", gives: "1 2 3 finished", except: takesTurns) { bench in
      nonisolated(unsafe) let captive = bench.captive()
      return bench.source().map(maxTasks: 4, by: { $0.number % 2 }, on: bench.scheduler) {
        captive.touch($0.number)
      }.asText()
    },
    CatalogEntry("flatMap(maxTasks:by:)", gives: "1 2 3 finished", except: takesTurns) { bench in
      nonisolated(unsafe) let captive = bench.captive()
      return bench.source().flatMap(maxTasks: .max, by: { $0.number % 2 }, on: bench.scheduler) {
        captive.touch($0.number)
      }.asText()
    },
  ]

  private static let shares: [Law: String] = [.demandUpstream: Reason.asksForAll]

  static let sharing: [CatalogEntry] = [
    CatalogEntry("share", gives: "1 2 3 finished", except: shares) { $0.source().share().asText() },
    CatalogEntry("multicast(subject:).autoconnect", gives: "1 2 3 finished", except: shares) {
      $0.source().multicast(subject: PassthroughSubject()).autoconnect().asText()
    },
    CatalogEntry("multicast.autoconnect", gives: "0 1 2 3 finished", except: shares) { bench in
      let captive = bench.captive()
      return bench.source().multicast { CurrentValueSubject(captive.touch(Parcel(0))) }.autoconnect().asText()
    },
    CatalogEntry(
      "makeConnectable.autoconnect", gives: "1 2 3 finished",
      except: [.demandUpstream: Reason.asksForAll, .failure: Reason.cannotFail]
    ) { $0.unfailingSource().makeConnectable().autoconnect().asText() },
  ]
}
