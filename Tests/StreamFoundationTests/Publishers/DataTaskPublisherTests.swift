import Foundation
import StreamAlgorithms
import StreamFoundation
import StreamTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.ownThread)
struct DataTaskPublisherTests {
  private let session = URLSession(configuration: .patient)

  /// The response's status and body as text.
  private func text(_ url: URL, _ session: URLSession? = nil) -> some Publisher<String, URLError> {
    (session ?? self.session).dataTaskPublisher(for: url).map { answer in
      "\((answer.response as? HTTPURLResponse)?.statusCode ?? 0) \(String(decoding: answer.data, as: UTF8.self))"
    }
  }

  @Test func `publishes data and response, then completes`() async throws {
    let server = LoopbackServer { .text("hello, \($0.target)") }
    let recorder = session.dataTaskPublisher(for: server.url("/world")).map { UnsafeTransfer($0) }.record()
    let answer = try #require(await recorder.next()).value
    #expect(answer.data == Data("hello, /world".utf8))
    #expect((answer.response as? HTTPURLResponse)?.statusCode == 200)
    #expect(answer.response.url == server.url("/world"))
    #expect(await recorder.finished())
  }

  @Test func `sends a URL request unchanged`() async throws {
    let server = LoopbackServer { .text($0.method + " " + ($0.fields["x-colour"] ?? "none")) }
    var request = URLRequest(url: server.url("/"))
    request.setValue("blue", forHTTPHeaderField: "X-Colour")
    let publisher = session.dataTaskPublisher(for: request)
    #expect(publisher.request == request)
    #expect(publisher.session === session)
    let recorder = publisher.map { String(decoding: $0.data, as: UTF8.self) }.record()
    #expect(await recorder.next() == "GET blue")
  }

  @Test func `publishes a response with status 404 as a value`() async {
    let server = LoopbackServer { _ in .notFound("nothing here") }
    let recorder = text(server.url("/")).record()
    #expect(await recorder.next() == "404 nothing here")
    #expect(await recorder.finished())
  }

  @Test func `follows a redirect`() async {
    let server = LoopbackServer { $0.target == "/old" ? .redirect(to: "/new") : .text("moved") }
    let recorder = text(server.url("/old")).record()
    #expect(await recorder.next() == "200 moved")
    #expect(server.requests.all.map(\.target) == ["/old", "/new"])
  }

  @Test func `fails when the connection is refused`() async {
    let socket = LoopbackSocket()
    let outcome = await text(URL(string: "http://127.0.0.1:\(socket.port)/")!).outcome()
    #expect(outcome.values == [])
    #expect(outcome.failure?.code == .cannotConnectToHost)
  }

  @Test func `fails with an unsupported URL`() async {
    #expect(await text(URL(string: "nothing://here")!).outcome().failure?.code == .unsupportedURL)
  }

  @Test func `maps an error that is no URLError to the code unknown`() async {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [FailingProtocol.self]
    let session = URLSession(configuration: configuration)
    let publisher = session.dataTaskPublisher(for: URL(string: "failing://here")!).map { _ in 0 }
    let failure = await publisher.outcome().failure
    #expect(failure?.code == .unknown)
    #expect((failure as NSError?)?.userInfo[NSUnderlyingErrorKey] != nil)
  }

  @Test func `keeps the code and the details of a bridged error`() async throws {
    let details = NSError(domain: "details", code: 7)
    let error = NSError(
      domain: NSURLErrorDomain, code: NSURLErrorNotConnectedToInternet, userInfo: [NSUnderlyingErrorKey: details])
    let session = ScriptedSession(configuration: .ephemeral)
    let failures = Log<URLError>()
    let cancellable = session.dataTaskPublisher(for: URL(string: "http://127.0.0.1/")!).sink { completion in
      if case .failure(let failure) = completion { failures.append(failure) }
    } receiveValue: { _ in
    }
    try #require(session.tasks.all.first).handler.value(nil, nil, error)
    let failure = try #require(failures.all.first)
    #expect(failure.code == .notConnectedToInternet)
    #expect(((failure as NSError).userInfo[NSUnderlyingErrorKey] as? NSError)?.code == 7)
    cancellable.cancel()
  }

