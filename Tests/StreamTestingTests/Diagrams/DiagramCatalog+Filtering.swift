import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams

extension DiagramCatalog {
  static let filtering: [DiagramEntry] = [
    DiagramEntry("filter", "filter { $0 > 1 }") { $0.numbers("-1--2--3-|").filter { $0 > 1 } },
    DiagramEntry("compactMap", "compactMap { Int($0) }") {
      $0.letters("-1--x--|").compactMap { $0.compactMap { Int($0) } }
    },
    DiagramEntry("removeDuplicates", "removeDuplicates()") { $0.numbers("-1-1-2-1-|").removeDuplicates() },
    DiagramEntry("first", "first()") { $0.numbers("--1--2--|").first() },
    DiagramEntry("first-where", "first(where: { $0 > 1 })") { $0.numbers("--1--2--3-|").first(where: { $0 > 1 }) },
    // The last value is known only on completion.
    DiagramEntry("last", "last()") { $0.numbers("-1--2---|").last() },
    DiagramEntry("last-where", "last(where: { $0 < 3 })") { $0.numbers("-1--2--3--|").last(where: { $0 < 3 }) },
    DiagramEntry("dropFirst", "dropFirst()") { $0.numbers("-1-2-3-|").dropFirst() },
    // The predicate is not called again: the last value is published although it is small.
    DiagramEntry("drop-while", "drop(while: { $0 < 3 })") { $0.numbers("-1-2-3-1-|").drop(while: { $0 < 3 }) },
    DiagramEntry("drop-untilOutputFrom", "drop(untilOutputFrom: start)") { canvas in
      let values = canvas.letters("-a-b-c-d-|", name: "values")
      let start = canvas.cold("----x--y|", name: "start")
      return values.drop(untilOutputFrom: start)
    },
    // The stream finishes together with the second value, not with the third.
    DiagramEntry("prefix", "prefix(2)") { $0.numbers("-1--2--3-|").prefix(2) },
    DiagramEntry("prefix-while", "prefix(while: { $0 < 3 })") { $0.numbers("-1-2-3-1-|").prefix(while: { $0 < 3 }) },
    DiagramEntry("prefix-untilOutputFrom", "prefix(untilOutputFrom: stop)") { canvas in
      let values = canvas.letters("-a-b-c-d-|", name: "values")
      let stop = canvas.cold("----x--y|", name: "stop")
      return values.prefix(untilOutputFrom: stop)
    },
    // What was sent before the stop passes.
    DiagramEntry("finish-when", "finish(when: stop).delay(for: 0.3, scheduler: queue)") { canvas in
      let values = canvas.letters("-a-b-c-d-|", name: "values")
      let stop = canvas.cold("----x--y|", name: "stop")
      return values.finish(when: stop).delay(for: 0.3, scheduler: canvas.scheduler)
    },
    // The second value is still delayed when the time is up.
    DiagramEntry("drain", "drain(when: stop, within: 0.2, scheduler: queue) { $0.delay(for: 0.4, scheduler: queue) }") {
      canvas in
      let scheduler = canvas.scheduler
      let values = canvas.letters("-a-b-c-d-|", name: "values")
      let stop = canvas.cold("----x--y|", name: "stop")
      return values.drain(when: stop, within: 0.2, scheduler: scheduler) {
        $0.delay(for: 0.4, scheduler: scheduler)
      } lost: { _ in
      }
    },
    DiagramEntry("output-at", "output(at: 1)") { $0.letters("-a--b--c-|").output(at: 1) },
    DiagramEntry("output-in", "output(in: 1...2)") { $0.numbers("-1-2-3-4-|").output(in: 1...2) },
  ]

  static let throwingFilters: [DiagramEntry] = [
    DiagramEntry("tryFilter", "tryFilter { try number($0) > 1 }") {
      $0.cold("-1--2--x--3|").tryFilter { try number($0) > 1 }
    },
    DiagramEntry("tryCompactMap", "tryCompactMap { try odd($0) }") { canvas in
      func odd(_ text: Text) throws -> Number? {
        let number = try number(text)
        return number % 2 == 0 ? nil : number
      }
      return canvas.cold("-1--2--x--3|").tryCompactMap { try odd($0) }
    },
    DiagramEntry("tryRemoveDuplicates", "tryRemoveDuplicates { try number($0) == number($1) }") {
      $0.cold("-1-1-2-x-3|").tryRemoveDuplicates { try number($0) == number($1) }
    },
    DiagramEntry("tryFirst", "tryFirst(where: { try number($0) > 2 })") {
      $0.cold("-1--2--x--3|").tryFirst(where: { try number($0) > 2 })
    },
    DiagramEntry("tryLast", "tryLast(where: { try number($0) < 3 })") {
      $0.cold("-1--2--x--3|").tryLast(where: { try number($0) < 3 })
    },
    DiagramEntry("tryDrop", "tryDrop(while: { try number($0) < 3 })") {
      $0.cold("-1--2--x--3|").tryDrop(while: { try number($0) < 3 })
    },
    DiagramEntry("tryPrefix", "tryPrefix(while: { try number($0) < 3 })") {
      $0.cold("-1--2--x--3|").tryPrefix(while: { try number($0) < 3 })
    },
  ]
}
