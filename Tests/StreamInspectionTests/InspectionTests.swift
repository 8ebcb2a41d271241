import Dispatch
import StreamInspection
import StreamSchedulers
import Streams
import Testing

@Suite struct InspectionTests {
  @Test func `the bound of a merge is shown`() {
    let (one, other) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
    let bounded = one.merge(with: other, bounded: 37, whenFull: .dropOldest).sink { _ in }
    #expect("\(bounded.inspection)".contains("37"), "\(bounded.inspection)")
    bounded.cancel()
  }

  @Test func `operators behind an erased publisher that keeps values have their names`() {
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject.debounce(for: .seconds(1), scheduler: DispatchQueue.test).eraseToAnyPublisher()
      .map { $0 + 1 }.removeDuplicates().sink { _ in }
    let text = "\(cancellable.inspection)"
    #expect(text.contains("removeDuplicates") && text.contains("map"), "\(text)")
    cancellable.cancel()
  }
}
