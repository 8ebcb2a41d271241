import StreamAlgorithms
import Streams

extension OperatorCatalog {
  private static let attachesAgain = "it attaches to the publisher again"
  private static let retries: [Law: String] = [.failure: Reason.recovers, .releasePublisher: attachesAgain]

  static let beyondCombineRecovering: [CatalogEntry] = [
    CatalogEntry(
      "materialize", gives: "value(1) value(2) value(3) end finished",
      except: [.failure: "a failure is sent as a value"]
    ) { $0.source().materialize().map { $0.value == nil ? "end" : "\($0)" }.asText() },
    CatalogEntry("dematerialize", gives: "1 2 3 finished", except: [.failure: Reason.cannotFail]) {
      $0.unfailingSource().map { PublisherEvent<Parcel, ContractError>.value($0) }.dematerialize().asText()
    },
    CatalogEntry("materialize.dematerialize", gives: "1 2 3 finished", except: [.endWithoutDemand: Reason.endIsValue]) {
      $0.source().materialize().dematerialize().asText()
    },
    CatalogEntry("repeat", gives: "1 2 3 finished", except: [.releasePublisher: attachesAgain]) {
      $0.source().repeat(2).asText()
    },
    CatalogEntry("switchIfEmpty", gives: "1 2 3 finished") {
      $0.source().switchIfEmpty(to: Empty()).asText()
    },
    CatalogEntry(
      "switchIfEmpty, of an empty stream", gives: "1 2 3 finished", except: [.releasePublisher: "it attaches it later"]
    ) {
      Empty().switchIfEmpty(to: $0.source()).asText()
    },
    CatalogEntry("retry(policy)", gives: "1 2 3 finished", except: retries) { bench in
      let captive = bench.captive()
      let policy = RetryPolicy.delay(.milliseconds(500), maxRetries: 1)
      return bench.source().retry(policy, scheduler: bench.scheduler, where: { _ in captive.touch(true) }).asText()
    },
    CatalogEntry("retry(when:)", gives: "1 2 3 finished", except: retries) { bench in
      let captive = bench.captive()
      return bench.source().retry(when: { captive.touch($0).prefix(1) }).asText()
    },
    CatalogEntry("ignoreFailure", gives: "1 2 3 finished", except: [.failure: Reason.recovers]) {
      $0.source().ignoreFailure().asText()
    },
    CatalogEntry("mapToResult", gives: "1 2 3 finished", except: [.failure: Reason.recovers]) {
      $0.source().mapToResult().map { result in
        switch result {
        case .success(let parcel): "\(parcel)"
        case .failure: "failure"
        }
      }.asText()
    },
    CatalogEntry(
      "mapToPhase", gives: "1 2 3 finished",
      except: [.failure: Reason.recovers, .endWithoutDemand: Reason.endIsValue]
    ) {
      $0.source().mapToPhase().compactMap { $0.isLoading ? nil : $0.value.map { "\($0)" } ?? "failure" }.asText()
    },
    CatalogEntry(
      "retry(when:), with a decider of its own", gives: "1 2 3 finished",
      except: retries.merging([.demandUpstream: Reason.asksAfterwards]) { $1 }
    ) { bench in
      let (main, decider) = (bench.source(), bench.source())
      return main.retry(when: { _ in decider }).asText()
    },
  ]
}