  @Test func `cancellation during a response closes the connection and delivers nothing`() async {
    let server = LoopbackServer { $0.target == "/slow" ? .beginning("abc", of: 100) : .text("quick") }
    let recorder = text(server.url("/slow")).record()
    let request = await server.requests.first(1)[0]
    recorder.cancel()
    #expect(await server.abandoned.first(1) == ["/slow"])
    server.send(.rest("too late"), to: request)
    // The session delivers responses serially, so this one arrives after any that could still be delivered.
    #expect(await text(server.url("/quick")).record().next() == "200 quick")
    #expect(recorder.events.isEmpty)
  }

  @Test func `requests that are cancelled at any moment deliver all or nothing, and end`() async {
    let count = 400
    let queue = DispatchQueue(label: "cancellations", attributes: .concurrent)
    let recorders = Box<[Recorder<String, URLError, ImmediateTime.Stride>]>([])
    let server = LoopbackServer { request in
      guard let number = Int(request.target.dropFirst()) else { return .text("quick") }
      let recorder = recorders.value[number]
      switch number % 4 {
      case 2: recorder.cancel()
      case 3: queue.async { recorder.cancel() }
      default: break
      }
      return .text("")
    }
    let ends = EndOfSession()
    let session = URLSession(configuration: .ephemeral, delegate: ends, delegateQueue: nil)
    recorders.value = (0..<count).map { number in
      session.dataTaskPublisher(for: server.url("/\(number)")).map { _ in "\(number)" }.record(demand: .none)
    }
    for (number, recorder) in recorders.value.enumerated() {
      recorder.request(.unlimited)
      switch number % 4 {
      case 0: recorder.cancel()
      case 1: queue.async { recorder.cancel() }
      default: break
      }
    }
    // The session becomes invalid when its last task has ended.
    session.finishTasksAndInvalidate()
    #expect(await ends.log.first(1) == [1])
    for (number, recorder) in recorders.value.enumerated() {
      #expect(recorder.values.isEmpty || (recorder.values == ["\(number)"] && number % 4 != 2), "\(number)")
      #expect(recorder.completion == nil || !recorder.values.isEmpty, "\(number)")
    }
  }

  @Test(arguments: [1, 2, 3])
  func `the handler of a stand-in's task that is cancelled once or more waits for nothing`(_ count: Int) throws {
    let session = ScriptedSession(configuration: .ephemeral)
    let subscription = Box<(any Subscription)?>(nil)
    let values = Log<String>()
    let cancellable = text(URL(string: "http://127.0.0.1/")!, session)
      .handleEvents(receiveSubscription: { subscription.value = $0 })
      .sink(receiveCompletion: { values.append("\($0)") }, receiveValue: { values.append($0) })
    let task = try #require(session.tasks.all.first)
    for _ in 0..<count { subscription.value?.cancel() }
    #expect(task.cancellations.all == [1])
    task.answer()
    #expect(task.readsOfError.all == [])
    #expect(values.all == [])
    cancellable.cancel()
  }

  @Test func `a task that is cancelled while it is made is not resumed`() throws {
    let session = ScriptedSession(configuration: .ephemeral)
    let subscription = Box<(any Subscription)?>(nil)
    session.whenMade.value = {
      subscription.value?.cancel()
      subscription.value?.cancel()
    }
    let cancellable = text(URL(string: "http://127.0.0.1/")!, session)
      .handleEvents(receiveSubscription: { subscription.value = $0 })
      .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    let task = try #require(session.tasks.all.first)
    #expect(task.resumptions.all == [])
    #expect(task.cancellations.all == [1])
    cancellable.cancel()
    #expect(task.cancellations.all == [1])
  }

  @Test func `a subscriber that cancels when it receives its subscription has no task`() {
    let session = ScriptedSession(configuration: .ephemeral)
    var count = 0
    let cancellable = text(URL(string: "http://127.0.0.1/")!, session)
      .handleEvents(receiveSubscription: {
        count += 1
        $0.cancel()
        $0.cancel()
      })
      .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    cancellable.cancel()
    #expect(count == 1)
    #expect(session.tasks.all.isEmpty)
  }

