import Foundation
import StreamAlgorithms
import Testing

/// Each row of the tables of differences in the article "From Combine", and the tests that show it.
struct DifferencesTests {
  private static let tests: [String: [String]] = [
    "`send` from inside a delivery": [
      "a value sent while another is being delivered comes after it for every subscriber, unlike Combine"
    ],
    "`send` from several threads at the same time": [
      "no thread delivers the values of a subject indefinitely",
      "handing delivery over between threads loses no value, and deliveries never overlap",
    ],
    "Values requested in `receive(subscription:)`": [
      "values requested in receive(subscription:) come after it returns, unlike Combine"
    ],
    "`cancel()` in `receive(subscription:)`, after the publisher has ended": [
      "a completed publisher sends nothing if it is cancelled in receive(subscription:), unlike Combine"
    ],
    "Subscribers of a subject": ["serves subscribers in the order in which they subscribed, unlike Combine"],
    "`cancel()` before the subscription has arrived": [
      "remembers a cancellation before the subscription arrives, unlike Combine"
    ],
    "`cancel()` while values are waiting in `delay` or `receive(on:)`": [
      "cancellation drops pending values, even after upstream has finished"
    ],
    "`subscribe(on:)`, if you cancel it before the scheduler runs its work": [
      "never subscribes to upstream if it is cancelled before the scheduler begins"
    ],
    "A cancelled `delay`, `debounce`, `timeout` …": [
      "has nothing scheduled after cancellation, unlike Combine",
      "work that is left in a scheduler after a cancellation does not retain the subscriber",
    ],
    "The subscription of `catch`, `tryCatch`, `retry`, `replaceError`, `combineLatest`, `prefix(untilOutputFrom:)`, `receive(on:)`, `debounce`, `throttle`, `timeout` and `collect(.byTime(…))`":
      [
        "operators that may have a signal of their own to deliver pass their subscription on before they subscribe"
      ],
    "`append`, if the first publisher finishes while it's being subscribed to": [
      "append subscribes to what follows when the call that subscribed to the first publisher has returned"
    ],
    "What a publisher sends after its completion, and a second subscription": [
      "signals after a completion are dropped, and a second subscription is cancelled"
    ],
    "A subscriber that its publisher releases without a completion": [
      "a subscriber that its publisher releases without a completion is released with its subscription"
    ],
    "`autoconnect`, if a subscriber arrives while it's connecting, for example because `receive(subscription:)` attaches another one":
      [
        "autoconnect connects once if a subscriber arrives while it is connecting"
      ],
    "Values that a publisher sends without a request": [
      "values that weren't requested wait for a request where values can wait"
    ],
    "The demand of `collect(.byTime(…))`": [
      "collect(.byTime) requests unlimited demand with the first request for an array, and keeps others"
    ],
    "A `Demand` that is decoded from a number above 2⁶³": [
      "a demand isn't decoded from a number above that of unlimited demand"
    ],
    "The actions of `timeout` and `throttle`": [
      "timeout and throttle have one timer, which is armed again"
    ],
    "`Timer.publish` without a tolerance": [
      "a timer without a tolerance has the smallest one"
    ],
    "The distance between a dispatch time and `.distantFuture`": [
      "the distance to the distant future is the longest"
    ],
    "`debounce`, `receive(on:)`, `delay`": [
      "arms one action for any number of values, unlike Combine, which schedules one for each",
      "receive(on:) has one action scheduled, and delay one for each date",
    ],
    "Values that a publisher sends before its subscription": [
      "values that a publisher sends before its subscription pass"
    ],
    "`cancel()` of `flatMap` and `switchToLatest`": [
      "flatMap and switchToLatest cancel the outer publisher before the inner ones, which come in their order"
    ],
    "A failure in `flatMap` or `zip`": ["a failure cancels all other publishers before it arrives"],
    "A stream that has ended, while its subscription is retained": [
      "a stream that has ended or was cancelled retains no closures"
    ],
    "Further demand after a value, in `append`, `buffer(.keepFull)`, `catch`, `drop(untilOutputFrom:)`, `flatMap`, `prefix(untilOutputFrom:)`, `prepend`, `replaceError`, `subscribe(on:)`, `switchToLatest`":
      [
        "further demand after a value arrives as a request",
        "measureInterval returns the demand that its subscriber returns",
      ],
    "Requests made by `dropFirst(n)` and `ignoreOutput`": [
      "dropFirst requests what it drops separately", "ignoreOutput requests unlimited demand only",
    ],
    "Demand returned for an array that the timer of `collect(.byTimeOrCount(…))` delivers": [
      "demand returned for an array that a timer delivers counts"
    ],
    "A subscriber of `objectWillChange` that requests one value": [
      "a subscriber of objectWillChange that requests one value receives one"
    ],
    "`print` after the completion or a cancellation": [
      "prints nothing after the completion, unlike Combine", "prints nothing after a cancellation, unlike Combine",
    ],
    "`output(in:)` on a publisher with a single value": [
      "output(in:) of one value takes it if the range contains position zero"
    ],
    "`output(at: .max)`, or `output(in:)` with a range that ends at `Int.max`": [
      "ranges and counts up to the largest integer have no end"
    ],
    "`receive(on:)` with a concurrent queue": ["is serial and in order on a concurrent queue, unlike Combine"],
    "`buffer` when upstream fails": ["a failure waits for the buffered values"],
    "The completion of a `buffer`": ["a normal completion waits for the buffered values"],
    "`buffer(.keepFull)`, once unlimited demand has been requested": [
      "keepFull requests unlimited demand when demand is unlimited"
    ],
    "`prefix(_:)`, `output(at:)`, `output(in:)`": [
      "finishes together with the last value, not one value later",
      "in a range finishes together with its last value",
      "at a position publishes that value, cancels upstream and finishes",
      "in an empty range finishes without a request",
    ],
    "`replaceEmpty`": ["holds the value until it is requested"],
    "`zip` when `receive(_:)` returns demand": ["forwards demand to both"],
    "Values that `drop(untilOutputFrom:)` drops": ["drop requests another value for each dropped one"],
    "The other publisher of `drop(untilOutputFrom:)`, `prefix(untilOutputFrom:)`": [
      "drop drops values until the other publishes one, then cancels the other",
      "prefix publishes values until the other publishes one, then cancels both and finishes",
    ],
    "`throttle` with limited demand": ["requests unlimited demand and keeps to downstream's demand"],
    "`share()` when it connects again": ["requests nothing after a reconnection before its subscriber does"],
    "All forms of `first`, `last`, `min` and `max`, when there is no value": [
      "operators that may publish no value finish without a request if there is none"
    ],
    "`flatMap(maxPublishers:)` when a publisher has finished": [
      "subjects that finish before their values are requested count as active"
    ],
    "Operators on a sequence's publisher": ["runs side effects on demand only, unlike Combine"],
    "The completion of a lazy sequence, or of one that isn't a collection": [
      "the end of a lazy sequence comes with the request after its last element"
    ],
    "`count`, `reduce`, `contains`, `allSatisfy` on an optional's publisher, if the optional is `nil`": [
      "collect, count and reduce publish a result even without a value",
      "contains publishes a result even without a value",
      "allSatisfy publishes a result even without a value",
    ],
    "`ignoreOutput` on a `Result`'s publisher": ["ignoreOutput keeps the failure, unlike Combine"],
    "`a.$x = b.$x` for objects' properties": [
      "takes the value of another property's publisher, and stays independent of it"
    ],
    "`Demand` arithmetic that gives a result below zero, or beyond `Int.max` because of a negative number": [
      "arithmetic", "every operator agrees with exact arithmetic",
    ],
    "`print(_:to:)`": ["writes a whole line at once, unlike Combine"],
    "Two tasks that await values from the same iterator of `values`": [
      "two tasks that await one iterator stop the program with a message"
    ],
    "The type `ImmediateScheduler`": ["the shared scheduler needs no explicit types"],
    "The time types of `RunLoop` and `OperationQueue`": [
      "a protocol is given to the times of run loops and operation queues at once"
    ],
    "Types that Combine lacks, such as `ReplaySubject`, `CurrentValueRelay`, `RetryPolicy`, `Observed`, `TestScheduler`":
      [
        "a type of the program hides one of the library, which has a qualified name"
      ],
    "`Timer(…)` and `Timer.scheduledTimer(…)` in your own extension of `Publishers`": [
      "a call of Timer in an extension of Publishers is of the timer of schedulers, and a type is Foundation's",
      "a program's own Publishers.Timer is found everywhere",
    ],
    "Your own function `merge`, `race`, `combineLatest`, `timer` or `measure`, called in an extension of a collection or a scheduler":
      [
        "extensions of collections call the function zip",
        "a function that a method hides has a qualified name",
      ],
    "Awaiting `Future.value`": [
      "value throws when the task is cancelled, unlike Combine, which waits forever"
    ],
    "A mistake that stops the program (`prefix(-1)`, `collect(0)` …)": [
      "prefix with a negative count", "collect with a count of zero",
    ],
    "Operators that can be fused, such as `map` after `map`": [
      "two operators of one kind are two, unless their type is required"
    ],
    "`request(.none)`": ["a request of none is ignored, and reported once in a debug build"],
    "`buffer(size: 0, …)`": ["a buffer of size zero passes requested values only"],
    "The subscription of an operator that buffers, delays, follows (`append`, `prepend`) or combines (`zip`)": [
      "an operator's subscription precedes that of its upstream, except for buffer",
      "buffer passes its subscription downstream even if upstream has sent none",
      "append and prepend pass their subscription on before they subscribe",
      "zip passes its subscription on before it subscribes, and requests values one publisher after the other",
    ],
    "`flatMap(maxPublishers: .none)`": ["flatMap with maxPublishers of none"],
    "Infinite times": ["operators treat an infinite interval as one that never elapses"],
    "Repeating work when an `OperationQueue` cancels all operations": [
      "cancelAllOperations ends repeated work"
    ],
    "`sink` and `assign` on an actor": [
      "a value that arrives elsewhere is delivered on the actor, in order",
      "a published property is assigned on the main actor",
    ],
    "An overload of `sink` or `assign` that you add, with another parameter that has a default value, such as `assign(to:on:ownership:)`":
      [
        "overloads with a parameter that has a default value call the operators"
      ],
    "`values` of a publisher that can fail": [
      "throws a failure after all buffered values", "functions that rethrow take values that may fail",
    ],
    "A file that imports Foundation but not Combine": ["testPublishersOfAFileThatImportsFoundationAlone"],
    "Timers": [
      "cancellation by one subscriber does not affect the others",
      "each subscriber has its own demand, and one subscriber's cancellation does not affect the others",
      "an interval of zero or less is reported and never ticks",
    ],
    "`collect(.byTime(…))` while nothing arrives": [
      "arms one action for any number of values, and none without values"
    ],
    "`breakpoint`, `breakpointOnError` in a release build": [
      "calls closures before the signal is forwarded, and continues when they return false",
      "breakpointOnError stops at a failure",
    ],
  ]

