// Expected diagnostics stand in the line of the mistake, regardless of its length.
// swift-format-ignore-file
import Dispatch
import StreamSchedulers
import Streams

struct Wrong: Error {}

func formerNames(_ ints: AnyPublisher<Int, Wrong>, _ flags: AnyPublisher<Bool, Never>, _ queue: DispatchQueue) {
  _ = ints.pausable(by: flags)  // expect: has been renamed to 'pausable(runningWhile:)'
  _ = ints.map { $0 + 1 }.pausable(by: flags).filter { $0 > 1 }  // expect: has been renamed to 'pausable(runningWhile:)'
  _ = ints.pausable(by: flags, buffering: 2, whenFull: .dropOldest)  // expect: has been renamed to 'pausable(runningWhile:buffering:whenFull:)'
  var generator = SystemRandomNumberGenerator()
  _ = ints.retry(.delay(.seconds(1), maxRetries: 2), scheduler: queue, generator: generator)  // expect: pass a closure after where: instead of the generator
  _ = RetryPolicy.delay(.seconds(1), maxRetries: 2).delay(beforeRetry: 1, using: &generator)  // expect: use delay(beforeRetry:random:)
  _ = TimerPublisher(every: .seconds(1), scheduler: queue)
}

extension Just {
  func pausable<P: Publisher>(by isRunning: P) -> Int where P.Output == Bool { 1 }
}

func ownNames(_ flags: AnyPublisher<Bool, Never>) -> Int { Just(1).pausable(by: flags) }