  @Test func `a cancellation during the value or the completion leaves a task that has ended alone`() throws {
    let session = ScriptedSession(configuration: .ephemeral)
    let subscription = Box<(any Subscription)?>(nil)
    let cancel = {
      subscription.value?.cancel()
      subscription.value?.cancel()
    }
    let cancellable = text(URL(string: "http://127.0.0.1/")!, session)
      .handleEvents(receiveSubscription: { subscription.value = $0 })
      .sink(receiveCompletion: { _ in cancel() }, receiveValue: { _ in cancel() })
    let task = try #require(session.tasks.all.first)
    task.answer()
    cancellable.cancel()
    #expect(task.cancellations.all == [])
    #expect(task.readsOfError.all == [])
  }

  @Test func `requests that are cancelled twice while they are answered end`() async {
    let count = ProcessInfo.processInfo.environment["STREAMS_REQUESTS"].flatMap(Int.init) ?? 400
    let server = LoopbackServer { .text($0.target) }
    let ends = EndOfSession()
    let session = URLSession(configuration: .ephemeral, delegate: ends, delegateQueue: nil)
    // A few at a time, so that the answers come soon, but not all before the cancellations.
    for batch in 0..<(count / 4) {
      var subscriptions: [any Subscription] = []
      var cancellables: [AnyCancellable] = []
      for number in 0..<4 {
        text(server.url("/\(number)"), session)
          .handleEvents(receiveSubscription: { subscriptions.append($0) })
          .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
          .store(in: &cancellables)
      }
      // At a moment that differs from batch to batch.
      for _ in 0..<(batch &* 7919 % 1_000) { sched_yield() }
      for (subscription, cancellable) in zip(subscriptions, cancellables) {
        subscription.cancel()
        cancellable.cancel()
      }
    }
    // The session becomes invalid when its last task has ended.
    session.finishTasksAndInvalidate()
    #expect(await ends.log.first(1) == [1])
  }

  @Test func `a request that is cancelled before its URL proves unsupported ends`() async {
    let ends = EndOfSession()
    let session = URLSession(configuration: .ephemeral, delegate: ends, delegateQueue: nil)
    let recorders = (0..<20).map { _ in
      let recorder = session.dataTaskPublisher(for: URL(string: "nothing://here")!).map { _ in 0 }.record()
      recorder.cancel()
      return recorder
    }
    session.finishTasksAndInvalidate()
    #expect(await ends.log.first(1) == [1])
    #expect(recorders.allSatisfy { $0.values.isEmpty })
  }

  @Test func `publishes a body that arrives in parts as one value`() async {
    let server = LoopbackServer { _ in .beginning("abc", of: 6) }
    let recorder = text(server.url("/")).record()
    let request = await server.requests.first(1)[0]
    #expect(recorder.values == [])
    server.send(.rest("def"), to: request)
    #expect(await recorder.next() == "200 abcdef")
    #expect(await recorder.finished())
  }

  @Test func `sends no request before it receives demand`() async {
    let server = LoopbackServer { .text($0.target) }
    let patient = text(server.url("/patient")).record(demand: .none)
    let cancelled = text(server.url("/cancelled")).record(demand: .none)
    cancelled.cancel()
    cancelled.request(.max(1))
    #expect(await text(server.url("/eager")).record().next() == "200 /eager")
    #expect(server.requests.all.map(\.target) == ["/eager"])
    patient.request(.max(1))
    patient.request(.max(1))
    #expect(await patient.next() == "200 /patient")
    #expect(await patient.finished())
    #expect(server.requests.all.map(\.target) == ["/eager", "/patient"])
    #expect(cancelled.events.isEmpty)
  }

