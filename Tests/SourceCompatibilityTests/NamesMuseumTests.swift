import Combine
import Foundation
import Testing

/// Bugs of other reactive libraries: names.
struct NamesMuseumTests {
  /// OpenCombine/OpenCombine#174, #120
  @Test func `code that was written for Combine did not compile beside Foundation`() {
    // As in an app: `RunLoop`, `OperationQueue` and `DispatchQueue` are schedulers, and `AnyCancellable` is one type.
    func isScheduler<S: Scheduler>(_ scheduler: S) -> Bool { true }
    #expect(isScheduler(RunLoop.main) && isScheduler(OperationQueue.main) && isScheduler(DispatchQueue.main))

    var values: [Int] = []
    var cancellables: Set<AnyCancellable> = []
    var list: [AnyCancellable] = []
    Just(1).receive(on: ImmediateScheduler.shared).sink { values.append($0) }.store(in: &cancellables)
    Just(2).sink { values.append($0) }.store(in: &list)
    #expect(values == [1, 2] && cancellables.count == 1 && list.count == 1)
  }
}
