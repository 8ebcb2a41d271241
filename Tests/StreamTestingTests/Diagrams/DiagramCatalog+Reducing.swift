import StreamSchedulers
import StreamTesting
import Streams

extension DiagramCatalog {
  static let reducing: [DiagramEntry] = [
    DiagramEntry("reduce", "reduce(0) { $0 + $1 }") { $0.numbers("-1--2--3--|").reduce(0) { $0 + $1 } },
    DiagramEntry("count", "count()") {
      $0.letters("-a--b---|").traced(.all) { $0.count() }
    },
    DiagramEntry("max", "max()") { $0.numbers("-1--3--2--|").max() },
    DiagramEntry("min", "min()") { $0.numbers("-2--1--3--|").min() },
    DiagramEntry("collect", "collect()") { $0.numbers("-1--2--|").collect() },
    // The remaining values are published on completion.
    DiagramEntry("collect-count", "collect(2)") { $0.numbers("-1--2---3--|").collect(2) },
    // An interval without values publishes nothing; the remaining values are published on completion.
    DiagramEntry("collect-byTime", "collect(.byTime(queue, 300 ms))") {
      $0.numbers("-12-3----4-5|").collect(.byTime($0.scheduler, $0.frames(3)))
    },
    // A full array is published immediately.
    DiagramEntry("collect-byTimeOrCount", "collect(.byTimeOrCount(queue, 400 ms, 2))") {
      $0.numbers("-12-3----4-5|").collect(.byTimeOrCount($0.scheduler, $0.frames(4), 2))
    },
    DiagramEntry("contains", "contains(3)") {
      $0.numbers("-1--2--3--4-|").traced(.all) { $0.contains(3) }
    },
    DiagramEntry("contains-where", "contains(where: { $0 > 3 })") {
      $0.numbers("-1--2--3--|").traced(.all) { $0.contains(where: { $0 > 3 }) }
    },
    DiagramEntry("allSatisfy", "allSatisfy { $0 < 3 }") {
      $0.numbers("-1--2--3--4-|").traced(.all) { $0.allSatisfy { $0 < 3 } }
    },
    DiagramEntry("ignoreOutput", "ignoreOutput()") { $0.numbers("-1--2--|").ignoreOutput() },
  ]

  static let throwingReducers: [DiagramEntry] = [
    DiagramEntry("tryReduce", "tryReduce(0) { try $0 + number($1) }") {
      $0.cold("-1--2--x--3|").tryReduce(0) { (sum: Number, text: Text) in try sum + number(text) }
    },
    DiagramEntry("tryMax", "tryMax { try number($0) < number($1) }") {
      $0.cold("-1--2--x--3|").tryMax { try number($0) < number($1) }
    },
    DiagramEntry("tryMin", "tryMin { try number($0) < number($1) }") {
      $0.cold("-2--1--x--3|").tryMin { try number($0) < number($1) }
    },
    DiagramEntry("tryContains", "tryContains(where: { try number($0) > 2 })") {
      $0.cold("-1--2--x--3|").traced(.all) { $0.tryContains(where: { try number($0) > 2 }) }
    },
    DiagramEntry("tryAllSatisfy", "tryAllSatisfy { try number($0) < 3 }") {
      $0.cold("-1--2--x--3|").traced(.all) { $0.tryAllSatisfy { try number($0) < 3 } }
    },
  ]
}
