import Dispatch
import StreamAlgorithms
import StreamTesting
import Testing

/// Correct operators and models of the kind that apps have, with the properties that their authors would claim.
@Suite struct NaturalPropertyTests {
  typealias Stride = DispatchQueue.SchedulerTimeType.Stride
  typealias AnyQueue = AnySchedulerOf<DispatchQueue>

  /// A value of a source, with its time and that of the next value.
  struct Occurrence<Value> {
    let time: Stride
    let value: Value
    let next: Stride?

    func isFollowed(within interval: Stride) -> Bool { next.map { $0 - time <= interval } ?? false }
  }

  private func occurrences<Value>(in source: HotPublisher<Value, Never, Stride>) -> [Occurrence<Value>] {
    let values = source.events.compactMap { event in event.value.map { (time: event.time, value: $0) } }
    return values.indices.map { index in
      Occurrence(
        time: values[index].time, value: values[index].value,
        next: index + 1 < values.count ? values[index + 1].time : nil)
    }
  }

  // MARK: Search and requests

  final class Search {
    private(set) var queries: [String] = []
    private var cancellable: AnyCancellable?

    init(typing: some Publisher<String, Never>, scheduler: AnyQueue) {
      cancellable = typing.debounce(for: .milliseconds(300), scheduler: scheduler)
        .sink { [weak self] in self?.queries.append($0) }
    }
  }

