import StreamAlgorithms
import Streams

/// A feed that sends the bench's values into a relay.
private final class RelayFeed: Feed {
  private let relay: any Relay<Parcel>

  init(_ relay: any Relay<Parcel>) { self.relay = relay }

  func send(_ parcel: Parcel) { relay.accept(parcel) }
  func finish() {}
  func fail() {}
}

/// A feed that offers the bench's values to a bounded subject.
private final class BoundedFeed: Feed {
  private let subject: BoundedSubject<Parcel, ContractError>

  init(_ subject: BoundedSubject<Parcel, ContractError>) { self.subject = subject }

  func send(_ parcel: Parcel) { _ = subject.offer(parcel) }
  func finish() { subject.send(completion: .finished) }
  func fail() { subject.send(completion: .failure(ContractError())) }
}

extension OperatorCatalog {
  private static let neverEnds: [Law: String] = [
    .failure: Reason.cannotFail, .cancelUpstream: Reason.noUpstream, .releaseOnFinish: Reason.neverEnds,
    .releaseOnFailure: Reason.neverEnds,
  ]

  static let beyondCombineSharing: [CatalogEntry] = [
    CatalogEntry("ReplaySubject", gives: "1 2 3 finished", except: [.cancelUpstream: Reason.noUpstream]) { bench in
      let subject = ReplaySubject<Parcel, ContractError>(bufferSize: 2)
      bench.feed(SubjectFeed(subject))
      return subject.asText()
    },
    CatalogEntry(
      "ReplaySubject that has finished", gives: "2 3 finished",
      except: [
        .contexts: Reason.unsent,
        .failure: Reason.noUpstream, .cancelUpstream: Reason.noUpstream, .demandUpstream: Reason.noUpstream,
      ]
    ) { _ in
      let subject = ReplaySubject<Parcel, ContractError>(bufferSize: 2)
      for number in 1...3 { subject.send(Parcel(number)) }
      subject.send(completion: .finished)
      return subject.asText()
    },
    CatalogEntry("BoundedSubject", gives: "1 2 3 finished", except: [.cancelUpstream: Reason.noUpstream]) { bench in
      let subject = BoundedSubject<Parcel, ContractError>(bounded: 100)
      bench.feed(BoundedFeed(subject))
      return subject.asText()
    },
    CatalogEntry("share(replay:)", gives: "1 2 3 finished", except: [.demandUpstream: Reason.asksForAll]) {
      $0.source().share(replay: 2).asText()
    },
    CatalogEntry("PassthroughRelay", gives: "1 2 3", except: neverEnds) { bench in
      let relay = PassthroughRelay<Parcel>()
      bench.feed(RelayFeed(relay))
      return relay.asText()
    },
    CatalogEntry("CurrentValueRelay", gives: "0 1 2 3", except: neverEnds) { bench in
      let relay = CurrentValueRelay(Parcel(0))
      bench.feed(RelayFeed(relay))
      return relay.asText()
    },
    CatalogEntry("ReplayRelay", gives: "1 2 3", except: neverEnds) { bench in
      let relay = ReplayRelay<Parcel>(bufferSize: 2)
      bench.feed(RelayFeed(relay))
      return relay.asText()
    },
  ]
}
