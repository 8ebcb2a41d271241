import Dispatch
import Foundation
import StreamAlgorithms
import StreamFoundation
import Testing

// Members that Streams adds to types of other modules, with the names of functions that a program calls in extensions of
// these types.

extension Array {
  fileprivate func neighbors() -> [(Element, Element)] { [(Element, Element)](zip(self, dropFirst())) }

  fileprivate static func pairs(_ elements: Self) -> [(Element, Element)] {
    [(Element, Element)](zip(elements, elements))
  }
}

extension Array where Element: Publisher {
  fileprivate func zipped() -> some Publisher<[Element.Output], Element.Failure> { zip() }
}

extension Sequence {
  fileprivate func same<Other: Sequence>(as other: Other) -> Bool where Other.Element == Element, Element: Equatable {
    zip(self, other).allSatisfy(==)
  }
}

extension DispatchQueue {
  // Not called, as the function blocks its thread.
  @available(*, deprecated)
  fileprivate func pause() { sleep(1) }

  @available(*, deprecated)
  fileprivate static func pauseAll() -> UInt32 { sleep(1) }

  fileprivate func pauseTask() async throws { try await sleep(for: .seconds(1)) }
}

extension OperationQueue {
  @available(*, deprecated)
  fileprivate func pause() { _ = sleep(1) }
}

extension RunLoop {
  fileprivate func pause() { _ = Foundation.sleep(1) }
}

// Functions and types of the program, with names that Streams uses, too.

func merge(_ first: [Int], _ second: [Int]) -> [Int] { first + second }

private struct RetryPolicy: Equatable {
  var count = 3
}

extension Array where Element == Int {
  fileprivate func doubled() -> [Int] { SourceCompatibilityTests.merge(self, self) }
}

extension Publishers {
  fileprivate static func ofSchedulers() -> TimerPublisher<DispatchQueue> {
    Timer(every: .seconds(1), scheduler: DispatchQueue.main)
  }
  fileprivate static func ofFoundation() -> Timer {
    Foundation.Timer(timeInterval: 1, repeats: false) { _ in }
  }
}

private protocol Described {
  var text: String { get }
}

extension SchedulerDate: Described {
  fileprivate var text: String { "\(date.timeIntervalSinceReferenceDate)" }
}

struct HiddenNameTests {
  @Test func `extensions of collections call the function zip`() {
    #expect([1, 2, 3].neighbors().map(\.1) == [2, 3])
    #expect([Int].pairs([1, 2]).map(\.0) == [1, 2])
    #expect([1, 2].same(as: [1, 2]))
    var pairs: [[Int]] = []
    _ = [Just(1), Just(2)].zipped().sink { pairs.append($0) }
    #expect(pairs == [[1, 2]])
  }

  @Test func `a function that a method hides has a qualified name`() {
    #expect([1].doubled() == [1, 1])
    #expect(merge([1], [2]) == [1, 2])
  }

  @Test func `a type of the program hides one of the library, which has a qualified name`() {
    #expect(RetryPolicy().count == 3)
    #expect(StreamAlgorithms.RetryPolicy.immediate(maxRetries: 2).maxRetries == 2)
    #expect(type(of: DispatchQueue.test) == StreamSchedulers.TestSchedulerOf<DispatchQueue>.self)
  }

  @Test func `a call of Timer in an extension of Publishers is of the timer of schedulers, and a type is Foundation's`()
  {
    #expect(Publishers.ofSchedulers().interval == .seconds(1))
    #expect(Publishers.ofFoundation().isValid)
  }

  @Test func `a protocol is given to the times of run loops and operation queues at once`() {
    let date = Date(timeIntervalSinceReferenceDate: 7)
    let times: [any Described] = [RunLoop.SchedulerTimeType(date), OperationQueue.SchedulerTimeType(date)]
    #expect(times.map(\.text) == ["7.0", "7.0"])
  }
}
