import GRPCCore
import Synchronization

// `@testable`: it reads the frames, which are no API of the library.
@testable import StreamsGRPC

/// A client interceptor that counts the values that calls receive beyond those that they have requested.
struct DemandCheck: ClientInterceptor {
  let excess = Counter()

  func intercept<Input: Sendable, Output: Sendable>(
    request: StreamingClientRequest<Input>, context: ClientContext,
    next: (StreamingClientRequest<Input>, ClientContext) async throws -> StreamingClientResponse<Output>
  ) async throws -> StreamingClientResponse<Output> {
    let credit = Credit()
    var request = request
    let producer = request.producer
    request.producer = { writer in
      try await producer(
        RPCWriter(
          wrapping: ObservedWriter(base: writer) { frame in
            guard case .request(let request)? = (frame as? SubscriberFrame)?.frame else { return }
            credit.value.withLock {
              $0 = $0.addingReportingOverflow(request.count).overflow ? .max : $0 + request.count
            }
          }))
    }
    var response = try await next(request, context)
    if case .success(var contents) = response.accepted {
      contents.bodyParts = RPCAsyncSequence(
        wrapping: contents.bodyParts.map { part in
          if case .message(let frame as PublisherFrame) = part, frame.index > 0 {
            let isRequested = credit.value.withLock { credit in
              defer { if credit > 0, credit < .max { credit -= 1 } }
              return credit > 0
            }
            if !isRequested { excess.increment() }
          }
          return part
        })
      response.accepted = .success(contents)
    }
    return response
  }

  private final class Credit: Sendable { let value = Mutex<UInt64>(0) }
}

private struct ObservedWriter<Element: Sendable>: RPCWriterProtocol {
  let base: RPCWriter<Element>
  let willWrite: @Sendable (Element) -> Void

  func write(_ element: Element) async throws {
    willWrite(element)
    try await base.write(element)
  }

  func write(contentsOf elements: some Sequence<Element>) async throws {
    for element in elements { try await write(element) }
  }
}
