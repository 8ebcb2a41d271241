import StreamAlgorithms
import Streams

/// A feed that sends the bench's values into a subject.
final class SubjectFeed: Feed {
  private let subject: any Subject<Parcel, ContractError>

  init(_ subject: any Subject<Parcel, ContractError>) { self.subject = subject }

  func send(_ parcel: Parcel) { subject.send(parcel) }
  func finish() { subject.send(completion: .finished) }
  func fail() { subject.send(completion: .failure(ContractError())) }
}

/// A feed that keeps the first of a future's promises until the bench sends a value.
private final class PromiseFeed: Feed {
  var promise: Future<Parcel, ContractError>.Promise?

  func send(_ parcel: Parcel) { promise?(.success(parcel)) }
  func finish() { promise = nil }

  func fail() {
    promise?(.failure(ContractError()))
    promise = nil
  }
}

/// A feed that sends the bench's values into an asynchronous stream.
private final class StreamFeed: Feed {
  private let (stream, continuation) = AsyncThrowingStream.makeStream(of: Parcel.self)

  var sequence: OnOneThread<AsyncThrowingStream<Parcel, any Error>> { OnOneThread(base: stream) }

  func send(_ parcel: Parcel) {
    nonisolated(unsafe) let parcel = parcel  // All of it happens on one thread.
    continuation.yield(parcel)
  }

  func finish() { continuation.finish() }
  func fail() { continuation.finish(throwing: ContractError()) }
}

/// A sequence that is iterated in the virtual time of a bench, which uses a single thread.
struct OnOneThread<Base: AsyncSequence>: AsyncSequence, @unchecked Sendable {
  typealias Failure = Base.Failure

  let base: Base

  func makeAsyncIterator() -> Base.AsyncIterator { base.makeAsyncIterator() }
}

private final class Model: ObservableObject, Feed {
  @Published var value = Parcel(0)

  func send(_ parcel: Parcel) { value = parcel }
  func finish() {}
  func fail() {}
}

extension OperatorCatalog {
  private static let isAlone: [Law: String] = [
    .failure: Reason.noUpstream, .cancelUpstream: Reason.noUpstream, .demandUpstream: Reason.noUpstream,
    .contexts: Reason.unsent,
  ]

