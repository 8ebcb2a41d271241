import StreamInspection
import Streams
import Testing

/// What is read and explained is bounded, however large the stream is.
@Suite struct BoundsTests {
  @Test func sharedPartsAreNotExplainedOnEachPath() {
    let subject = PassthroughSubject<Int, Never>()
    var publisher = subject.eraseToAnyPublisher()
    // There are two paths through each level.
    for _ in 0..<14 { publisher = publisher.merge(with: publisher).share().eraseToAnyPublisher() }
    let cancellable = publisher.sink { _ in }
    var thresholds = Inspection.Thresholds()
    thresholds.silence = .zero
    let inspection = Inspection(of: cancellable, thresholds: thresholds)
    #expect(inspection.parts.count > 28)
    #expect((1...100).contains(inspection.findings.count))
  }

  @Test func fewOfManySourcesAreRead() throws {
    let inners = (0..<2_000).map { _ in PassthroughSubject<Int, Never>() }
    let outer = PassthroughSubject<Int, Never>()
    let cancellable = outer.flatMap { inners[$0] }.sink { _ in }
    for number in inners.indices { outer.send(number) }
    var flatMap = try #require(cancellable.inspection.parts.first { $0.name == "flatMap" })
    // The outer one, and as many inner ones as a part tells.
    #expect(flatMap.upstreams.count == 65)
    #expect(flatMap.states.contains("1936 more sources"))

    // The last one is in a place that is not looked at.
    for inner in inners.dropLast() { inner.send(completion: .finished) }
    flatMap = try #require(cancellable.inspection.parts.first { $0.name == "flatMap" })
    #expect(flatMap.states.contains("1 more sources"))
    #expect(flatMap.states.contains("1 running"))
  }
}
