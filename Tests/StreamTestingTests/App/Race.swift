import Dispatch
import StreamSchedulers
import Streams

/// The result of the faster of two futures, whether value or failure.
func race<Output, Failure>(
  _ one: Future<Output, Failure>, _ other: Future<Output, Failure>
) -> AnyPublisher<Output, Failure> {
  one.merge(with: other).first().eraseToAnyPublisher()
}

/// A simulated server with an answer and a latency.
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
