import Streams
import Testing

/// One operator on a bench.
struct CatalogEntry: CustomTestStringConvertible, @unchecked Sendable {
  let name: String

  /// The signals that it sends when 1, 2 and 3 are put into every source and then all of them finish.
  let gives: String

  /// The laws that it does not obey, each with the reason.
  let exemptions: [Law: String]

  /// Where the entry stands in the source code.
  let place: (file: String, line: Int)

  let build: (Bench) -> AnyPublisher<String, ContractError>

  init(
    _ name: String, gives: String, except exemptions: [Law: String] = [:], file: String = #filePath, line: Int = #line,
    _ build: @escaping (Bench) -> AnyPublisher<String, ContractError>
  ) {
    self.name = name
    self.gives = gives
    self.exemptions = exemptions
    place = (file, line)
    self.build = build
  }

  var testDescription: String { name }

  /// Indicates whether it ends when its sources have ended.
  var ends: Bool { gives.hasSuffix("finished") || gives.hasSuffix("failed") }

  /// Indicates whether the source's subscription is forwarded unchanged. The source and the last subscriber of the
  /// chain are then responsible for the contract's rules about subscriptions.
  var isTransparent: Bool { OperatorCatalog.transparent.contains(name) }
}

/// The catalog of every operator, subject and source.
enum OperatorCatalog {
  static let all: [CatalogEntry] =
    transforming + filtering + reducing + recovering + combining + flattening + sharing + observing + timing + creating
    + subjects + bounded + beyondCombine

  private static let beyondCombine: [CatalogEntry] =
    beyondCombineCreating + beyondCombineTransforming + beyondCombineCombining + beyondCombineGrouping
    + beyondCombineTiming + beyondCombineRecovering + beyondCombineSharing + beyondCombineObserving
}

extension OperatorCatalog {
  static let transparent: Set = [
    "map", "map.map", "map(keyPath)", "map(keyPath, keyPath)", "map(keyPath, keyPath, keyPath)", "mapError",
    "setFailureType", "eraseToAnyPublisher", "filter", "filter.filter", "compactMap", "compactMap.compactMap",
    "Deferred", "breakpoint", "partition", "ignoreFailure", "toggle",
  ]
}

/// Reasons that several entries share.
enum Reason {
  static let buffers = "keeping values is what it is for"
  static let asksForAll = "it asks for everything, as documented"
  static let oneInHand = "it keeps one element of each source in hand, so that sources take turns"
  static let recovers = "a failure is followed by another publisher"
  static let noUpstream = "it has no upstream"
  static let isSubject = "a subject outlives its subscribers, and keeps its upstream"
  static let cannotFail = "nothing in it can fail"
  static let oneIteration = "an `AsyncStream` can be iterated once"
  static let awaitsDemand = "it learns of the end when it awaits an element that was requested"
  static let endIsValue = "the end is a value, which needs demand"
  static let beginsAgain = "it would begin again forever with a source that ends at once"
  static let neverEnds = "it does not end"
  static let asksAfterwards = "what upstream is asked for depends on other publishers"
  static let computes = "its values are computed, so a number does not tell when it was sent"
  static let unsent = "nobody sends its values: they are made on request, by a task, or were sent before"
  static let ignoresFailure = "the completion of the other publisher is ignored, as documented"
}
