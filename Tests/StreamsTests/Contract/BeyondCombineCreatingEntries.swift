import StreamAlgorithms
import Streams

extension OperatorCatalog {
  static let beyondCombineCreating: [CatalogEntry] = [
    CatalogEntry("Create", gives: "1 2 3 finished", except: [.demandUpstream: Reason.buffers]) { bench in
      let (source, captive) = (bench.source(), bench.captive())
      return CreatePublisher(bufferSize: 3, whenFull: .dropOldest) { subscriber in
        captive.touch(source).sink(
          receiveCompletion: { subscriber.send(completion: $0) }, receiveValue: { subscriber.send($0) })
      }.asText()
    },
    CatalogEntry("prefix(while:behavior:)", gives: "1 2 finished") { bench in
      let captive = bench.captive()
      return bench.source().prefix(while: { captive.touch($0).number < 2 }, behavior: .inclusive).asText()
    },
  ]
}
