import StreamSchedulers
import StreamTesting
import Streams

extension DiagramCatalog {
  static let beyondCombineSharing: [DiagramEntry] = [
    // A late subscriber begins with the newest values, also after the end.
    .subscribers("replaySubject", "ReplaySubject(bufferSize: 2)") { canvas in
      let subject = ReplaySubject<Number, DiagramError>(bufferSize: 2)
      canvas.keep(canvas.numbers("-1--2--3-----|", name: "source").subscribe(subject))
      canvas.subscribe(subject)
      canvas.subscribe(subject, at: 9)
      canvas.subscribe(subject, at: 16)
    },
    // It lasts from the first subscriber until the last one has left; the next begins anew.
    .subscribers("share-replay", "share(replay: 1)") { canvas in
      let shared = canvas.cold("-a--b--c--|").share(replay: 1)
      canvas.subscribe(shared, until: 6)
      canvas.subscribe(shared, at: 3, until: 6)
      canvas.subscribe(shared, at: 8)
    },
    .subscribers("passthroughRelay", "PassthroughRelay()") { canvas in
      let relay = PassthroughRelay<Text>()
      canvas.keep(canvas.accepted("-a--b--c-|").subscribe(relay))
      canvas.subscribe(relay)
      canvas.subscribe(relay, at: 5)
    },
    .subscribers("currentValueRelay", #"CurrentValueRelay("Ada")"#) { canvas in
      let relay = CurrentValueRelay("Ada" as Text)
      canvas.keep(canvas.accepted("---'Grace'----|").subscribe(relay))
      canvas.subscribe(relay)
      canvas.subscribe(relay, at: 6)
    },
    .subscribers("replayRelay", "ReplayRelay(bufferSize: 2)") { canvas in
      let relay = ReplayRelay<Text>(bufferSize: 2)
      canvas.keep(canvas.accepted("-a--b--c-----|").subscribe(relay))
      canvas.subscribe(relay)
      canvas.subscribe(relay, at: 9)
    },
  ]
}

extension Canvas {
  /// What a relay accepts, of a source that ends, which the relay does not.
  fileprivate func accepted(_ marbles: Marbles) -> some Publisher<Text, Never> { unfailing(marbles, name: "source") }
}
