import Dispatch
import StreamSchedulers
import Streams

/// The first answer of two; a failure is an answer too.
func race<Output, Failure>(
  _ one: Future<Output, Failure>, _ other: Future<Output, Failure>
) -> AnyPublisher<Output, Failure> {
  one.merge(with: other).first().eraseToAnyPublisher()
}

/// What an app's servers answer, and after how long.
struct Server {
  let answer: Result<String, ServerFailure>
  let latency: DispatchQueue.SchedulerTimeType.Stride
  let scheduler: AnySchedulerOf<DispatchQueue>

  func ask() -> Future<String, ServerFailure> {
    Future { promise in
      scheduler.schedule(after: scheduler.now.advanced(by: latency)) { promise(answer) }
    }
  }
}

struct ServerFailure: Error, Equatable {}
