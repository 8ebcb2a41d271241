import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams

extension DiagramCatalog {
  static let beyondCombineSharing: [DiagramEntry] = [
    // A late subscriber begins with the newest values, even after completion.
    .subscribers("replaySubject", "ReplaySubject(bufferSize: 2)") { canvas in
      let subject = ReplaySubject<Number, DiagramError>(bufferSize: 2)
      canvas.keep(canvas.numbers("-1--2--3-----|", name: "source").subscribe(subject))
      canvas.subscribe(subject)
      canvas.subscribe(subject, at: 9)
      canvas.subscribe(subject, at: 16)
    },
    // The connection lasts from the first subscriber to the last cancellation; the next subscriber starts anew.
    .subscribers("share-replay", "share(replay: 1)") { canvas in
      let shared = canvas.cold("-a--b--c--|").share(replay: 1)
      canvas.subscribe(shared, until: 6)
      canvas.subscribe(shared, at: 3, until: 6)
      canvas.subscribe(shared, at: 8)
    },
    .subscribers("passthroughRelay", "PassthroughRelay()") { canvas in
      let relay = PassthroughRelay<Text>()
      canvas.keep(canvas.accepted("-a--b--c-|").subscribe(relay))
      // Subscribers of a relay finish when it is released, which is not shown.
      canvas.keep(AnyCancellable { withExtendedLifetime(relay) {} })
      canvas.subscribe(relay)
      canvas.subscribe(relay, at: 5)
    },
    .subscribers("currentValueRelay", #"CurrentValueRelay("Ada")"#) { canvas in
      let relay = CurrentValueRelay("Ada" as Text)
      canvas.keep(canvas.accepted("---'Grace'----|").subscribe(relay))
      // Subscribers of a relay finish when it is released, which is not shown.
      canvas.keep(AnyCancellable { withExtendedLifetime(relay) {} })
      canvas.subscribe(relay)
      canvas.subscribe(relay, at: 6)
    },
    .subscribers("replayRelay", "ReplayRelay(bufferSize: 2)") { canvas in
      let relay = ReplayRelay<Text>(bufferSize: 2)
      canvas.keep(canvas.accepted("-a--b--c-----|").subscribe(relay))
      // Subscribers of a relay finish when it is released, which is not shown.
      canvas.keep(AnyCancellable { withExtendedLifetime(relay) {} })
      canvas.subscribe(relay)
      canvas.subscribe(relay, at: 9)
    },
  ]
}

extension Canvas {
  /// The values that a relay accepts from a source; the source completes, the relay does not.
  fileprivate func accepted(_ marbles: Marbles) -> some Publisher<Text, Never> { unfailing(marbles, name: "source") }
}
