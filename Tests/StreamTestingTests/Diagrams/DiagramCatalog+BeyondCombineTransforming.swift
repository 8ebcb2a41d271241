import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams

extension DiagramCatalog {
  static let beyondCombineTransforming: [DiagramEntry] = [
    DiagramEntry("pairwise", "pairwise()") { $0.numbers("-1--2---3--|").pairwise() },
    DiagramEntry("nwise", "nwise(3)") {
      $0.numbers("-1--2--3---4---|").nwise(3)
    },
    // The third 1 is published because 1 is no longer remembered.
    DiagramEntry("distinct", "distinct(remembering: 2)") { $0.numbers("-1-2-1-3-1-|").distinct(remembering: 2) },
    DiagramEntry("distinct-by", #"distinct(by: \.first, remembering: 2)"#) {
      $0.letters("-'ant'--'bee'--'ape'--'cat'-|").distinct(by: \.first, remembering: 2)
    },
    // The incomplete chunk is published on completion.
    DiagramEntry("chunked-by", "chunked(maxCount: 10) { $1 == $0 + 1 }") {
      $0.numbers("-1-2--4-5--9--|").chunked(maxCount: 10) { $1 == $0 + 1 }
    },
    DiagramEntry("chunked-on", #"chunked(maxCount: 100, on: \.first)"#) {
      $0.letters("-'ant'--'ape'--'bee'---|").chunked(maxCount: 100, on: { $0.value.prefix(1) })
        .map { key, words in words.joined(separator: " ").map { "\(key): \($0)" } }
    },
    DiagramEntry("enumerated", "enumerated()") {
      $0.letters("-a----b---|").enumerated().map { pair in pair.element.map { "\(pair.offset) \($0)" } }
    },
    .subscribers("partition", "partition { $0 % 2 == 0 }") { canvas in
      let (even, odd) = canvas.numbers("-1-2-3-4-|").partition { $0 % 2 == 0 }
      canvas.subscribe(even, name: "even")
      canvas.subscribe(odd, name: "odd")
    },
    DiagramEntry("toggle", "toggle()") {
      $0.letters("-'true'---'false'---|").traced(.latest) { $0.map { $0 == "true" }.toggle() }
    },
    DiagramEntry("setOutputType", "setOutputType(to: Int.self)") {
      $0.letters("------|").ignoreOutput().setOutputType(to: Int.self)
    },
    // The second value arrives while the publisher of the first is still sending.
    DiagramEntry("flatMapFirst", "flatMapFirst { save($0) }") { canvas in
      let source = canvas.cold("-a--b----c------|", name: "source")
      return source.flatMapFirst { value in
        canvas.cold("-'\(value)1'-'\(value)2'-|", name: "save(\(value))", from: value)
      }
    },
  ]
}