  @Test func `each row of the tables has its tests`() throws {
    let root = URL(fileURLWithPath: #filePath).appending(path: "../../../..").standardized
    let article = try String(
      contentsOf: root.appending(path: "Sources/Streams/Streams.docc/FromCombine.md"), encoding: .utf8)
    let lines = article.split(separator: "\n", omittingEmptySubsequences: false)
    let headers = lines.indices.filter { lines[$0].hasPrefix("| | Combine | Streams |") }
    let rows = headers.flatMap { header in lines[(header + 2)...].prefix { $0.hasPrefix("|") } }
      .map { $0.split(separator: "|")[0].trimmingCharacters(in: .whitespaces) }

    #expect(headers.count == 5)
    #expect(rows.count == Set(rows).count)
    #expect(Set(rows) == Set(Self.tests.keys))
    let files = try #require(
      FileManager.default.enumerator(at: root.appending(path: "Tests"), includingPropertiesForKeys: nil))
    var functions: Set<Substring> = []
    for file in files.compactMap({ $0 as? URL }) where file.pathExtension == "swift" && !file.path.contains(".build") {
      let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
      for part in text.components(separatedBy: "func ").dropFirst() {
        functions.insert(part.first == "`" ? part.dropFirst().prefix { $0 != "`" } : part.prefix { $0 != "(" })
      }
    }
    for name in Self.tests.values.joined() { #expect(functions.contains("\(name)"), "\(name)") }
  }
}
