import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams

extension DiagramCatalog {
  static let combining: [DiagramEntry] = [
    // The letters are exhausted before the numbers, so the stream completes without using 3.
    DiagramEntry("zip", "numbers.zip(letters)") { canvas in
      let numbers = canvas.letters("-12-----3-|", name: "numbers")
      let letters = canvas.letters("---a-b-|", name: "letters")
      return numbers.zip(letters) { $0 + $1 }
    },
    // One publisher continues after the other has finished.
    DiagramEntry("combineLatest", "numbers.combineLatest(letters)") { canvas in
      let numbers = canvas.letters("-1----2--3-|", name: "numbers")
      let letters = canvas.letters("---a-b-|", name: "letters")
      return numbers.combineLatest(letters) { $0 + $1 }
    },
    DiagramEntry("merge", "first.merge(with: second)") { canvas in
      let first = canvas.letters("-a---b-|", name: "first")
      let second = canvas.letters("--x-y---z-|", name: "second")
      return first.merge(with: second)
    },
    // The second publisher is subscribed to only when the first has finished.
    DiagramEntry("append", "first.append(second)") { canvas in
      let first = canvas.coldNumbers("-1-2-|", name: "first")
      let second = canvas.coldNumbers("-3-4-|", name: "second")
      return first.append(second)
    },
    DiagramEntry("prepend", "first.prepend(second)") { canvas in
      let second = canvas.coldNumbers("-1-2-|", name: "second")
      let first = canvas.coldNumbers("-3-4-|", name: "first")
      return first.prepend(second)
    },
  ]

  static let flattening: [DiagramEntry] = [
    // The inner publishers run concurrently, and the last one completes the stream.
    DiagramEntry("flatMap", "flatMap { load($0) }") { canvas in
      let ids = canvas.letters("-a-b--|", name: "ids")
      return ids.flatMap { id in canvas.cold("'\(id)1'--'\(id)2'--'\(id)3'|", name: "load(\(id))", from: id) }
    },
    // The second publisher waits for completion of the first.
    DiagramEntry("flatMap-maxPublishers", "flatMap(maxPublishers: .max(1)) { load($0) }") { canvas in
      let ids = canvas.cold("-a--b-|", name: "ids")
      return ids.flatMap(maxPublishers: .max(1)) { id in
        canvas.cold("'\(id)1'--'\(id)2'--|", name: "load(\(id))", from: id)
      }
    },
    // The previous publisher is cancelled when a new one arrives.
    DiagramEntry("switchToLatest", "map { search($0) }.switchToLatest()") { canvas in
      let queries = canvas.letters("-a--b-|", name: "queries")
      return queries.map { query in canvas.cold("-'\(query)1'--'\(query)2'--|", name: "search(\(query))", from: query) }
        .switchToLatest()
    },
    // The second result arrives first.
    DiagramEntry("flatMap-maxTasks", "flatMap(maxTasks: 2) { await load($0) }") { canvas in
      let scheduler = canvas.scheduler
      return canvas.cold("-a-b-c-|").flatMap(maxTasks: 2, on: scheduler) { id in
        try? await scheduler.sleep(for: .milliseconds(id == "a" ? 500 : 200))
        return id + "1"
      }
    },
    // The second result waits for the first.
    DiagramEntry("map-maxTasks", "map(maxTasks: 2) { await load($0) }") { canvas in
      let scheduler = canvas.scheduler
      return canvas.cold("-a-b-c-|").map(maxTasks: 2, on: scheduler) { id in
        try? await scheduler.sleep(for: .milliseconds(id == "a" ? 500 : 200))
        return id + "1"
      }
    },
    // The second task waits for the first, which has the same key; the third does not, but its result waits for theirs.
    DiagramEntry("map-maxTasks-by", "map(maxTasks: 3, by: { $0.lowercased() }) { await load($0) }") { canvas in
      let scheduler = canvas.scheduler
      return canvas.cold("-a-A-b-|").map(maxTasks: 3, by: { $0.value.lowercased() }, on: scheduler) { id in
        try? await scheduler.sleep(for: .milliseconds(id == "a" ? 500 : 200))
        return id + "1"
      }
    },
    // The second task waits for the first, which has the same key.
    DiagramEntry("flatMap-maxTasks-by", "flatMap(maxTasks: 3, by: { $0.lowercased() }) { await load($0) }") { canvas in
      let scheduler = canvas.scheduler
      return canvas.cold("-a-A-b-|").flatMap(maxTasks: 3, by: { $0.value.lowercased() }, on: scheduler) { id in
        try? await scheduler.sleep(for: .milliseconds(id == "a" ? 500 : 200))
        return id + "1"
      }
    },
    // The second task is cancelled when the third value arrives.
    DiagramEntry("flatMapLatest", "flatMapLatest { await search($0) }") { canvas in
      let scheduler = canvas.scheduler
      return canvas.letters("-a----b-c-|").flatMapLatest(on: scheduler) { query in
        try? await scheduler.sleep(for: 0.3)
        return query + "1"
      }
    },
  ]
}
