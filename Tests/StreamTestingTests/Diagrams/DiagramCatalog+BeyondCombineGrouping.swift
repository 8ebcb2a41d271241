import StreamTesting
import Streams

extension DiagramCatalog {
  static let beyondCombineGrouping: [DiagramEntry] = [
    // The array that is full does not wait for its boundary; a boundary that finds nothing sends nothing.
    DiagramEntry("buffer-by", "values.buffer(by: boundaries, maxCount: 3)") { canvas in
      let values = canvas.letters("-ab--cdef---g-|")
      let boundaries = canvas.letters("---x------xx")
      return values.buffer(by: boundaries, maxCount: 3).map { $0.joined() }
    }
  ]
}
