import StreamSchedulers
import StreamTesting
import Streams

extension DiagramCatalog {
  static let beyondCombineTransforming: [DiagramEntry] = [
    DiagramEntry("pairwise", "pairwise()") { $0.letters("-a--b----c--|").pairwise() },
    DiagramEntry("nwise", "nwise(3)") {
      $0.letters("-a-b-----c-----d----|").nwise(3).map { $0.joined(separator: " ") }
    },
    // The third 1 is published because 1 is no longer remembered.
    DiagramEntry("distinct", "distinct(remembering: 2)") { $0.numbers("-1-2-1-3-1-|").distinct(remembering: 2) },
    DiagramEntry("distinct-by", #"distinct(by: \.first, remembering: 2)"#) {
      $0.letters("-'ant'--'bee'--'ape'--'cat'-|").distinct(by: \.first, remembering: 2)
    },
    // The incomplete chunk is published on completion.
    DiagramEntry("chunked-by", "chunked(maxCount: 3) { $1 == $0 + 1 }") {
      $0.numbers("-1-2--4-5-6--8|").chunked(maxCount: 3) { $1 == $0 + 1 }.map {
        $0.map(String.init).joined(separator: " ")
      }
    },
    DiagramEntry("chunked-on", #"chunked(maxCount: 9, on: \.first)"#) {
      $0.letters("-'ant'--'ape'--'bee'--'cat'---|").chunked(maxCount: 9, on: { $0.prefix(1) })
        .map { "\($0.0): \($0.1.joined(separator: " "))" }
    },
    DiagramEntry("enumerated", "enumerated()") {
      $0.letters("-a----b----c--|").enumerated().map { "\($0.offset) \($0.element)" }
    },
    .subscribers("partition", "partition { $0 % 2 == 0 }") { canvas in
      let (even, odd) = canvas.numbers("-1-2-3-4-|").partition { $0 % 2 == 0 }
      canvas.subscribe(even, name: "matches")
      canvas.subscribe(odd, name: "others")
    },
    DiagramEntry("toggle", "toggle()") { $0.letters("-'true'---'false'---|").map { $0 == "true" }.toggle() },
    DiagramEntry("setOutputType", "setOutputType(to: Int.self)") {
      $0.letters("------|").ignoreOutput().setOutputType(to: Int.self)
    },
    // The second value arrives while the publisher of the first is still sending.
    DiagramEntry("flatMapFirst", "flatMapFirst { other }") { canvas in
      let source = canvas.cold("-a--b----c------|")
      let other = canvas.cold("-x-y-|")
      return source.flatMapFirst { _ in other }
    },
  ]
}
