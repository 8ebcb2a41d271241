import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams

extension DiagramCatalog {
  static let beyondCombineRecovering: [DiagramEntry] = [
    // The failure becomes a value, followed by normal completion.
    DiagramEntry("materialize", "materialize()") { canvas in
      canvas.numbers("--1----#").materialize().map { event -> Text in
        switch event {
        case .value(let value): value.map { "value(\($0))" }
        case .failure: "failure(timeout)" as Text
        case .finished: "finished"
        }
      }
    },
    // The first terminal event ends the stream.
    DiagramEntry("dematerialize", "dematerialize()") { $0.events("-a---b---'failure'---c-|").dematerialize() },
    DiagramEntry("ignoreFailure", "ignoreFailure()") { $0.letters("-a--b--#").ignoreFailure() },
    DiagramEntry("mapToResult", "mapToResult()") { canvas in
      canvas.letters("-a---b---#").mapToResult().map { result in
        switch result {
        case .success(let value): value
        case .failure: "failure" as Text
        }
      }
    },
    DiagramEntry("mapToPhase", "mapToPhase()") { canvas in
      canvas.cold("-a---b---#").mapToPhase().map { phase in
        switch phase {
        case .loading: "loading" as Text
        case .success(let value): value
        case .failure: "failure" as Text
        }
      }
    },
    DiagramEntry("repeat", "repeat(2)") { $0.coldNumbers("-1--2-|").repeat(2) },
    DiagramEntry("switchIfEmpty", "source.switchIfEmpty(to: other)") { canvas in
      let (source, other) = (canvas.cold("--|", name: "source"), canvas.cold("-a--b|", name: "other"))
      return source.switchIfEmpty(to: other)
    },
    DiagramEntry("checkpoint", "checkpoint(\"letters\")") { $0.letters("-a--b--c-|").checkpoint("letters") },
    // Values sent by a failed attempt remain in the output.
    DiagramEntry("retry-policy", "retry(.delay(.milliseconds(300), maxRetries: 1), scheduler: queue)") { canvas in
      canvas.cold("-a--#").retry(.delay(.milliseconds(300), maxRetries: 1), scheduler: canvas.scheduler)
    },
    // Values of the trigger during an attempt are dropped, and its completion replaces the failure.
    DiagramEntry("retry-when", "retry(when: { _ in trigger })") { canvas in
      let source = canvas.cold("-a-#", name: "source")
      let trigger = canvas.letters("-x---x-----|", name: "trigger")
      return source.retry(when: { _ in trigger })
    },
  ]
}

extension Canvas {
  /// A source of events.
  fileprivate func events(_ marbles: Marbles) -> some Publisher<PublisherEvent<Text, DiagramError>, Never> {
    unfailing(marbles).map { $0 == "failure" ? .failure(DiagramError()) : .value($0) }
  }
}
