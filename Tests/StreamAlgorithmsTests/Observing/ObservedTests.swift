import Dispatch
import Observation
import StreamSchedulers
import StreamTesting
import Streams
import Testing

@Observable @MainActor private final class SearchModel {
  var query = ""
  var scope = 0
  var results: [String] = []
  @ObservationIgnored var cancellables: Set<AnyCancellable> = []
}

@MainActor @Suite struct ObservedTests {
  private let scheduler = DispatchQueue.test
  private let model = SearchModel()

  @Test func `publishes the current value first, and a new one after each transaction`() {
    scheduler.withVirtualWorld {
      var queries: [String] = []
      let cancellable = Observed { model.query }.sink { queries.append($0) }
      #expect(queries == [""])
      model.query = "s"
      #expect(queries == [""])
      scheduler.advance()
      #expect(queries == ["", "s"])
      model.query = "sw"
      model.query = "swi"
      scheduler.advance()
      #expect(queries == ["", "s", "swi"])
      cancellable.cancel()
    }
  }

  @Test func `publishes once for a transaction that changes several properties`() {
    scheduler.withVirtualWorld {
      var values: [String] = []
      let cancellable = Observed { "\(model.query) \(model.scope)" }.sink { values.append($0) }
      model.query = "a"
      model.scope = 1
      model.query = "b"
      scheduler.advance()
      #expect(values == [" 0", "b 1"])
      cancellable.cancel()
    }
  }

  @Test func `does not read again after a change of a property that it has not read`() {
    scheduler.withVirtualWorld {
      var reads = 0
      let cancellable = Observed {
        reads += 1
        return model.query
      }
      .sink { _ in }
      model.scope = 1
      scheduler.advance()
      #expect(reads == 1)
      cancellable.cancel()
    }
  }

  @Test func `works with operators of time`() {
    scheduler.withVirtualWorld {
      Observed { model.query }.dropFirst().debounce(for: .milliseconds(300), scheduler: scheduler)
        .map { [$0.uppercased()] }.assign(to: \.results, on: model).store(in: &model.cancellables)
      model.query = "s"
      scheduler.advance(by: .milliseconds(200))
      model.query = "sw"
      scheduler.advance(by: .milliseconds(299))
      #expect(model.results == [])
      scheduler.advance(by: .milliseconds(1))
      #expect(model.results == ["SW"])
      model.cancellables = []
      scheduler.assertIdle()
    }
  }

  @Test func `a scheduler schedules its reads without a virtual world`() {
    var queries: [String] = []
    let cancellable = Observed(on: scheduler) { [model] in model.query }.sink { queries.append($0) }
    model.query = "a"
    model.query = "b"
    #expect(scheduler.pendingCount == 1)
    scheduler.advance()
    #expect(queries == ["", "b"])
    cancellable.cancel()
  }

  @Test func `a change is missed until the next if the closure is called between its announcement and the change`() {
    // As the model changes on one thread, and the closure is called on another.
    var scopes: [Int] = []
    let cancellable = Observed(on: DispatchQueue.immediate) { [model] in model.scope }.sink { scopes.append($0) }
    model.scope = 1
    #expect(scopes == [0, 0])
    model.scope = 2
    #expect(scopes == [0, 0, 1])
    cancellable.cancel()
  }

  @Test func `on the live main actor a value follows each transaction`() async {
    var queries: [String] = []
    let cancellable = Observed { model.query }.sink { queries.append($0) }
    model.query = "a"
    model.query = "b"
    await passOverMainActor()
    model.query = "c"
    await passOverMainActor()
    #expect(queries == ["", "b", "c"])
    cancellable.cancel()
  }

  @Test func `a change by a subscriber is published next`() {
    scheduler.withVirtualWorld {
      var values: [Int] = []
      let cancellable = Observed { model.scope }.sink {
        values.append($0)
        if $0 < 3 { model.scope = $0 + 1 }
      }
      scheduler.advance()
      #expect(values == [0, 1, 2, 3])
      cancellable.cancel()
    }
  }

  @Test func `publishes the latest value to a subscriber that requests one at a time`() {
    scheduler.withVirtualWorld {
      let recorder = SignalRecorder<Int, Never>(.max(1))
      Observed { model.scope }.subscribe(recorder)
      #expect(recorder.values == [0])
      for number in 1...3 {
        model.scope = number
        scheduler.advance()
      }
      #expect(recorder.values == [0])
      recorder.subscriptions[0].request(.max(1))
      #expect(recorder.values == [0, 3])
      recorder.subscriptions[0].cancel()
    }
  }

  @Test func `reads nothing after cancellation, and releases the models and the closure`() {
    scheduler.withVirtualWorld {
      var reads = 0
      weak var released: SearchModel?
      do {
        let model = SearchModel()
        released = model
        let cancellable = Observed {
          reads += 1
          return model.query
        }
        .sink { _ in }
        model.query = "a"
        cancellable.cancel()
        model.query = "b"
      }
      scheduler.advance()
      #expect(reads == 1)
      #expect(released == nil)
      scheduler.assertIdle()
    }
  }

  @Test func `a model that observes itself is released`() {
    scheduler.withVirtualWorld {
      weak var released: SearchModel?
      do {
        let model = SearchModel()
        released = model
        Observed(of: model) { $0.query }.sink(with: model) { $0.results.append($1) }.store(in: &model.cancellables)
        model.query = "a"
        scheduler.advance()
        #expect(model.results == ["", "a"])
      }
      #expect(released == nil)
      scheduler.assertIdle()
    }
  }

  @Test func `a model that observes itself on a scheduler is released`() {
    weak var released: SearchModel?
    do {
      let model = SearchModel()
      released = model
      Observed(of: model, on: scheduler) { model in MainActor.assumeIsolated { model.query } }
        .sink(with: model) { $0.results.append($1) }.store(in: &model.cancellables)
      model.query = "a"
      scheduler.advance()
      #expect(model.results == ["", "a"])
    }
    #expect(released == nil)
    scheduler.assertIdle()
  }

  @Test func `publishes nothing after its model has been released, and then finishes new subscriptions`() {
    scheduler.withVirtualWorld {
      var model: SearchModel? = SearchModel()
      let queries = Observed(of: model!) { $0.query }
      let early = scheduler.record(queries)
      model?.query = "a"
      model = nil
      scheduler.advance()
      #expect(early.values == [""])
      let late = scheduler.record(queries)
      #expect(late.values == [])
      #expect(late.completion == .finished)
      early.cancel()
    }
  }

  @Test func `each subscription reads separately`() {
    scheduler.withVirtualWorld {
      let queries = Observed { model.query }
      var (first, second): ([String], [String]) = ([], [])
      let one = queries.sink { first.append($0) }
      model.query = "a"
      scheduler.advance()
      let two = queries.sink { second.append($0) }
      model.query = "b"
      scheduler.advance()
      #expect(first == ["", "a", "b"])
      #expect(second == ["a", "b"])
      one.cancel()
      two.cancel()
    }
  }

  @Test func `a subscription from outside the actor starts on the actor`() async {
    nonisolated(unsafe) let queries = Observed { model.query }
    let isDone = ManualFlag()
    let attach = { @Sendable in
      queries.sink(isolation: nil) { @Sendable _ in
        MainActor.assertIsolated()
        isDone.set()
      }
    }
    let cancellable = await Task.detached { attach() }.value
    await isDone.wait()
    cancellable.cancel()
  }
}
