import StreamSchedulers
import StreamTesting
import Streams

extension DiagramCatalog {
  static let sharing: [DiagramEntry] = [
    // There is one subscription upstream; the second subscriber has missed a value.
    .subscribers("share", "share()") { canvas in
      let shared = canvas.cold("-a--b--c-|").share()
      canvas.subscribe(shared)
      canvas.subscribe(shared, at: 3)
    },
    // Upstream is subscribed to by `connect()`, not by a subscriber.
    .subscribers("multicast", "multicast { PassthroughSubject() }") { canvas in
      let multicast = canvas.cold("-a--b--c-|").multicast { PassthroughSubject<Text, DiagramError>() }
      canvas.signal("connect()", "--'✓'", verb: "is called:") { canvas.keep(multicast.connect()) }
      canvas.subscribe(multicast)
      canvas.subscribe(multicast, at: 4)
    },
    .subscribers("makeConnectable", "makeConnectable()") { canvas in
      let connectable = canvas.unfailing("-a--b-|").makeConnectable()
      canvas.signal("connect()", "---'✓'", verb: "is called:") { canvas.keep(connectable.connect()) }
      canvas.subscribe(connectable)
      canvas.subscribe(connectable, at: 2)
    },
    // The connection lasts from the first subscriber to the last cancellation.
    .subscribers("autoconnect", "makeConnectable().autoconnect()") { canvas in
      let connected = canvas.unfailing("-a-b-c-d-e-f|").makeConnectable().autoconnect()
      canvas.subscribe(connected, at: 1, until: 5)
      canvas.subscribe(connected, at: 3, until: 9)
    },
  ]

  static let storing: [DiagramEntry] = [
    DiagramEntry("buffer-dropNewest", "buffer(size: 2, …, whenFull: .dropNewest)") { canvas in
      canvas.ask("---------1--*")
      return canvas.letters("-a-b-c-d|").buffer(size: 2, prefetch: .byRequest, whenFull: .dropNewest)
    },
    DiagramEntry("buffer-dropOldest", "buffer(size: 2, …, whenFull: .dropOldest)") { canvas in
      canvas.ask("---------1--*")
      return canvas.letters("-a-b-c-d|").buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest)
    },
    DiagramEntry("buffer-customError", "buffer(size: 2, …, whenFull: .customError { error })") { canvas in
      canvas.ask("---------1--*")
      return canvas.cold("-a-b-c-d|").buffer(
        size: 2, prefetch: .byRequest, whenFull: .customError { DiagramError() })
    },
  ]
}