  static let creating: [CatalogEntry] = [
    CatalogEntry("Just", gives: "1 finished", except: isAlone) { _ in Just(Parcel(1)).asText() },
    CatalogEntry("Empty", gives: "finished", except: isAlone) { _ in Empty<Parcel, ContractError>().asText() },
    CatalogEntry("Empty that goes on", gives: "", except: isAlone) { _ in
      Empty<Parcel, ContractError>(completeImmediately: false).asText()
    },
    CatalogEntry("Fail", gives: "failed", except: isAlone) { _ in Fail<Parcel, _>(error: ContractError()).asText() },
    CatalogEntry("Future of a task", gives: "1 finished", except: isAlone) { bench in
      nonisolated(unsafe) let captive = bench.captive()
      return Future(on: bench.scheduler) { captive.touch(1) }.setFailureType(to: ContractError.self).asText()
    },
    CatalogEntry("Deferred task", gives: "1 finished", except: isAlone) { bench in
      nonisolated(unsafe) let captive = bench.captive()
      return Deferred(on: bench.scheduler) { captive.touch(1) }.setFailureType(to: ContractError.self).asText()
    },
    CatalogEntry("Record", gives: "1 2 failed", except: isAlone) { _ in
      Record(output: [Parcel(1), Parcel(2)], completion: .failure(ContractError())).asText()
    },
    CatalogEntry("Optional.Publisher", gives: "1 finished", except: isAlone) { _ in
      Optional.Publisher(Parcel(1)).asText()
    },
    CatalogEntry("Optional.Publisher of nil", gives: "finished", except: isAlone) { _ in
      Optional<Parcel>.Publisher(nil).asText()
    },
    CatalogEntry("Result.Publisher of a value", gives: "1 finished", except: isAlone) { _ in
      Result<Parcel, ContractError>.Publisher(Parcel(1)).asText()
    },
    CatalogEntry("Result.Publisher of an error", gives: "failed", except: isAlone) { _ in
      Result<Parcel, ContractError>.Publisher(ContractError()).asText()
    },
    CatalogEntry("Sequence of an array", gives: "1 2 3 finished", except: isAlone) { _ in
      [Parcel(1), Parcel(2), Parcel(3)].publisher.asText()
    },
    CatalogEntry("Sequence of a lazy sequence", gives: "1 2 3 finished", except: isAlone) { bench in
      let captive = bench.captive()
      return (1...3).lazy.map { captive.touch(Parcel($0)) }.publisher.asText()
    },
    CatalogEntry("Deferred", gives: "1 2 3 finished") { bench in
      let captive = bench.captive()
      let source = bench.source()
      return Deferred { captive.touch(source) }.asText()
    },
    CatalogEntry("Future", gives: "1 finished", except: [.cancelUpstream: Reason.noUpstream]) { bench in
      let feed = PromiseFeed()
      bench.feed(feed)
      return Future { feed.promise = $0 }.asText()
    },
    CatalogEntry("Future that was fulfilled before", gives: "1 finished", except: isAlone) { _ in
      Future<Parcel, ContractError> { $0(.success(Parcel(1))) }.asText()
    },
    CatalogEntry("Future that failed before", gives: "failed", except: isAlone) { _ in
      Future<Parcel, ContractError> { $0(.failure(ContractError())) }.asText()
    },
    CatalogEntry(
      "AsyncSequence.publisher", gives: "1 2 3 finished",
      except: [
        .contexts: Reason.unsent,
        .cancelUpstream: Reason.noUpstream, .twoSubscribers: Reason.oneIteration,
        .endWithoutDemand: Reason.awaitsDemand,
      ]
    ) { bench in
      let feed = StreamFeed()
      bench.feed(feed)
      return feed.sequence.publisher(on: bench.scheduler).asText()
    },
    CatalogEntry(
      "values.publisher", gives: "1 2 3 finished",
      except: [.contexts: Reason.unsent, .endWithoutDemand: Reason.awaitsDemand]
    ) {
      bench in
      OnOneThread(base: bench.source().values).publisher(on: bench.scheduler).asText()
    },
    CatalogEntry(
      "values(bounded:whenFull: .wait).publisher", gives: "1 2 3 finished",
      except: [.contexts: Reason.unsent, .demandUpstream: Reason.buffers, .endWithoutDemand: Reason.awaitsDemand]
    ) {
      bench in
      OnOneThread(base: bench.source().values(bounded: 4, whenFull: .wait)).publisher(on: bench.scheduler).asText()
    },
  ]

  static let subjects: [CatalogEntry] = [
    CatalogEntry("PassthroughSubject", gives: "1 2 3 finished", except: [.cancelUpstream: Reason.noUpstream]) { bench in
      let subject = PassthroughSubject<Parcel, ContractError>()
      bench.feed(SubjectFeed(subject))
      return subject.asText()
    },
    CatalogEntry("CurrentValueSubject", gives: "0 1 2 3 finished", except: [.cancelUpstream: Reason.noUpstream]) {
      bench in
      let subject = CurrentValueSubject<Parcel, ContractError>(Parcel(0))
      bench.feed(SubjectFeed(subject))
      return subject.asText()
    },
    CatalogEntry(
      "PassthroughSubject attached to a publisher", gives: "1 2 3 finished",
      except: [
        .cancelUpstream: Reason.isSubject, .demandUpstream: Reason.asksForAll, .releaseOnCancel: Reason.isSubject,
      ]
    ) { bench in
      let subject = PassthroughSubject<Parcel, ContractError>()
      bench.source().receive(subscriber: AnySubscriber(subject))
      return subject.asText()
    },
    CatalogEntry("a subject that has finished", gives: "finished", except: isAlone) { _ in
      let subject = PassthroughSubject<Parcel, ContractError>()
      subject.send(completion: .finished)
      return subject.asText()
    },
    CatalogEntry(
      "@Published", gives: "0 1 2 3",
      except: [
        .failure: Reason.cannotFail, .cancelUpstream: Reason.noUpstream, .releaseOnFinish: Reason.neverEnds,
        .releaseOnFailure: Reason.neverEnds,
      ]
    ) { bench in
      let model = Model()
      bench.feed(model)
      return model.$value.asText()
    },
    CatalogEntry(
      "ObservableObjectPublisher", gives: "() () ()",
      except: [
        .failure: Reason.cannotFail, .cancelUpstream: Reason.noUpstream, .releaseOnFinish: Reason.neverEnds,
        .releaseOnFailure: Reason.neverEnds,
      ]
    ) { bench in
      let model = Model()
      bench.feed(model)
      return model.objectWillChange.asText()
    },
  ]
}
