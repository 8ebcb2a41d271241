import StreamAlgorithms
import StreamTesting
import Streams

extension DiagramCatalog {
  static let beyondCombineGrouping: [DiagramEntry] = [
    // A full array does not wait for its boundary; a boundary without values publishes nothing.
    DiagramEntry("buffer-by", "values.buffer(by: boundaries, maxCount: 3)") { canvas in
      let values = canvas.letters("-ab--cdef---g-|", name: "values")
      let boundaries = canvas.letters("---x------xx", name: "boundaries")
      return values.buffer(by: boundaries, maxCount: 3).map { $0.joined() }
    },
    // A window opens with its first value; there are no empty windows.
    DiagramEntry("window", "values.window(by: boundaries)") { canvas in
      let values = canvas.letters("-ab----cd-e-|", name: "values")
      let boundaries = canvas.letters("---x-x---x", name: "boundaries")
      return values.window(by: boundaries, bufferSize: 1).flatMap { $0.collect() }.map { $0.joined() }
    },
    DiagramEntry("groupBy", "groupBy({ $0.first }).flatMap { $0.scan(…) }") { canvas in
      canvas.letters("-a-b-a-c-b-|").groupBy({ $0 }, maxGroups: 3, bufferSize: 1)
        .flatMap { group in group.scan(0) { count, _ in count + 1 }.map { group.key + Text("\($0)") } }
    },
  ]
}
