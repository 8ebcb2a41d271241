import StreamAlgorithms
import StreamTesting
import Streams

extension DiagramCatalog {
  static let beyondCombineCreating: [DiagramEntry] = [
    // The publisher starts anew for each subscriber, and stops when the subscriber cancels.
    .subscribers("create", "CreatePublisher { subscriber in … }") { canvas in
      let created = CreatePublisher<Text, Never>(bufferSize: 1, whenFull: .dropOldest) { subscriber in
        canvas.unfailing("a--b--c|", name: "producer").sink(
          receiveCompletion: { subscriber.send(completion: $0) }, receiveValue: { subscriber.send($0) })
      }
      canvas.subscribe(created)
      canvas.subscribe(created, at: 2, until: 6)
    },
    // The value that is not accepted is the last one.
    DiagramEntry("prefix-while-behavior", "prefix(while: { $0 < 3 }, behavior: .inclusive)") {
      $0.numbers("-1-2-3-4|").prefix(while: { $0 < 3 }, behavior: .inclusive)
    },
  ]
}