  @Test func `a search starts for each text that stays for 300 milliseconds`() {
    checkTimelines(of: .letters.ending(.never)) { scheduler, typing in
      let search = Search(typing: typing, scheduler: scheduler.eraseToAnyScheduler())
      scheduler.run()
      #expect(
        search.queries
          == occurrences(in: typing).filter { !$0.isFollowed(within: .milliseconds(300)) }.map(\.value))
    }
  }

  @Test func `an answer is shown unless another request was sent before it arrived`() {
    checkTimelines(of: .letters, .delays) { scheduler, requests, delays in
      var waits: [Stride] = []
      let answers = scheduler.record(
        requests.flatMapLatest { request in
          let wait = delays.next()
          waits.append(wait)
          return Just(request).delay(for: wait, scheduler: scheduler)
        })
      scheduler.run()
      answers.expect(
        values: zip(occurrences(in: requests), waits).filter { !$0.isFollowed(within: $1) }.map(\.0.value))
      answers.cancel()
    }
  }

  @Test func `a spinner shows while the newest request runs`() {
    checkTimelines(of: .letters, .delays) { scheduler, requests, delays in
      var waits: [Stride] = []
      let isLoading = scheduler.record(
        requests.flatMapLatest { _ in
          let wait = delays.next()
          waits.append(wait)
          return Just(false).delay(for: wait, scheduler: scheduler).prepend(true)
        }
        .prepend(false)
        .removeDuplicates())
      scheduler.run()

      var expected = [false]
      for (request, wait) in zip(occurrences(in: requests), waits) {
        if expected.last == false { expected.append(true) }
        if !request.isFollowed(within: wait) { expected.append(false) }
      }
      isLoading.expect(values: expected)
      isLoading.cancel()
    }
  }

  @Test func `at most two downloads run at once, and all of them end`() {
    checkTimelines(of: .letters, .delays) { scheduler, files, delays in
      var (running, most) = (0, 0)
      let done = scheduler.record(
        files.buffer(size: .max, prefetch: .keepFull, whenFull: .dropNewest)
          .flatMap(maxPublishers: .max(2)) { file in
            running += 1
            most = max(most, running)
            return Just(file).delay(for: delays.next(), scheduler: scheduler)
              .handleEvents(receiveOutput: { _ in running -= 1 })
          })
      scheduler.run()
      #expect(most <= 2)
      #expect(done.values.sorted() == occurrences(in: files).map(\.value).sorted())
      done.cancel()
    }
  }

  struct Unavailable: Error {}

  private func retrying<P: Publisher>(
    _ publisher: P, _ times: Int, after interval: Stride, on scheduler: TestSchedulerOf<DispatchQueue>
  ) -> AnyPublisher<P.Output, P.Failure> {
    guard times > 0 else { return publisher.eraseToAnyPublisher() }
    return publisher.catch { _ in
      Just(()).delay(for: interval, scheduler: scheduler)
        .setFailureType(to: P.Failure.self)
        .flatMap { retrying(publisher, times - 1, after: interval, on: scheduler) }
    }
    .eraseToAnyPublisher()
  }

  @Test func `a request is repeated up to three times, two seconds after each failure`() {
    checkTimelines(of: .value(of: [0, 1, 2, 3, 4, 5]), .delays) { scheduler, failures, delays in
      var waits: [Stride] = []
      let request = Deferred {
        let wait = delays.next()
        waits.append(wait)
        let attempt = waits.count
        return Just("page").delay(for: wait, scheduler: scheduler)
          .tryMap { page in
            if attempt <= failures { throw Unavailable() }
            return page
          }
      }
      let page = scheduler.record(retrying(request, 3, after: .seconds(2), on: scheduler))
      scheduler.run()

      #expect(waits.count == min(failures, 3) + 1)
      page.expect(values: failures <= 3 ? ["page"] : [])
      let end = waits.reduce(.zero, +) + .seconds(2 * min(failures, 3))
      #expect(page.events.last?.time == end)
    }
  }

  // MARK: Pace

  @Test func `a view is refreshed at most once per second, and shows the last value`() {
    checkTimelines(of: .letters) { scheduler, changes in
      let refreshes = scheduler.record(changes.throttle(for: .seconds(1), scheduler: scheduler, latest: true))
      scheduler.run()
      let times = refreshes.events.filter { $0.value != nil }.map(\.time)
      #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= .seconds(1) })
      #expect(times.first == occurrences(in: changes).first?.time)
      #expect(refreshes.values.last == occurrences(in: changes).last?.value)
      refreshes.cancel()
    }
  }

  final class Taps {
    private(set) var accepted: [String] = []
    private var last: DispatchQueue.SchedulerTimeType?
    private var cancellable: AnyCancellable?

    init(_ taps: some Publisher<String, Never>, scheduler: AnyQueue) {
      cancellable = taps.sink { [weak self] tap in
        guard let self else { return }
        if let last, last.distance(to: scheduler.now) < .milliseconds(500) { return }
        last = scheduler.now
        accepted.append(tap)
      }
    }
  }

  @Test func `a tap counts if none has counted in the last 500 milliseconds`() {
    checkTimelines(of: .letters) { scheduler, taps in
      let model = Taps(taps, scheduler: scheduler.eraseToAnyScheduler())
      scheduler.run()

      var accepted: [Occurrence<String>] = []
      for tap in occurrences(in: taps) {
        if let last = accepted.last, tap.time - last.time < .milliseconds(500) { continue }
        accepted.append(tap)
      }
      #expect(model.accepted == accepted.map(\.value))
    }
  }

  final class Clicks {
    private(set) var seen: [String] = []
    private var timer: AnyCancellable?
    private var cancellable: AnyCancellable?

    init(_ clicks: some Publisher<String, Never>, scheduler: AnyQueue) {
      cancellable = clicks.sink { [weak self] _ in self?.click(scheduler) }
    }

    private func click(_ scheduler: AnyQueue) {
      if timer != nil {
        timer = nil
        seen.append("double")
      } else {
        timer = Just(()).delay(for: .milliseconds(300), scheduler: scheduler).sink { [weak self] in
          self?.timer = nil
          self?.seen.append("single")
        }
      }
    }
  }

  @Test func `two clicks within 300 milliseconds are a double click`() {
    checkTimelines(of: .letters) { scheduler, clicks in
      let model = Clicks(clicks, scheduler: scheduler.eraseToAnyScheduler())
      scheduler.run()

      var expected: [String] = []
      var rest = occurrences(in: clicks)[...]
      while let click = rest.popFirst() {
        let isDouble = click.isFollowed(within: .milliseconds(300))
        if isDouble { rest.removeFirst() }
        expected.append(isDouble ? "double" : "single")
      }
      #expect(model.seen == expected)
    }
  }

  final class Batches {
    private(set) var sent: [[String]] = []
    private var waiting: [String] = []
    private var timer: AnyCancellable?
    private var cancellable: AnyCancellable?

    init(_ items: some Publisher<String, Never>, scheduler: AnyQueue) {
      cancellable = items.sink(
        receiveCompletion: { [weak self] _ in self?.send() },
        receiveValue: { [weak self] in self?.add($0, scheduler) })
    }

    private func add(_ item: String, _ scheduler: AnyQueue) {
      waiting.append(item)
      if waiting.count == 3 {
        send()
      } else if waiting.count == 1 {
        timer = Just(()).delay(for: .seconds(1), scheduler: scheduler).sink { [weak self] in self?.send() }
      }
    }

    private func send() {
      timer = nil
      if !waiting.isEmpty { sent.append(waiting) }
      waiting = []
    }
  }

  @Test func `a batch is sent when it has three items, or a second after its first`() {
    checkTimelines(of: .letters) { scheduler, items in
      let model = Batches(items, scheduler: scheduler.eraseToAnyScheduler())
      scheduler.run()

      var batches: [[Occurrence<String>]] = []
      for item in occurrences(in: items) {
        if let batch = batches.last, let first = batch.first, batch.count < 3, item.time - first.time <= .seconds(1) {
          batches[batches.count - 1].append(item)
        } else {
          batches.append([item])
        }
      }
      #expect(model.sent == batches.map { $0.map(\.value) })
    }
  }

  @Test func `measurements are collected each second`() {
    checkTimelines(of: .letters.ending(.never).within(.seconds(5))) { scheduler, measurements in
      let batches = scheduler.record(measurements.collect(.byTime(scheduler, .seconds(1))))
      scheduler.advance(by: .seconds(6))

      // A value at the end of an interval joins its array if there is one, and otherwise waits for the next end.
      var expected: [Recorded<[String], Never, Stride>] = []
      var (batch, end): ([String], Stride) = ([], .zero)
      func publish() { if !batch.isEmpty { expected.append(.next(at: end, batch)) } }
      for measurement in occurrences(in: measurements) {
        if measurement.time > end {
          publish()
          batch = []
        }
        if batch.isEmpty { end = .seconds(measurement.time.nanoseconds / 1_000_000_000 + 1) }
        batch.append(measurement.value)
      }
      publish()
      batches.expect(expected)
      batches.cancel()
    }
  }

  // MARK: Notices and presence

  final class Toast: ObservableObject {
    @Published private(set) var message: String?

    init(_ messages: some Publisher<String, Never>, scheduler: AnyQueue) {
      messages.flatMapLatest { Just(String?.none).delay(for: .seconds(3), scheduler: scheduler).prepend($0) }
        .assign(to: &$message)
    }
  }

  @Test func `a toast hides after three seconds unless another one replaces it`() {
    checkTimelines(of: .letters) { scheduler, messages in
      let model = Toast(messages, scheduler: scheduler.eraseToAnyScheduler())
      let shown = scheduler.record(model.$message)
      scheduler.run()

      var expected: [Recorded<String?, Never, Stride>] = [.next(at: .zero, nil)]
      for message in occurrences(in: messages) {
        expected.append(.next(at: message.time, message.value))
        if !message.isFollowed(within: .seconds(3)) { expected.append(.next(at: message.time + .seconds(3), nil)) }
      }
      shown.expect(expected)
      shown.cancel()
    }
  }

  final class TypingIndicator: ObservableObject {
    @Published private(set) var isVisible = false

    init(_ keys: some Publisher<String, Never>, scheduler: AnyQueue) {
      keys.flatMapLatest { _ in Just(false).delay(for: .seconds(5), scheduler: scheduler).prepend(true) }
        .assign(to: &$isVisible)
    }
  }

  @Test func `a typing indicator is visible for five seconds after the last key`() {
    checkTimelines(of: .letters, .moment) { scheduler, keys, moment in
      let now = moment ?? .seconds(20)
      let model = TypingIndicator(keys, scheduler: scheduler.eraseToAnyScheduler())
      scheduler.advance(by: now)
      let last = occurrences(in: keys).last { $0.time <= now }
      #expect(model.isVisible == last.map { now - $0.time < .seconds(5) } ?? false)
    }
  }

  final class Vault: ObservableObject {
    @Published private(set) var isLocked = false

    init(activity: some Publisher<String, Never>, scheduler: AnyQueue) {
      activity.map { _ in true }
        .prepend(true)
        .debounce(for: .seconds(60), scheduler: scheduler)
        .first()
        .assign(to: &$isLocked)
    }
  }

  @Test func `a vault locks after a minute without activity`() {
    checkTimelines(of: .letters.ending(.never)) { scheduler, activity in
      let model = Vault(activity: activity, scheduler: scheduler.eraseToAnyScheduler())
      let isLocked = scheduler.record(model.$isLocked)
      scheduler.run()

      var last = Stride.zero
      for event in occurrences(in: activity) where event.time - last <= .seconds(60) { last = event.time }
      isLocked.expect([.next(at: .zero, false), .next(at: last + .seconds(60), true)])
      isLocked.cancel()
    }
  }

  final class Session {
    private(set) var served: [String] = []
    private var lastUse: DispatchQueue.SchedulerTimeType
    private var cancellable: AnyCancellable?

    init(_ requests: some Publisher<String, Never>, scheduler: AnyQueue) {
      lastUse = scheduler.now
      cancellable = requests.sink { [weak self] request in
        guard let self, lastUse.distance(to: scheduler.now) <= .seconds(5) else { return }
        lastUse = scheduler.now
        served.append(request)
      }
    }
  }

  @Test func `a session expires when it has not been used for more than five seconds`() {
    checkTimelines(of: .letters.within(.seconds(30))) { scheduler, requests in
      let model = Session(requests, scheduler: scheduler.eraseToAnyScheduler())
      scheduler.run()

      var last = Stride.zero
      let served = occurrences(in: requests).prefix { request in
        defer { last = request.time }
        return request.time - last <= .seconds(5)
      }
      #expect(model.served == served.map(\.value))
    }
  }

  @Test func `a connection ends when nothing has arrived for five seconds`() {
    checkTimelines(of: .letters.ending(.never)) { scheduler, messages in
      let connection = scheduler.record(messages.timeout(.seconds(5), scheduler: scheduler))
      scheduler.run()

      var last = Stride.zero
      var expected: [Recorded<String, Never, Stride>] = []
      for message in occurrences(in: messages) {
        guard message.time - last <= .seconds(5) else { break }
        last = message.time
        expected.append(.next(at: last, message.value))
      }
      expected.append(.completed(at: last + .seconds(5)))
      connection.expect(expected)
    }
  }

  // MARK: Periodic work

  @Test func `an idle connection sends a ping every ten seconds`() {
    checkTimelines(of: .letters.ending(.never).within(.seconds(60))) { scheduler, messages in
      let pings = scheduler.record(
        messages.map { _ in () }.prepend(())
          .flatMapLatest { scheduler.timerPublisher(every: .seconds(10)).autoconnect().map { _ in "ping" } })
      scheduler.advance(by: .seconds(100))

      var expected: [Recorded<String, Never, Stride>] = []
      let starts = [.zero] + occurrences(in: messages).map(\.time)
      for (start, next) in zip(starts, starts.dropFirst() + [.seconds(200)]) {
        var ping = start + .seconds(10)
        while ping < next, ping <= .seconds(100) {
          expected.append(.next(at: ping, "ping"))
          ping += .seconds(10)
        }
      }
      pings.expect(expected)
      pings.cancel()
    }
  }

  final class Poller {
    private(set) var polls: [Stride] = []
    private var cancellable: AnyCancellable?

    init(isActive: some Publisher<Bool, Never>, scheduler: AnyQueue) {
      let start = scheduler.now
      cancellable = isActive.removeDuplicates()
        .flatMapLatest { isActive in
          isActive
            ? scheduler.timerPublisher(every: .seconds(5)).autoconnect().map { _ in () }.prepend(())
              .eraseToAnyPublisher()
            : Empty().eraseToAnyPublisher()
        }
        .sink { [weak self] in self?.polls.append(start.distance(to: scheduler.now)) }
    }
  }

  @Test func `polls happen at once and then every five seconds while the app is active`() {
    checkTimelines(of: .values([true, false]).within(.seconds(30))) { scheduler, isActive in
      let model = Poller(isActive: isActive, scheduler: scheduler.eraseToAnyScheduler())
      scheduler.advance(by: .seconds(60))

      var changes: [Occurrence<Bool>] = []
      for change in occurrences(in: isActive) where change.value != changes.last?.value { changes.append(change) }
      var expected: [Stride] = []
      for (change, next) in zip(changes, changes.map(\.time).dropFirst() + [.seconds(200)]) where change.value {
        expected.append(change.time)
        var beat = change.time + .seconds(5)
        while beat < next, beat <= .seconds(60) {
          expected.append(beat)
          beat += .seconds(5)
        }
      }
      #expect(model.polls == expected)
    }
  }

  // MARK: Edits

  final class Draft {
    private(set) var saved: [String] = []
    private var unsaved: String?
    private var timer: AnyCancellable?
    private var cancellable: AnyCancellable?

    init(_ edits: some Publisher<String, Never>, scheduler: AnyQueue) {
      cancellable = edits.sink(
        receiveCompletion: { [weak self] _ in self?.save() },
        receiveValue: { [weak self] in self?.edit($0, scheduler) })
    }

    private func edit(_ text: String, _ scheduler: AnyQueue) {
      unsaved = text
      timer = Just(()).delay(for: .seconds(2), scheduler: scheduler).sink { [weak self] in self?.save() }
    }

    private func save() {
      timer = nil
      if let unsaved { saved.append(unsaved) }
      unsaved = nil
    }
  }

  @Test func `a draft is saved two seconds after an edit unless another one follows, and when it is closed`() {
    checkTimelines(of: .letters) { scheduler, edits in
      let draft = Draft(edits, scheduler: scheduler.eraseToAnyScheduler())
      scheduler.run()
      #expect(draft.saved == occurrences(in: edits).filter { !$0.isFollowed(within: .seconds(2)) }.map(\.value))
    }
  }

  @Test func `a message is sent after five seconds unless undo is tapped by then`() {
    checkTimelines(of: .letters, .values(["undo"])) { scheduler, messages, undo in
      let sent = scheduler.record(
        messages.flatMap {
          Just($0).delay(for: .seconds(5), scheduler: scheduler).prefix(untilOutputFrom: undo)
        })
      scheduler.run()

      let taps = occurrences(in: undo).map(\.time)
      sent.expect(
        values: occurrences(in: messages)
          .filter { message in
            !taps.contains { $0 >= message.time && $0 - message.time <= .seconds(5) }
          }
          .map(\.value))
      sent.cancel()
    }
  }

  final class Form: ObservableObject {
    @Published var name = ""
    private(set) var submitted: [String] = []
    private var cancellable: AnyCancellable?

    init(submit: some Publisher<String, Never>) {
      cancellable = submit.sink { [weak self] _ in
        guard let self else { return }
        submitted.append(name)
      }
    }
  }

  @Test func `a form submits the newest text`() {
    checkTimelines(of: .letters, .values(["submit"])) { scheduler, typing, submit in
      let form = Form(submit: submit)
      typing.assign(to: &form.$name)
      scheduler.run()

      let texts = occurrences(in: typing)
      #expect(
        form.submitted
          == occurrences(in: submit).map { tap in texts.last { $0.time <= tap.time }?.value ?? "" })
    }
  }
}