  @Test func `each subscriber starts its own task, unless it is shared by multicast`() async {
    let server = LoopbackServer { .text($0.target) }
    let own = text(server.url("/own"))
    for recorder in [own.record(), own.record()] { #expect(await recorder.finished()) }
    #expect(server.requests.all.map(\.target) == ["/own", "/own"])
    let shared = text(server.url("/shared")).multicast(subject: PassthroughSubject())
    let recorders = [shared.record(), shared.record()]
    let connection = shared.connect()
    defer { connection.cancel() }
    for recorder in recorders { #expect(await recorder.finished()) }
    #expect(server.requests.all.map(\.target) == ["/own", "/own", "/shared"])
  }

  @Test func `retry sends the request again`() async {
    let server = LoopbackServer { $0.number < 3 ? .notFound("") : .text("at last") }
    let recorder = text(server.url("/"))
      .tryMap { text in
        guard text.hasPrefix("200") else { throw URLError(.fileDoesNotExist) }
        return text
      }
      .retry(2)
      .record()
    #expect(await recorder.next() == "200 at last")
    #expect(server.requests.all.count == 3)
  }

  @Test func `a subscriber that cancels during the value receives no completion`() async {
    let server = LoopbackServer { .text($0.target) }
    let log = Log<String>()
    let subscription = Box<(any Subscription)?>(nil)
    text(server.url("/")).subscribe(
      AnySubscriber(
        receiveSubscription: {
          subscription.value = $0
          $0.request(.unlimited)
        },
        receiveValue: { text in
          subscription.value?.cancel()
          log.append(text)
          return .none
        },
        receiveCompletion: { log.append("\($0)") }))
    _ = await log.first(1)
    #expect(await text(server.url("/quick")).record().next() == "200 /quick")
    #expect(log.all == ["200 /"])
  }

  @Test func `releases the subscriber after completion and after cancellation`() async {
    let server = LoopbackServer { $0.target == "/slow" ? .later : .text($0.target) }
    for target in ["/slow", "/quick"] {
      var token: Token? = Token()
      weak let weakToken = token
      let end = Log<Int>()
      let kept = Box<(any Subscription)?>(nil)
      let cancellable = text(server.url(target))
        .handleEvents(receiveSubscription: { kept.value = $0 })
        .sink(receiveCompletion: { _ in end.append(1) }, receiveValue: { [token] _ in token?.touch() })
      token = nil
      if target == "/slow" {
        _ = await server.requests.first(1)
        #expect(weakToken != nil)
        cancellable.cancel()
      } else {
        _ = await end.first(1)
        // The caller of the subscriber may still retain it.
        session.delegateQueue.addBarrierBlock { end.append(2) }
        _ = await end.first(2)
      }
      #expect(weakToken == nil, "after \(target)")
      cancellable.cancel()
    }
  }
}

/// Records that a session has become invalid.
private final class EndOfSession: NSObject, URLSessionDelegate {
  let log = Log<Int>()

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { log.append(1) }
}

/// A session whose tasks do nothing by themselves.
private final class ScriptedSession: URLSession, @unchecked Sendable {
  // `Sendable` is unchecked because the superclass requires it to be stated: all stored properties are constants.
  let tasks = Log<ScriptedTask>()
  /// Called before a new task is returned.
  let whenMade = Box<() -> Void>({})

  override func dataTask(
    with request: URLRequest, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDataTask {
    let task = ScriptedTask()
    task.handler.value = completionHandler
    tasks.append(task)
    whenMade.value()
    return task
  }
}

/// A task that the test answers.
private final class ScriptedTask: URLSessionDataTask, @unchecked Sendable {
  // `Sendable` is unchecked because the superclass requires it to be stated: all stored properties are constants.
  let resumptions = Log<Int>()
  let cancellations = Log<Int>()
  let readsOfError = Log<Int>()
  let handler = Box<(Data?, URLResponse?, (any Error)?) -> Void>({ _, _, _ in })

  override func resume() { resumptions.append(1) }
  override func cancel() { cancellations.append(1) }

  override var error: (any Error)? {
    readsOfError.append(readsOfError.all.count + 1)
    return nil
  }

  func answer() {
    let url = URL(string: "http://127.0.0.1/")!
    handler.value(
      Data(), URLResponse(url: url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil), nil)
  }
}

/// A protocol that fails with an error of its own.
private final class FailingProtocol: URLProtocol {
  override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "failing" }
  override class func canInit(with task: URLSessionTask) -> Bool { task.originalRequest?.url?.scheme == "failing" }
  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
  override func startLoading() { client?.urlProtocol(self, didFailWithError: TestFailure()) }
  override func stopLoading() {}
}

extension URLSessionConfiguration {
  /// A configuration without the timeout of a minute, which a test can take on a loaded machine.
  fileprivate static var patient: URLSessionConfiguration {
    let configuration = ephemeral
    configuration.timeoutIntervalForRequest = 3_600
    return configuration
  }
}
