import StreamAlgorithms
import StreamTesting
import Streams

extension DiagramCatalog {
  static let beyondCombineCombining: [DiagramEntry] = [
    // The first value has no counterpart and is dropped; a new letter alone publishes nothing.
    DiagramEntry("withLatest", "numbers.withLatest(from: letters)") { canvas in
      let numbers = canvas.letters("-1---2-3---4|", name: "numbers")
      let letters = canvas.letters("---a----b-|", name: "letters")
      return numbers.withLatest(from: letters) { $0 + $1 }
    },
    // The second publisher sends first, so the other is cancelled.
    DiagramEntry("race", "first.race(with: second)") { canvas in
      let first = canvas.cold("---a-b-|", name: "first")
      let second = canvas.cold("--x--y-z|", name: "second")
      return first.race(with: second)
    },
    DiagramEntry("zip-many", "[a, b, c].zip()") { canvas in
      let a = canvas.letters("-1---2---|", name: "a")
      let b = canvas.letters("--3---4----|", name: "b")
      let c = canvas.letters("-5-6-------|", name: "c")
      return [a, b, c].zip().map { $0.joined() }
    },
    DiagramEntry("combineLatest-many", "[a, b, c].combineLatest()") { canvas in
      let a = canvas.letters("-1---2---|", name: "a")
      let b = canvas.letters("--3---4--|", name: "b")
      let c = canvas.letters("---5-----|", name: "c")
      return [a, b, c].combineLatest().map { $0.joined() }
    },
  ]
}
