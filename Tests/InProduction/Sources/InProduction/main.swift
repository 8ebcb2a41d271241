import Dispatch
import Glibc
import StreamSchedulers
import Streams

// A small program: a debounce on a queue, and a sink on the main actor.
let queries = PassthroughSubject<String, Never>()
let background = DispatchQueue(label: "background").eraseToAnyScheduler()

let settled =
  queries
  .debounce(for: .milliseconds(1), scheduler: background)
  .map { "\($0), settled" }
  .sink {
    print($0)
    exit(0)
  }
queries.send("hello")
dispatchMain()
